#include "functions/lib/dkim/key-der.h"

#include <string.h>

enum {
	TAG_INTEGER = 0x02,
	TAG_BIT_STRING = 0x03,
	TAG_SEQUENCE = 0x30,
};

struct reader {
	const uint8_t *at;
	const uint8_t *end;
};

/* AlgorithmIdentifier: rsaEncryption with NULL (RFC 3279 section 2.3.1), and Ed25519 (RFC 8410). */
static const uint8_t RSA_ALGORITHM[] = {
	0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00};
static const uint8_t ED25519_ALGORITHM[] = {0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70};

/* Reads a definite length in its shortest form (X.690 section 10.1), of two octets at most. */
static bool read_length(struct reader *r, size_t *length)
{
	size_t octets;

	if (r->at == r->end)
		return false;
	*length = *r->at++;
	if (*length < 0x80)
		return true;
	octets = *length & 0x7f;
	if (octets < 1 || octets > 2 || (size_t)(r->end - r->at) < octets)
		return false;
	for (*length = 0; octets > 0; octets--)
		*length = *length << 8 | *r->at++;
	return *length >= 0x80 && (r->at[-2] != 0 || *length < 0x100);
}

/* Sets inner to the contents of the next element, and moves r past it. */
static bool read_element(struct reader *r, uint8_t tag, struct reader *inner)
{
	size_t length;

	if (r->at == r->end || *r->at != tag)
		return false;
	r->at++;
	if (!read_length(r, &length) || (size_t)(r->end - r->at) < length)
		return false;
	inner->at = r->at;
	inner->end = r->at += length;
	return true;
}

/* Reads a positive integer in its shortest form; *number becomes its octets without the leading
 * zero. */
static bool read_positive(struct reader *r, struct reader *number)
{
	if (!read_element(r, TAG_INTEGER, number) || number->at == number->end)
		return false;
	if (*number->at & 0x80)
		return false;
	if (*number->at != 0)
		return true;
	number->at++;
	return number->at < number->end && (*number->at & 0x80);
}

static unsigned bits_of(const struct reader *number)
{
	unsigned bits = (unsigned)(number->end - number->at) * 8;

	for (unsigned top = *number->at; !(top & 0x80); top <<= 1)
		bits--;
	return bits;
}

static uint64_t value_of(const struct reader *number)
{
	uint64_t value = 0;

	if (number->end - number->at > 8)
		return UINT64_MAX;
	for (const uint8_t *at = number->at; at < number->end; at++)
		value = value << 8 | *at;
	return value;
}

/* RSAPublicKey ::= SEQUENCE { modulus INTEGER, publicExponent INTEGER } with no octets after it. A
 * key with an even modulus, an even exponent or the exponent 1 is not an RSA key. */
static bool read_rsa(const uint8_t *der, size_t length, struct eds_der_key *key)
{
	struct reader r = {der, der + length};
	struct reader sequence;
	struct reader modulus;
	struct reader exponent;

	if (!read_element(&r, TAG_SEQUENCE, &sequence) || r.at != r.end ||
		!read_positive(&sequence, &modulus) || !read_positive(&sequence, &exponent) ||
		sequence.at != sequence.end)
		return false;
	if (modulus.end - modulus.at > EDS_RSA_MODULUS_BYTES_MAX || !(modulus.end[-1] & 1) ||
		!(exponent.end[-1] & 1) || value_of(&exponent) == 1)
		return false;
	key->rsa = der;
	key->rsa_length = length;
	key->bits = bits_of(&modulus);
	key->exponent_bits = bits_of(&exponent);
	key->exponent = value_of(&exponent);
	return true;
}

static bool begins(struct reader *r, const uint8_t *bytes, size_t length)
{
	if ((size_t)(r->end - r->at) < length || memcmp(r->at, bytes, length) != 0)
		return false;
	r->at += length;
	return true;
}

/* Reads a BIT STRING of whole octets with no octets after it. */
static bool read_bits(struct reader *r, struct reader *bits)
{
	return read_element(r, TAG_BIT_STRING, bits) && r->at == r->end && bits->at < bits->end &&
		*bits->at++ == 0;
}

static enum eds_der_kind read_info(const uint8_t *der, size_t length, struct eds_der_key *key)
{
	struct reader r = {der, der + length};
	struct reader info;
	struct reader bits;

	if (!read_element(&r, TAG_SEQUENCE, &info) || r.at != r.end)
		return EDS_DER_NONE;
	if (begins(&info, ED25519_ALGORITHM, sizeof ED25519_ALGORITHM))
		return read_bits(&info, &bits) && bits.end - bits.at == EDS_ED25519_BYTES
			? EDS_DER_ED25519
			: EDS_DER_NONE;
	if (begins(&info, RSA_ALGORITHM, sizeof RSA_ALGORITHM) && read_bits(&info, &bits) &&
		read_rsa(bits.at, (size_t)(bits.end - bits.at), key))
		return EDS_DER_RSA;
	return EDS_DER_NONE;
}

void eds_der_key_read(const uint8_t *der, size_t length, struct eds_der_key *key)
{
	memset(key, 0, sizeof *key);
	key->kind = read_info(der, length, key);
	if (key->kind == EDS_DER_NONE && read_rsa(der, length, key))
		key->kind = EDS_DER_PKCS1;
}

/* Writes tag and length in front of the octets already written. */
static uint8_t *put_head(uint8_t *start, const uint8_t *end, uint8_t tag)
{
	size_t length = (size_t)(end - start);

	*--start = (uint8_t)length;
	if (length >= 0x100)
		*--start = (uint8_t)(length >> 8);
	if (length >= 0x80)
		*--start = length >= 0x100 ? 0x82 : 0x81;
	*--start = tag;
	return start;
}

uint8_t *eds_der_wrap_rsa(struct rt_ctx *ctx, const struct eds_der_key *key, size_t *length)
{
	uint8_t *bytes = rt_alloc(ctx, EDS_SPKI_HEAD_BYTES + key->rsa_length);
	uint8_t *start = bytes + EDS_SPKI_HEAD_BYTES;
	uint8_t *end = start + key->rsa_length;

	memcpy(start, key->rsa, key->rsa_length);
	*--start = 0; /* number of unused bits in the BIT STRING */
	start = put_head(start, end, TAG_BIT_STRING);
	start -= sizeof RSA_ALGORITHM;
	memcpy(start, RSA_ALGORITHM, sizeof RSA_ALGORITHM);
	start = put_head(start, end, TAG_SEQUENCE);
	*length = (size_t)(end - start);
	return start;
}
