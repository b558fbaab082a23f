/* Permits the RSA functions that need no decoder, although OpenSSL 3 has deprecated them. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "functions/lib/dkim/fast-key.h"

#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include "functions/lib/dkim/key-der.h"

static unsigned keys_read;

void eds_fast_key_use(void)
{
	/* The call itself is enough: it makes the linker include the functions below. */
}

unsigned eds_fast_key_count(void)
{
	return keys_read;
}

EVP_PKEY *__wrap_d2i_PUBKEY_bio(BIO *bio, EVP_PKEY **reuse);

static EVP_PKEY *wrap(RSA *rsa)
{
	EVP_PKEY *key = EVP_PKEY_new();

	if (rsa != NULL && key != NULL && EVP_PKEY_assign_RSA(key, rsa) == 1)
		return key;
	EVP_PKEY_free(key);
	RSA_free(rsa);
	return NULL;
}

EVP_PKEY *__wrap_d2i_PUBKEY_bio(BIO *bio, EVP_PKEY **reuse)
{
	const unsigned char *at;
	struct eds_der_key der;
	char *bytes = NULL;
	long length = BIO_get_mem_data(bio, &bytes);
	EVP_PKEY *key;

	if (length <= 0)
		return NULL;
	eds_der_key_read((const uint8_t *)bytes, (size_t)length, &der);
	if (der.kind != EDS_DER_RSA)
		return NULL;
	at = der.rsa;
	key = wrap(d2i_RSAPublicKey(NULL, &at, (long)der.rsa_length));
	keys_read++;
	if (key != NULL && reuse != NULL) {
		EVP_PKEY_free(*reuse);
		*reuse = key;
	}
	return key;
}

/* Weak, because a static program has libcrypto's function of that name as well. */
__attribute__((weak)) EVP_PKEY *d2i_PUBKEY_bio(BIO *bio, EVP_PKEY **reuse)
{
	return __wrap_d2i_PUBKEY_bio(bio, reuse);
}
