/* Reads RSA public keys in DER, and accepts only correct DER. The code uses no cryptographic
 * library, because a check of many keys needs only their sizes, and OpenSSL's decoder takes several
 * times as long as the verification of a signature (fast-key.h).
 *
 * Domains publish two forms: SubjectPublicKeyInfo (RFC 5280 section 4.1, the usual one) and the
 * bare RSAPublicKey of PKCS#1 (RFC 8017 appendix A.1.1, the one that RFC 6376 section 3.6.1
 * specifies).
 */
#ifndef EDS_DKIM_KEY_DER_H
#define EDS_DKIM_KEY_DER_H

#include "runtime/ctx.h"

enum {
	EDS_ED25519_BYTES = 32,
	EDS_RSA_MODULUS_BYTES_MAX = 16 * 1024 / 8,
	EDS_SPKI_HEAD_BYTES = 24, /* maximum number of octets that SubjectPublicKeyInfo adds in
				   * front of an RSAPublicKey */
};

enum eds_der_kind {
	EDS_DER_NONE, /* none of the forms below, or octets follow the key, or it is an RSA key that
		       * is too long or cannot be right: its modulus or exponent is even, or its
		       * exponent is 1 */
	EDS_DER_RSA,  /* an RSA key as SubjectPublicKeyInfo */
	EDS_DER_PKCS1,   /* a bare RSAPublicKey */
	EDS_DER_ED25519, /* an Ed25519 key as SubjectPublicKeyInfo (RFC 8410), which DKIM does not
			  * use */
};

struct eds_der_key {
	enum eds_der_kind kind;
	const uint8_t *rsa; /* the RSAPublicKey, borrowed */
	size_t rsa_length;
	unsigned bits; /* size of the modulus */
	unsigned exponent_bits;
	uint64_t exponent; /* the public exponent; UINT64_MAX when it has more than 64 bits */
};

void eds_der_key_read(const uint8_t *der, size_t length, struct eds_der_key *key);

/* Wraps an RSAPublicKey into a SubjectPublicKeyInfo; sets *length to the number of octets of the
 * result. */
uint8_t *eds_der_wrap_rsa(struct rt_ctx *ctx, const struct eds_der_key *key, size_t *length);

#endif
