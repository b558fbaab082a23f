#include "functions/lib/dkim/body-hash.h"

#include <openssl/evp.h>
#include <string.h>

#include "runtime/text/ascii.h"

enum {
	OUTLET_BYTES = 4 * 1024, /* octets of the buffer: few, because the buffer is on the stack of
				  * a new child, and the first use of each page takes a page
				  * fault */
};

struct outlet {
	EVP_MD_CTX *digest;
	EVP_MD_CTX *copy;            /* a copy of `digest`; finishing the copy gives one
				      * signature's hash, and `digest` takes further octets */
	struct eds_body_hash **open; /* hashes not finished yet, sorted by limit */
	size_t open_count;
	uint64_t total; /* octets of the canonicalized body so far, hashed or not */
	size_t used;
	char bytes[OUTLET_BYTES];
};

static void end_first(struct outlet *out)
{
	EVP_MD_CTX_copy_ex(out->copy, out->digest);
	EVP_DigestFinal_ex(out->copy, (*out->open)->sha256, NULL);
	out->open++;
	out->open_count--;
}

/* Hashes the collected octets. Each signature's hash ends at its limit (l=); octets beyond the
 * largest limit are only counted. */
static void flush(struct outlet *out)
{
	const char *at = out->bytes;

	while (out->open_count > 0 && (*out->open)->limit - out->total <= out->used) {
		size_t counts = (size_t)((*out->open)->limit - out->total);

		EVP_DigestUpdate(out->digest, at, counts);
		at += counts;
		out->total += counts;
		out->used -= counts;
		end_first(out);
	}
	if (out->open_count > 0)
		EVP_DigestUpdate(out->digest, at, out->used);
	out->total += out->used;
	out->used = 0;
}

static void put_bytes(struct outlet *out, const char *bytes, size_t length)
{
	while (length > 0) {
		size_t room = OUTLET_BYTES - out->used;
		size_t size = length < room ? length : room;

		memcpy(out->bytes + out->used, bytes, size);
		out->used += size;
		bytes += size;
		length -= size;
		if (out->used == OUTLET_BYTES)
			flush(out);
	}
}

/* Reduces each run of white space to one space (RFC 6376 section 3.4.4). The caller has already
 * removed the white space at the end of the line. */
static void put_relaxed(struct outlet *out, const char *line, size_t length)
{
	const char *end = line + length;

	while (line < end) {
		char *to = out->bytes + out->used;
		const char *stop = out->bytes + OUTLET_BYTES;

		for (; line < end && to < stop; line++) {
			if (!rt_is_wsp(*line))
				*to++ = *line;
			else if (!rt_is_wsp(line[1]))
				*to++ = ' ';
		}
		out->used = (size_t)(to - out->bytes);
		if (to == stop)
			flush(out);
	}
}

static void put_lines(struct outlet *out, size_t count)
{
	while (count-- > 0)
		put_bytes(out, "\r\n", 2);
}

static void hash_lines(struct outlet *out, const char *body, size_t length, bool relaxed)
{
	const char *end = body + length;
	size_t empty = 0; /* empty lines in a row; hashed only if a line with text follows */

	while (body < end) {
		const char *stop = memchr(body, '\n', (size_t)(end - body));
		size_t size = (size_t)((stop ? stop : end) - body);
		const char *next = stop ? stop + 1 : end;

		if (stop && size > 0 && body[size - 1] == '\r')
			size--;
		while (relaxed && size > 0 && rt_is_wsp(body[size - 1]))
			size--;
		if (size == 0) {
			empty++;
		} else {
			put_lines(out, empty);
			empty = 0;
			if (relaxed)
				put_relaxed(out, body, size);
			else
				put_bytes(out, body, size);
			put_lines(out, 1);
		}
		body = next;
	}
}

static void sort(struct eds_body_hash **hashes, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct eds_body_hash *one = hashes[i];
		size_t to = i;

		for (; to > 0 && hashes[to - 1]->limit > one->limit; to--)
			hashes[to] = hashes[to - 1];
		hashes[to] = one;
	}
}

void eds_body_hash(
	const char *body, size_t length, bool relaxed, struct eds_body_hash **hashes, size_t count)
{
	struct outlet out;

	sort(hashes, count);
	out.digest = EVP_MD_CTX_new();
	out.copy = EVP_MD_CTX_new();
	out.open = hashes;
	out.open_count = count;
	out.total = out.used = 0;
	EVP_DigestInit_ex(out.digest, EVP_sha256(), NULL);
	hash_lines(&out, body, length, relaxed);
	if (!relaxed && out.total + out.used == 0) /* simple canonicalization makes an empty body
						    * one CRLF (section 3.4.3) */
		put_lines(&out, 1);
	flush(&out);
	while (out.open_count > 0)
		end_first(&out);
	EVP_MD_CTX_free(out.digest);
	EVP_MD_CTX_free(out.copy);
	for (size_t i = 0; i < count; i++)
		hashes[i]->length = out.total;
}
