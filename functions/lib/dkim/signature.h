/* The tags of a DKIM-Signature field (RFC 6376 section 3.5), read strictly and without a library.
 *
 *     v=1; a=rsa-sha256; c=relaxed/relaxed; d=example.com; s=s1; h=from:to:subject; bh=…; b=…
 *
 * errors: the signature is invalid with any message and key
 *     signature-syntax         not a tag=value list
 *     signature-tag-duplicate  a tag occurs twice
 *     tag-missing, tag-invalid one of the tags v, a, b, bh, c, d, h, i, l, s, t, x
 *     algorithm-unsupported    a= is neither rsa-sha256 nor ed25519-sha256 (RFC 8301: no rsa-sha1)
 *     query-unsupported        q= does not offer dns/txt
 *     identity-mismatch        i= is neither d= nor below it
 *     from-not-signed          h= leaves out From
 *     signature-expired, signature-in-future, signature-times (x= not after t=)
 */
#ifndef EDS_DKIM_SIGNATURE_H
#define EDS_DKIM_SIGNATURE_H

#include "functions/lib/dkim/dkim.h"
#include "functions/lib/dkim/tags.h"
#include "functions/lib/mail/header.h"

enum {
	EDS_SHA256_BYTES = 32,
	EDS_SIGNATURE_FUTURE_S = 5 * 60, /* allowance for clocks that differ */
};

struct eds_signed_name { /* one item of h= */
	const char *name;
	size_t length;
};

struct eds_signature {
	const struct eds_field *field;
	struct eds_tags tags;
	bool readable; /* the field is a tag list with all required tags; the tags that are read are
			* well-formed, and the values of a= and q= are supported */
	struct eds_findings errors;

	const char *domain;   /* d= in lower case; "" when missing or unreadable */
	const char *selector; /* s= in lower case; "" when missing or unreadable */
	const char *identity; /* i=, decoded; "@" and d= when absent */
	const char *algorithm;
	const char *canonicalization; /* c= as written; "simple/simple" when absent */
	const char *key_name; /* DNS name of the key: s._domainkey.d; "" when s= or d= is missing or
			       * unreadable, or the name would be too long */
	bool ed25519;
	bool relaxed_header;
	bool relaxed_body;
	struct eds_signed_name *signed_names; /* the names in h=, in their order */
	size_t signed_count;
	const char *body_hash; /* the decoded bh=, EDS_SHA256_BYTES octets if the signature is
				* readable; NULL when missing or not base64 */
	bool has_body_length;
	uint64_t body_length; /* l= */
	int64_t signed_at_s;  /* t=, in seconds since 1970; -1 when absent or malformed */
	int64_t expires_at_s; /* x=, in seconds since 1970; -1 when absent or malformed */
};

void eds_signature_read(
	struct rt_ctx *ctx, const struct eds_field *field, struct eds_signature *signature);

/* Adds an error when x= is before received_at_ms or not after t=, and when t= is more than
 * EDS_SIGNATURE_FUTURE_S after received_at_ms. */
void eds_signature_judge_time(
	struct rt_ctx *ctx, struct eds_signature *signature, int64_t received_at_ms);

/* True when the domain of i= is d= itself, as a key with t=s requires. */
bool eds_signature_identity_is_domain(const struct eds_signature *signature);

#endif
