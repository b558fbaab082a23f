#ifndef EDS_STORE_SELECTOR_CHECK_H
#define EDS_STORE_SELECTOR_CHECK_H

#include <stdbool.h>
#include <stdint.h>

/* The result of one check. The members that only the next check needs (wildcard, digest,
 * key_digest, probed_at_ms) are read with a claim (eds_selector_due), not with the selector. */
struct eds_selector_check {
	const char *state;    /* "valid", "revoked", "invalid"; "unknown" while there is no
			       * result */
	const char *key_type; /* "rsa", "ed25519"; NULL if unknown */
	int64_t key_bits;     /* bits of the key; 0 if unknown */
	const char *alias;    /* target of the CNAME at the selector's name; NULL if there is
			       * none */
	const char *errors;   /* JSON array of findings; so is `warnings` */
	const char *warnings;
	bool wildcard;         /* DNS also has an answer for names of other, invented selectors */
	int64_t digest;        /* digest of the answer of DNS */
	int64_t key_digest;    /* digest of the key alone; 0 without a usable key */
	const char *record;    /* the record as published, in printable form; NULL without a record,
				* or if not yet known */
	const char *key_hash;  /* SHA-256 of the key, in hex; NULL without a key, or if not yet
				* known */
	int64_t key_since_ms;  /* the key was already published at this time, and no other key
				* since; 0 if unknown; only set in rows that were read */
	bool key_changed;      /* for a change: the key differs from the last known key */
	int64_t probed_at_ms;  /* time of the latest test for a wildcard; 0 for never */
	int64_t checked_at_ms; /* time of the check; 0 for never */
};

#endif
