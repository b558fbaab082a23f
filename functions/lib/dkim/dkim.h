/* DKIM (RFC 6376, 8301, 8463): the results for each signature of a message.
 *
 * Verification (dkim-verify.h, libopendkim) runs only in the sandbox's child.
 */
#ifndef EDS_DKIM_H
#define EDS_DKIM_H

#include "functions/lib/dns/dns.h"
#include "functions/lib/finding.h"

enum {
	EDS_DKIM_SIGNATURES_MAX = 10,           /* maximum number of signatures evaluated in one
						 * message, counted from the top */
	EDS_DKIM_HEADERS_BYTES_MAX = 64 * 1024, /* maximum number of octets of header fields given
						 * to the library */
	EDS_DKIM_KEY_RECORD_MAX = 1024,         /* octets of the longest key record that the library
						 * can hold */
};

enum eds_dkim_state {
	EDS_DKIM_VALID,
	EDS_DKIM_INVALID,   /* the signature is not valid, which costs points (the rule DKIM_INVALID
			     * of the score) */
	EDS_DKIM_TESTING,   /* the signature is not valid, but costs no points, as its key has
			     * t=y */
	EDS_DKIM_TEMPORARY, /* the DNS lookup of the key failed */
	EDS_DKIM_UNCHECKED, /* the signature, its key or the header exceeds a limit, or the library
			     * gave no verdict */
};

enum eds_dkim_hash {
	EDS_DKIM_HASH_UNKNOWN,
	EDS_DKIM_HASH_MATCH,
	EDS_DKIM_HASH_MISMATCH,
};

/* The result of the lookup of a key. */
enum eds_key_state {
	EDS_KEY_UNASKED, /* the signature does not name its key, so no key was looked up */
	EDS_KEY_FOUND,
	EDS_KEY_MISSING,
	EDS_KEY_REVOKED,
	EDS_KEY_INVALID,
	EDS_KEY_TEMPORARY,
	EDS_KEY_UNSUPPORTED, /* a valid key that libopendkim cannot use */
};

enum eds_key_type {
	EDS_KEY_UNKNOWN,
	EDS_KEY_RSA,
	EDS_KEY_ED25519,
};

struct eds_dkim_signature {
	enum eds_dkim_state state;
	const char *domain;           /* d=; "" when unreadable */
	const char *selector;         /* s= */
	const char *identity;         /* i=; "@" and d= when absent */
	const char *algorithm;        /* a= as written */
	const char *canonicalization; /* c=; "simple/simple" when absent */
	enum eds_dkim_hash body_hash;
	enum eds_dkim_hash header_hash;
	enum eds_key_state key_state;
	enum eds_key_type key_type;
	unsigned key_bits;            /* bits of the key; 0 if unknown */
	bool key_testing;             /* t=y */
	struct eds_findings errors;   /* why the signature is not valid; empty when it is */
	struct eds_findings warnings; /* for example: l= leaves a part of the body unsigned, or the
				       * RSA key has 1024 bits */
};

struct eds_dkim_result {
	size_t count;        /* signatures evaluated */
	size_t total;        /* signatures present in the message */
	const char *failure; /* a sentence that says why no signature could be evaluated; ""
			      * otherwise */
	struct eds_dkim_signature signatures[EDS_DKIM_SIGNATURES_MAX];
};

const char *eds_dkim_state_name(enum eds_dkim_state state); /* The word for a state: "valid",
							     * "invalid", "testing", … */
const char *eds_key_state_name(enum eds_key_state state);   /* The word for a result of the lookup
							     * of a key: "found", "missing", … */
const char *eds_dkim_hash_name(enum eds_dkim_hash hash);    /* The word for the comparison of a
							     * hash: "match", "mismatch",
							     * "unknown" */

#endif
