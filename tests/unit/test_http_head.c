#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/host/http/http-head.h"

/* The octets of a string literal, NULs inside it included, and their number. */
#define BYTES(text) text, sizeof(text) - 1

static struct http_head head;

/* Copies the bytes, because the parser also changes them. */
static enum http_result parse_bytes(const char *bytes, size_t length)
{
	static char copy[HTTP_HEAD_BYTES_MAX * 2];

	memcpy(copy, bytes, length);
	return http_head_parse(copy, length, &head);
}

static enum http_result parse(const char *text)
{
	return parse_bytes(text, strlen(text));
}

static void assert_span(const struct http_span *span, const char *text)
{
	assert_int_equal(span->length, strlen(text));
	assert_memory_equal(span->text, text, span->length);
}

static void a_request_is_split_into_its_parts(void **state)
{
	static const char text[] =
		"POST /a/b%20c?x=1&y=? HTTP/1.1\r\nHost: example.com:8080\r\n"
		"X-Empty:\r\nX-Padded: \t a b \t \r\nContent-Length: 5\r\n\r\nhello";

	(void)state;
	assert_int_equal(parse(text), HTTP_READY);
	assert_string_equal(head.method, "POST");
	assert_span(&head.path, "/a/b%20c");
	assert_span(&head.query, "x=1&y=?");
	assert_span(&head.host, "example.com:8080");
	assert_int_equal(head.field_count, 4);
	assert_span(&head.fields[1].name, "X-Empty");
	assert_span(&head.fields[1].value, "");
	assert_span(&head.fields[2].value, "a b");
	assert_int_equal(head.minor, 1);
	assert_int_equal(head.content_length, 5);
	assert_false(head.chunked);
	assert_true(head.keep_alive);
	assert_false(head.expects_continue);
	assert_int_equal(head.head_length, sizeof text - 1 - 5);
}

