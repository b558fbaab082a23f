#ifndef EDS_STORE_SELECTOR_CHECK_H
#define EDS_STORE_SELECTOR_CHECK_H

#include <stdbool.h>
#include <stdint.h>

/* The result of one check. The members that only the next check needs (wildcard, digest,
 * key_digest, probed_at_ms) are read with a claim (eds_selector_due), not with the selector. */
struct eds_selector_check {
	const char *state;    /* "valid", "revoked", "invalid"; "unknown" before the first */
	const char *key_type; /* "rsa", "ed25519", NULL */
	int64_t key_bits;     /* 0 unknown */
	const char *alias;    /* target of a CNAME, else NULL */
	const char *errors;   /* JSON arrays of findings */
	const char *warnings;
	bool wildcard;        /* DNS answers any other name too */
	int64_t digest;       /* of the answer of DNS */
	int64_t key_digest;   /* of the key alone; 0 if none */
	const char *record;   /* as published, printable; NULL without one, or not yet known */
	const char *key_hash; /* hex; NULL as for record */
	int64_t key_since_ms; /* only read: the key has been there at least since then; 0 unknown */
	bool key_changed;     /* in a change: the key differs from the last known one */
	int64_t probed_at_ms; /* latest test for a wildcard, 0 never */
	int64_t checked_at_ms; /* 0 never */
};

#endif
