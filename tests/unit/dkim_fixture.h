/* Signed messages for tests: a separate DKIM signer (RFC 6376 section 3.7), which shares no code
 * with the tested code. */
#ifndef TESTS_DKIM_FIXTURE_H
#define TESTS_DKIM_FIXTURE_H

#include <openssl/evp.h>
#include <openssl/x509.h>
#include <string.h>
#include <strings.h>

#include "runtime/buffer.h"
#include "runtime/text/base64.h"
#include "tests/support/zone.h"

enum {
	FIXTURE_BYTES_MAX = 32 * 1024 * 1024,
	FIXTURE_DER_BYTES = 4096,
};

static inline EVP_PKEY *fixture_rsa(unsigned bits)
{
	return EVP_RSA_gen(bits);
}

/* p= of the key: SubjectPublicKeyInfo, or the 32 octets of an Ed25519 key. */
static inline char *fixture_public(struct rt_ctx *ctx, EVP_PKEY *key)
{
	unsigned char der[FIXTURE_DER_BYTES];
	unsigned char *end = der;
	size_t length = sizeof der;

	if (EVP_PKEY_get_id(key) == EVP_PKEY_ED25519)
		EVP_PKEY_get_raw_public_key(key, der, &length);
	else
		length = (size_t)i2d_PUBKEY(key, &end);
	return rt_base64_encode(ctx, der, length);
}

static inline void fixture_relax(struct rt_buffer *out, const char *text, size_t length)
{
	bool space = false;
	bool value = false;
	bool any = false;

	for (size_t i = 0; i < length; i++) {
		if (strchr(" \t\r\n", text[i])) {
			space = true;
			continue;
		}
		if (space && value && any)
			rt_buffer_add(out, " ", 1);
		space = false;
		if (value)
			any = true;
		if (!value)
			rt_buffer_format(out, "%c",
				text[i] >= 'A' && text[i] <= 'Z' ? text[i] + 32 : text[i]);
		else
			rt_buffer_add(out, &text[i], 1);
		if (text[i] == ':')
			value = true;
	}
}

static inline void fixture_field(
	struct rt_buffer *out, const char *text, size_t length, bool relaxed)
{
	if (relaxed)
		fixture_relax(out, text, length);
	else
		rt_buffer_add(out, text, length);
}

static inline size_t fixture_field_length(const char *at)
{
	const char *end = at;

	do
		end = strstr(end, "\r\n") + 2;
	while (*end == ' ' || *end == '\t');
	return (size_t)(end - at) - 2;
}

/* The fields that h= names. Each name stands for the lowest field of that name that no earlier name
 * in h= stands for. */
static inline void fixture_header(
	struct rt_buffer *out, const char *headers, const char *names, bool relaxed)
{
	bool taken[2048] = {false};

	while (*names && *names != ';') {
		size_t size = strcspn(names, ":; ");
		const char *found = NULL;
		size_t index = 0;
		size_t chosen = 0;

		for (const char *at = headers; *at; at += fixture_field_length(at) + 2, index++)
			if (!taken[index] && strncasecmp(at, names, size) == 0 &&
				strchr(": ", at[size])) {
				found = at;
				chosen = index;
			}
		if (found) {
			taken[chosen] = true;
			fixture_field(out, found, fixture_field_length(found), relaxed);
			rt_buffer_add(out, "\r\n", 2);
		}
		names += size + (names[size] == ':');
		names += strspn(names, " ");
	}
}

static inline void fixture_body(
	struct rt_buffer *out, const char *body, size_t length, bool relaxed)
{
	size_t keep = 0;

	for (size_t i = 0; i < length; i++) {
		bool wsp = body[i] == ' ' || body[i] == '\t';

		if (!relaxed || !wsp)
			rt_buffer_add(out, body + i, 1);
		else if (i + 1 < length && !strchr(" \t\r", body[i + 1]))
			rt_buffer_add(out, " ", 1);
	}
	keep = out->length;
	while (keep >= 2 && memcmp(out->bytes + keep - 2, "\r\n", 2) == 0)
		keep -= 2;
	out->length = keep;
	if (keep > 0 || !relaxed)
		rt_buffer_add(out, "\r\n", 2);
}

static inline char *fixture_sign_bytes(
	struct rt_ctx *ctx, EVP_PKEY *key, const struct rt_buffer *in)
{
	bool ed25519 = EVP_PKEY_get_id(key) == EVP_PKEY_ED25519;
	unsigned char hash[32];
	unsigned char signature[FIXTURE_DER_BYTES];
	size_t length = sizeof signature;
	EVP_MD_CTX *md = EVP_MD_CTX_new();

	EVP_Digest(in->bytes, in->length, hash, NULL, EVP_sha256(), NULL);
	EVP_DigestSignInit(md, NULL, ed25519 ? NULL : EVP_sha256(), NULL, key);
	if (ed25519)
		EVP_DigestSign(md, signature, &length, hash, sizeof hash);
	else
		EVP_DigestSign(
			md, signature, &length, (const unsigned char *)in->bytes, in->length);
	EVP_MD_CTX_free(md);
	return rt_base64_encode(ctx, signature, length);
}

/* The DKIM-Signature field, with its final CRLF. tags has all but bh= and b=; an l= in it counts
 * for the hash of the body. */
static inline char *fixture_signature(struct rt_ctx *ctx, EVP_PKEY *key, const char *tags,
	const char *headers, const char *body, size_t length)
{
	bool relaxed_header = strstr(tags, "c=relaxed") != NULL;
	bool relaxed_body = strstr(tags, "/relaxed") != NULL;
	const char *limit = strstr(tags, " l=");
	struct rt_buffer canonical;
	struct rt_buffer signed_text;
	unsigned char hash[32];
	char *field;

	rt_buffer_init(&canonical, ctx, FIXTURE_BYTES_MAX);
	fixture_body(&canonical, body, length, relaxed_body);
	if (limit && strtoul(limit + 3, NULL, 10) < canonical.length)
		canonical.length = strtoul(limit + 3, NULL, 10);
	EVP_Digest(canonical.bytes, canonical.length, hash, NULL, EVP_sha256(), NULL);
	field = rt_printf(ctx, "DKIM-Signature: %s; bh=%s; b=", tags,
		rt_base64_encode(ctx, hash, sizeof hash));
	rt_buffer_init(&signed_text, ctx, FIXTURE_BYTES_MAX);
	fixture_header(&signed_text, headers, strstr(tags, "h=") + 2, relaxed_header);
	fixture_field(&signed_text, field, strlen(field), relaxed_header);
	return rt_printf(ctx, "%s%s\r\n", field, fixture_sign_bytes(ctx, key, &signed_text));
}

/* The whole message, the signature on top. */
static inline char *fixture_sign(
	struct rt_ctx *ctx, EVP_PKEY *key, const char *tags, const char *headers, const char *body)
{
	return rt_printf(ctx, "%s%s\r\n%s",
		fixture_signature(ctx, key, tags, headers, body, strlen(body)), headers, body);
}

#endif