static void a_head_is_awaited_to_its_last_byte(void **state)
{
	static const char text[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

	(void)state;
	for (size_t length = 0; length < sizeof text - 1; length++)
		assert_int_equal(parse_bytes(text, length), HTTP_MORE);
	assert_int_equal(parse_bytes(text, sizeof text - 1), HTTP_READY);
}

static void connections_are_kept_as_the_version_and_client_say(void **state)
{
	static const struct {
		const char *text;
		bool kept;
	} cases[] = {
		{"GET / HTTP/1.1\r\nHost: a\r\n\r\n", true},
		{"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", false},
		{"GET / HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n", false},
		{"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\t\r\n\r\n", false},
		{"GET / HTTP/1.1\r\nHost: a\r\nConnection:\tclose \t \r\n\r\n", false},
		{"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\t,\tx\r\n\r\n", false},
		{"GET / HTTP/1.1\r\nHost: a\r\nConnection: x\r\nConnection: close\r\n\r\n", false},
		{"GET / HTTP/1.1\r\nHost: a\r\nConnection: closed, clos\r\n\r\n", true},
		{"GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n", false},
		{"GET / HTTP/1.0\r\nConnection: keep-alive\t\r\n\r\n", true},
		{"GET / HTTP/1.0\r\n\r\n", false},
		{"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_int_equal(parse(cases[i].text), HTTP_READY);
		assert_int_equal(head.keep_alive, cases[i].kept);
	}
}

static void expectations_and_transfer_codings_are_noticed(void **state)
{
	(void)state;
	assert_int_equal(parse("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\n"
			       "Transfer-Encoding: Chunked\r\n\r\n"),
		HTTP_READY);
	assert_true(head.expects_continue);
	assert_true(head.chunked);
	assert_int_equal(head.content_length, 0);
}

static const struct {
	const char *bytes;
	size_t length;
	int status;
	const char *code;
} refused[] = {
	{BYTES("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"), 400, "host-repeated"},
	{BYTES("GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n"), 400, "host-repeated"},
	{BYTES("GET / HTTP/1.1\r\n\r\n"), 400, "host-missing"},
	{BYTES("GET / HTTP/1.1\r\nHost:\r\n\r\n"), 400, "host-invalid"},
	{BYTES("GET / HTTP/1.1\r\nHost: :80\r\n\r\n"), 400, "host-invalid"},
	{BYTES("GET / HTTP/1.1\r\nHost: a b\r\n\r\n"), 400, "host-invalid"},
	{BYTES("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"), 400, "host-invalid"},
	{BYTES("GET / HTTP/1.1\r\nHost: u@a\r\n\r\n"), 400, "host-invalid"},
	{BYTES("GET / HTTP/1.1\r\nHost: a:b\r\n\r\n"), 400, "host-invalid"},
	{BYTES("GET / HTTP/1.1\r\nHost: a:1:2\r\n\r\n"), 400, "host-invalid"},
	{BYTES("GET / HTTP/1.1\r\nHost: a:-1\r\n\r\n"), 400, "host-invalid"},
	{BYTES("GET / HTTP/1.1\r\nHost: a:65536\r\n\r\n"), 400, "host-invalid"},
	{BYTES("GET / HTTP/1.1\r\nHost: ::1\r\n\r\n"), 400, "host-invalid"},
	{BYTES("GET / HTTP/1.1\r\nHost: [zz]\r\n\r\n"), 400, "host-invalid"},
	{BYTES("GET / HTTP/1.1\r\nHost: [::1\r\n\r\n"), 400, "host-invalid"},
	{BYTES("GET / HTTP/1.1\r\nHost: [::1]80\r\n\r\n"), 400, "host-invalid"},
	{BYTES("GET / HTTP/1.1\r\nHost: [::1]:\200\r\n\r\n"), 400, "host-invalid"},
	{BYTES("GET / HTTP/1.1\r\nHost: [127.0.0.1]\r\n\r\n"), 400, "host-invalid"},
	{BYTES("GET / HTTP/1.1\r\nHost: []\r\n\r\n"), 400, "host-invalid"},
	{BYTES("GET / HTTP/1.1\r\nHost: a]\r\n\r\n"), 400, "host-invalid"},
	{BYTES("GET / HTTP/1.1\r\nHost: a[::1]\r\n\r\n"), 400, "host-invalid"},
	{BYTES("GET / HTTP/1.1\r\nHost: a, b\r\n\r\n"), 400, "host-invalid"},
	{BYTES("GET / HTTP/1.1\r\nHost : a\r\n\r\n"), 400, NULL},
	{BYTES("GET / HTTP/1.1\r\nHost: a\r\nX y: b\r\n\r\n"), 400, NULL},
	{BYTES("GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n"), 400, NULL},
	{BYTES("GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n"), 400, NULL},
	{BYTES("GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n"), 400, "field-folded"},
	{BYTES("GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n\tc\r\n\r\n"), 400, "field-folded"},
	{BYTES("GET / HTTP/1.1\r\n Host: a\r\n\r\n"), 400, "field-folded"},
	{BYTES("GET / HTTP/1.1\nHost: a\r\n\r\n"), 400, "line-end-invalid"},
	{BYTES("GET / HTTP/1.1\r\nHost: a\n\r\n"), 400, "line-end-invalid"},
	{BYTES("GET / HTTP/1.1\r\nHost: a\r\n\n"), 400, "line-end-invalid"},
	{BYTES("\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"), 400, "line-end-invalid"},
	{BYTES("GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n"), 400, "control-character"},
	{BYTES("GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n"), 400, "control-character"},
	{BYTES("GET / HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n"), 400, "control-character"},
	{BYTES("GET / HTTP/1.1\r\nHost: a\r\nX: a\r\r\n\r\n"), 400, "control-character"},
	{BYTES("GET / HTTP/1.1\r\nHost: a\r\nX: a\001b\r\n\r\n"), 400, "control-character"},
	{BYTES("GET / HTTP/1.1\r\nHost: a\r\nX: \001b\r\n\r\n"), 400, "control-character"},
	{BYTES("GET / HTTP/1.1\r\nHost: a\r\nX:\037\r\n\r\n"), 400, "control-character"},
	{BYTES("GET / HTTP/1.1\r\nHost: a\r\nX: abcdefghijkl\177\r\n\r\n"), 400,
		"control-character"},
	{BYTES("GET / HTTP/1.1\t\r\nHost: a\r\n\r\n"), 505, NULL},
	{BYTES("GET / HTTP/9.9\r\nHost: a\r\n\r\n"), 505, "version-unsupported"},
	{BYTES("GET / HTTP/1.2\r\nHost: a\r\n\r\n"), 505, "version-unsupported"},
	{BYTES("GET / HTTP/2.0\r\nHost: a\r\n\r\n"), 505, "version-unsupported"},
	{BYTES("GET / HTTP/0.9\r\nHost: a\r\n\r\n"), 505, "version-unsupported"},
	{BYTES("GET /\r\n\r\n"), 505, "version-unsupported"},
	{BYTES("GET / HTTP/1.10\r\nHost: a\r\n\r\n"), 505, NULL},
	{BYTES("GET / http/1.1\r\nHost: a\r\n\r\n"), 400, NULL},
	{BYTES("GET / HTTP/1.1 \r\nHost: a\r\n\r\n"), 505, NULL},
	{BYTES("GET  / HTTP/1.1\r\nHost: a\r\n\r\n"), 400, NULL},
	{BYTES("GET /  HTTP/1.1\r\nHost: a\r\n\r\n"), 400, NULL},
	{BYTES("GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"), 400, NULL},
	{BYTES("GET /#f HTTP/1.1\r\nHost: a\r\n\r\n"), 400, "target-invalid"},
	{BYTES("GET /\xc3\xa4 HTTP/1.1\r\nHost: a\r\n\r\n"), 400, NULL},
	{BYTES("GET http://a/ HTTP/1.1\r\n\r\n"), 400, "host-missing"},
	{BYTES("GET http://a/ HTTP/1.1\r\nHost: a:b\r\n\r\n"), 400, "host-invalid"},
	{BYTES("GET http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n"), 400, "target-invalid"},
	{BYTES("GET http://a:99999/ HTTP/1.1\r\nHost: a\r\n\r\n"), 400, "target-invalid"},
	{BYTES("GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n"), 400, "target-invalid"},
	{BYTES("GET http:/// HTTP/1.1\r\nHost: a\r\n\r\n"), 400, NULL},
	{BYTES("GET http:/a HTTP/1.1\r\nHost: a\r\n\r\n"), 400, NULL},
	{BYTES("GET http://a/#f HTTP/1.1\r\nHost: a\r\n\r\n"), 400, "target-invalid"},
	{BYTES("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"), 400, "target-invalid"},
	{BYTES("CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n"), 400, NULL},
	{BYTES("FETCH / HTTP/1.1\r\nHost: a\r\n\r\n"), 501, "method-unknown"},
	{BYTES("\x16\x03\x01\x02\r\n\r\n"), 400, "control-character"},
	{BYTES("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n"), 400,
		"content-length-invalid"},
	{BYTES("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"), 400,
		"content-length-invalid"},
	{BYTES("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\n"), 400,
		"content-length-invalid"},
	{BYTES("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n"), 400,
		"content-length-invalid"},
	{BYTES("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n"), 400,
		"content-length-invalid"},
	{BYTES("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x1\r\n\r\n"), 400,
		"content-length-invalid"},
	{BYTES("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1 2\r\n\r\n"), 400,
		"content-length-invalid"},
	{BYTES("POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n"), 400,
		"content-length-invalid"},
	{BYTES("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n"), 400,
		"content-length-invalid"},
	{BYTES("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10485761\r\n\r\n"), 413,
		"body-too-large"},
	{BYTES("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n"
	       "Transfer-Encoding: chunked\r\n\r\n"),
		400, NULL},
	{BYTES("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"
	       "Content-Length: 0\r\n\r\n"),
		400, NULL},
	{BYTES("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n"), 400,
		"transfer-encoding-invalid"},
	{BYTES("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"), 501,
		"transfer-coding-unknown"},
	{BYTES("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: deflate;q=1\t,\tchunked\t\r\n\r\n"),
		501, "transfer-coding-unknown"},
	{BYTES("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: deflate\r\n"
	       "Transfer-Encoding: chunked\r\n\r\n"),
		501, "transfer-coding-unknown"},
	{BYTES("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, gzip\r\n\r\n"), 400,
		"transfer-encoding-invalid"},
	{BYTES("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked;a=b\r\n\r\n"), 400,
		"transfer-encoding-invalid"},
	{BYTES("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \"x\", chunked\r\n\r\n"), 400,
		"transfer-encoding-invalid"},
	{BYTES("POST / HTTP/1.0\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"), 400,
		"transfer-encoding-invalid"},
	{BYTES("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, chunked\r\n\r\n"), 400,
		"transfer-encoding-invalid"},
	{BYTES("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"
	       "Transfer-Encoding: chunked\r\n\r\n"),
		400, "transfer-encoding-invalid"},
	{BYTES("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \vchunked\r\n\r\n"), 400, NULL},
	{BYTES("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n"), 400,
		"transfer-encoding-invalid"},
	{BYTES("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400,
		"transfer-encoding-invalid"},
	{BYTES("POST / HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\n\r\n"), 417,
		"expectation-failed"},
};

static void requests_that_another_server_may_read_differently_are_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
		enum http_result result = parse_bytes(refused[i].bytes, refused[i].length);

		if (result != HTTP_REFUSED)
			fail_msg("not refused: %s", refused[i].bytes);
		if (head.refusal.status != refused[i].status)
			fail_msg("%s: %d %s", refused[i].bytes, head.refusal.status,
				head.refusal.code);
		if (refused[i].code != NULL)
			assert_string_equal(head.refusal.code, refused[i].code);
		assert_non_null(head.refusal.detail);
	}
}

static void a_bare_line_feed_is_refused_before_the_head_is_whole(void **state)
{
	(void)state;
	assert_int_equal(parse("GET / HTTP/1.1\n"), HTTP_REFUSED);
}

/* A head with a field that fills it to this many bytes. */
static enum http_result parse_filled(size_t length)
{
	static char text[HTTP_HEAD_BYTES_MAX * 2];
	size_t start = (size_t)snprintf(text, sizeof text, "GET / HTTP/1.1\r\nHost: a\r\nX: ");

	memset(text + start, 'x', length - start);
	memcpy(text + length - 4, "\r\n\r\n", 4);
	return parse_bytes(text, length);
}

static void a_head_has_sixteen_kibibytes_at_most(void **state)
{
	(void)state;
	assert_int_equal(parse_filled(16384), HTTP_READY);
	assert_int_equal(parse_filled(16384 + 1), HTTP_REFUSED);
	assert_int_equal(head.refusal.status, 431);
}

static enum http_result parse_fields(int count)
{
	static char text[HTTP_HEAD_BYTES_MAX];
	size_t length = (size_t)snprintf(text, sizeof text, "GET / HTTP/1.1\r\nHost: a\r\n");

	for (int i = 1; i < count; i++)
		length += (size_t)snprintf(text + length, sizeof text - length, "X%d: 1\r\n", i);
	snprintf(text + length, sizeof text - length, "\r\n");
	return parse(text);
}

static void a_head_has_a_hundred_fields_at_most(void **state)
{
	(void)state;
	assert_int_equal(parse_fields(100), HTTP_READY);
	assert_int_equal(head.field_count, 100);
	assert_int_equal(parse_fields(100 + 1), HTTP_REFUSED);
	assert_int_equal(head.refusal.status, 431);
}

static void the_largest_body_is_taken(void **state)
{
	(void)state;
	assert_int_equal(parse("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10485760\r\n\r\n"),
		HTTP_READY);
	assert_int_equal(head.content_length, 10485760);
}

static void white_space_after_a_value_may_be_tabs(void **state)
{
	(void)state;
	assert_int_equal(parse("POST / HTTP/1.1\r\nHost: a \t\r\nContent-Length: 5\t\r\n"
			       "X:\t\r\nY: a\tb\t \t\r\n\r\n"),
		HTTP_READY);
	assert_int_equal(head.content_length, 5);
	assert_span(&head.host, "a");
	assert_span(&head.fields[2].value, "");
	assert_span(&head.fields[3].value, "a\tb");
	assert_int_equal(
		parse("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\tchunked\t\r\n\r\n"),
		HTTP_READY);
	assert_true(head.chunked);
}

/* The absolute form of a request target, RFC 9112 section 3.2.2. */
static void a_target_with_a_host_is_read_as_path_and_host(void **state)
{
	static const struct {
		const char *target;
		const char *host;
		const char *path;
		const char *query;
	} cases[] = {
		{"http://b.example/x?y=/z", "b.example", "/x", "y=/z"},
		{"HTTPS://[::1]:80/", "[::1]:80", "/", ""},
		{"http://b", "b", "/", ""},
		{"http://b:80?q", "b:80", "/", "q"},
	};
	char text[200];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nX: 1\r\nHost: a\r\n\r\n",
			cases[i].target);
		if (parse(text) != HTTP_READY)
			fail_msg("%s: %s", cases[i].target, head.refusal.code);
		assert_span(&head.host, cases[i].host);
		assert_span(&head.path, cases[i].path);
		assert_span(&head.query, cases[i].query);
		assert_span(&head.fields[1].value, cases[i].host);
	}
	assert_int_equal(parse("GET http://b/ HTTP/1.0\r\n\r\n"), HTTP_READY);
	assert_span(&head.host, "b");
}

