#ifndef EDS_STORE_SELECTOR_CHECK_H
#define EDS_STORE_SELECTOR_CHECK_H

#include <stdbool.h>
#include <stdint.h>

/* The result of one check. What only the next check needs (wildcard, digest, key_digest,
 * probed_at_ms) is written, and read with a claim (eds_selector_due), not with the selector. */
struct eds_selector_check {
	const char *state;    /* "valid", "revoked", "invalid"; "unknown" before the first */
	const char *key_type; /* "rsa", "ed25519", NULL */
	int64_t key_bits;     /* 0 unknown */
	const char *alias;    /* where a CNAME leads, NULL */
	const char *errors;   /* JSON arrays of findings */
	const char *warnings;
	bool wildcard;        /* any other name would have answered too */
	int64_t digest;       /* of what DNS said */
	int64_t key_digest;   /* of the key alone, 0 without one */
	const char *record;   /* as published, printable; NULL without one, or not known yet */
	const char *key_hash; /* hex; NULL as well */
	int64_t key_since_ms; /* read alone: since when, at the latest, this key is there; 0 unknown
			       */
	bool key_changed;     /* of a change: another key than the one known before */
	int64_t probed_at_ms; /* when a wildcard was looked for, 0 never */
	int64_t checked_at_ms; /* 0 never */
};

#endif
