/* A DKIM key record (RFC 6376 section 3.6.1, RFC 8301, RFC 8463): its content and all its faults.
 *
 *     s1._domainkey.example.com  TXT  "v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A…"
 *
 * errors: no signature can be verified with this record
 *     key-missing          the name does not exist
 *     key-cname-dangling   the name is an alias of a name that does not exist
 *     key-no-txt           the name has no TXT record that could be a key
 *     key-temporary        DNS gave no answer
 *     key-several          more than one key record
 *     key-other-text       one key record, and another TXT record that is not a key
 *     key-quoted           the record itself contains quotation marks or \;
 *     key-syntax           not a tag=value list
 *     key-tag-duplicate    a tag occurs twice
 *     key-version          v= is not DKIM1, or not the first tag
 *     key-no-public-key    p= is missing
 *     key-revoked          p= is empty
 *     key-base64, key-der  p= cannot be decoded
 *     key-type-unknown     k= is neither rsa nor ed25519
 *     key-type-mismatch    the type of the key in p= differs from k=
 *     key-too-short        RSA under 1024 bits
 *     key-exponent         RSA with an exponent over 64 bits
 *     key-hash             h= leaves out sha256
 *     key-service          s= leaves out e-mail
 * warnings
 *     key-short (RSA 1024 to 2047), key-long (over 4096), key-exponent (not 65537),
 *     key-sha1 (h= names sha1),
 *     key-testing (t=y), key-pkcs1, key-granularity (g=), key-no-version,
 *     key-record-long (over 1024 characters)
 */
#ifndef EDS_DKIM_KEY_RECORD_H
#define EDS_DKIM_KEY_RECORD_H

#include "functions/lib/dkim/dkim.h"

enum {
	EDS_RSA_BITS_MIN = 1024,        /* verifiers reject shorter keys (RFC 8301 section 3.2) */
	EDS_RSA_BITS_GOOD = 2048,       /* signers should use no shorter key (RFC 8301 section
					 * 3.2) */
	EDS_RSA_BITS_LONG = 4096,       /* the largest size that every verifier must support */
	EDS_RSA_EXPONENT_BITS_MAX = 64, /* the longest exponent that we verify; also OpenSSL's limit
					 * for keys over 3072 bits */
	EDS_ED25519_BITS = 256,
};

struct eds_key_record {
	enum eds_key_state state;
	const char *text; /* the record as published; "" if none */
	enum eds_key_type type;
	unsigned bits;        /* bits of the key; 0 if unknown */
	bool testing;         /* t=y */
	bool strict_identity; /* t=s: the domain of i= must be d= itself */
	bool aliased;         /* the name is a CNAME, which is allowed */
	struct eds_findings errors;
	struct eds_findings warnings;
	/* Base64 of the SubjectPublicKeyInfo, or of the 32 octets of an Ed25519 key; NULL when p=
	 * has no key of the type that k= names, or its exponent is too long. Another fault of the
	 * record does not make it NULL, although state is then EDS_KEY_INVALID. */
	const char *public_key;
	const uint8_t *public_octets; /* the octets of public_key, not encoded */
	size_t public_bytes;          /* number of octets in public_octets */
};

/* Reads the answer of DNS for SELECTOR._domainkey.DOMAIN. Ignores TXT records of another version
 * (v=spf1). */
void eds_key_record_from_answer(
	struct rt_ctx *ctx, const struct eds_dns_answer *answer, struct eds_key_record *key);

/* Reads the text of one record. */
void eds_key_record_read(
	struct rt_ctx *ctx, const char *text, size_t length, struct eds_key_record *key);

/* The word for a type of key: "rsa", "ed25519"; "" for EDS_KEY_UNKNOWN. */
const char *eds_key_type_name(enum eds_key_type type);

#endif
