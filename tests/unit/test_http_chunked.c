#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/host/http/http-chunked.h"

enum {
	BYTES_MAX = 512 * 1024,
};

static char bytes[BYTES_MAX];
static size_t length;
static struct http_chunked chunked;

/* Feeds the text in pieces of this many bytes. */
static enum http_result feed(const char *text, size_t text_length, size_t piece)
{
	enum http_result result = HTTP_MORE;

	http_chunked_init(&chunked, HTTP_BODY_BYTES_MAX);
	length = 0;
	for (size_t i = 0; i < text_length && result == HTTP_MORE; i += piece) {
		size_t take = piece < text_length - i ? piece : text_length - i;

		memcpy(bytes + length, text + i, take);
		length += take;
		result = http_chunked_decode(&chunked, bytes, &length);
	}
	return result;
}

static void assert_decodes(const char *text, size_t piece, const char *body)
{
	assert_int_equal(feed(text, strlen(text), piece), HTTP_READY);
	assert_int_equal(chunked.decoded, strlen(body));
	assert_memory_equal(bytes, body, strlen(body));
}

static void a_body_is_assembled_however_it_arrives(void **state)
{
	static const char text[] = "5\r\nhello\r\n00A;name=value\r\n0123456789\r\n1\r\n\n\r\n"
				   "0\r\nTrailer: x\r\nOther: y\r\n\r\n";

	(void)state;
	for (size_t piece = 1; piece <= sizeof text; piece++)
		assert_decodes(text, piece, "hello0123456789\n");
	assert_int_equal(length, chunked.decoded);
}

/* The syntax of extensions is that of RFC 9112 section 7.1.1, with white space and quoted
 * strings. */
static void chunk_extensions_are_skipped(void **state)
{
	static const char *const sizes[] = {"2;a", "2;a=b", "2 ;a=b", "2\t;\ta \t=\t b",
		"2;a;b=c;d", "2;a=\"\"", "2;a=\"b;\\\"\t c\xc3\xa4\" ;d",
		"00000002;!#$%&'*+-.^_`|~=0"};
	char text[100];

	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		snprintf(text, sizeof text, "%s\r\nab\r\n0;x\r\n\r\n", sizes[i]);
		if (feed(text, strlen(text), 7) != HTTP_READY)
			fail_msg("%s is refused: %s", sizes[i], chunked.refusal.detail);
		assert_int_equal(chunked.decoded, 2);
	}
}

static void an_empty_chunked_body_is_complete(void **state)
{
	(void)state;
	assert_decodes("0\r\n\r\n", 100, "");
}

static void octets_after_the_body_are_kept_for_the_next_request(void **state)
{
	static const char text[] = "3\r\nabc\r\n0\r\n\r\nGET / HTTP/1.1";

	(void)state;
	assert_decodes(text, sizeof text, "abc");
	assert_int_equal(length, 3 + 14);
	assert_memory_equal(bytes + 3, "GET / HTTP/1.1", 14);
}

static void malformed_chunks_are_refused(void **state)
{
	static const char *const bodies[] = {"0x5\r\nhello\r\n", "+5\r\nhello\r\n",
		"-5\r\nhello\r\n", " 5\r\nhello\r\n", "5 \r\nhello\r\n", "\r\nhello\r\n", ";x\r\n",
		"5g\r\nhello\r\n", "000000005\r\nhello\r\n", "5\nhello\r\n", "\n", "2;\r\nab\r\n",
		"2;;\r\nab\r\n", "2; \r\nab\r\n", "2;a \r\nab\r\n", "2;a;\r\nab\r\n",
		"2;a=\r\nab\r\n", "2;=b\r\nab\r\n", "2;a b\r\nab\r\n", "2;a=b c\r\nab\r\n",
		"2;\"a\"\r\nab\r\n", "2;a=\"b\r\nab\r\n", "2;a=\"b\\\"\r\nab\r\n",
		"2;a=\"b\"c\r\nab\r\n", "2a=b\r\nab\r\n", "2 a\r\nab\r\n", "0\r\nX : y\r\n\r\n",
		"0\r\nX: y\r\n z\r\n\r\n", "0\r\n z: y\r\n\r\n", "0\r\nGET / HTTP/1.1\r\n\r\n",
		"0\r\nGET /a:b HTTP/1.1\r\n\r\n", "0\r\n: y\r\n\r\n", "0\r\nX\r\n\r\n",
		"0\r\nX: \001\r\n\r\n", "5\r\nhelloX\r\n", "5\r\nhello\n", "5\r\nhello\rX",
		"0\r\nTrailer: x\n\r\n", "0\r\n\n", "5;\001\r\nhello\r\n", "5;a\rb\r\nhello\r\n"};

	(void)state;
	for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++)
		for (size_t piece = 1; piece < 20; piece += 9) {
			if (feed(bodies[i], strlen(bodies[i]), piece) != HTTP_REFUSED)
				fail_msg("not refused: %s", bodies[i]);
			assert_int_equal(chunked.refusal.status, 400);
		}
}

static void a_body_has_sixty_four_kibibytes_at_most(void **state)
{
	static char text[HTTP_BODY_BYTES_MAX + 64];
	size_t start = (size_t)snprintf(text, sizeof text, "10000\r\n");

	(void)state;
	memset(text + start, 'x', HTTP_BODY_BYTES_MAX);
	memcpy(text + start + HTTP_BODY_BYTES_MAX, "\r\n0\r\n\r\n", 7);
	assert_int_equal(feed(text, start + 65536 + 7, 1000), HTTP_READY);
	assert_int_equal(chunked.decoded, 65536);

	memcpy(text + start + HTTP_BODY_BYTES_MAX, "\r\n1\r\n", 5);
	assert_int_equal(feed(text, start + 65536 + 5, 1000), HTTP_REFUSED);
	assert_int_equal(chunked.refusal.status, 413);

	assert_int_equal(feed("ffffffff\r\n", 10, 10), HTTP_REFUSED);
	assert_int_equal(chunked.refusal.status, 413);
}

static void extensions_and_trailers_have_a_limit(void **state)
{
	static char text[HTTP_CHUNK_LINE_MAX * 2];
	size_t used;

	(void)state;
	memset(text, 'x', sizeof text);
	memcpy(text, "1;", 2);
	assert_int_equal(feed(text, sizeof text, 100), HTTP_REFUSED);

	used = (size_t)snprintf(text, sizeof text, "0\r\n");
	for (int i = 0; i <= HTTP_CHUNK_TRAILERS_MAX; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, "A: b\r\n");
	assert_int_equal(feed(text, used, 10), HTTP_REFUSED);
	assert_int_equal(chunked.refusal.status, 431);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_body_is_assembled_however_it_arrives),
		cmocka_unit_test(chunk_extensions_are_skipped),
		cmocka_unit_test(an_empty_chunked_body_is_complete),
		cmocka_unit_test(octets_after_the_body_are_kept_for_the_next_request),
		cmocka_unit_test(malformed_chunks_are_refused),
		cmocka_unit_test(a_body_has_sixty_four_kibibytes_at_most),
		cmocka_unit_test(extensions_and_trailers_have_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