static void a_host_may_be_an_address(void **state)
{
	(void)state;
	assert_int_equal(parse("GET / HTTP/1.1\r\nHost: a_b-c.example:\r\n\r\n"), HTTP_READY);
	assert_int_equal(parse("GET / HTTP/1.1\r\nHost: a:65535\r\n\r\n"), HTTP_READY);
	assert_int_equal(parse("GET / HTTP/1.1\r\nHost: 0az.AZ9:09\r\n\r\n"), HTTP_READY);
	assert_int_equal(parse("GET / HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n"), HTTP_READY);
	assert_span(&head.host, "[::1]:8080");
	assert_int_equal(parse("GET / HTTP/1.1\r\nHost: 192.0.2.1\r\n\r\n"), HTTP_READY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_is_split_into_its_parts),
		cmocka_unit_test(a_head_is_awaited_to_its_last_byte),
		cmocka_unit_test(connections_are_kept_as_the_version_and_client_say),
		cmocka_unit_test(expectations_and_transfer_codings_are_noticed),
		cmocka_unit_test(requests_that_another_server_may_read_differently_are_refused),
		cmocka_unit_test(a_bare_line_feed_is_refused_before_the_head_is_whole),
		cmocka_unit_test(a_head_has_sixteen_kibibytes_at_most),
		cmocka_unit_test(a_head_has_a_hundred_fields_at_most),
		cmocka_unit_test(the_largest_body_is_taken),
		cmocka_unit_test(white_space_after_a_value_may_be_tabs),
		cmocka_unit_test(a_target_with_a_host_is_read_as_path_and_host),
		cmocka_unit_test(a_host_may_be_an_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
