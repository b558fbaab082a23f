#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "runtime/host/gateway/event-http.h"

static const char manifest_text[] =
	"{\"functions\":{\"f\":{\"http\":[\"GET /plain\",\"POST /d/{id}/s/{name}\"],"
	"\"timeoutMs\":1}}}";

static struct manifest *manifest;
static struct rt_buffer out;

static int set_up(void **state)
{
	char error[MANIFEST_ERROR_MAX];

	(void)state;
	manifest = manifest_parse(manifest_text, sizeof manifest_text - 1, "/", error);
	rt_buffer_init_heap(&out, EVENT_HTTP_BYTES_MAX);
	return manifest == NULL;
}

static int tear_down(void **state)
{
	(void)state;
	manifest_free(manifest);
	rt_buffer_done(&out);
	return 0;
}

static bool write_event(const char *request, const char *body, size_t body_length)
{
	static struct http_head head;
	static struct route_match match;
	static char bytes[HTTP_HEAD_BYTES_MAX];
	struct event_http event = {.head = &head,
		.match = &match,
		.body = body,
		.body_length = body_length,
		.peer = "192.0.2.7",
		.request_id = "01890a5d-ac96-774b-bcce-b302099a8057",
		.now_ms = 1795175552936};

	snprintf(bytes, sizeof bytes, "%s", request);
	assert_int_equal(http_head_parse(bytes, strlen(bytes), &head), HTTP_READY);
	assert_int_equal(
		route_find(manifest, false, head.method, head.path.text, head.path.length, &match),
		ROUTE_FOUND);
	rt_buffer_clear(&out);
	return event_http_write(&out, &event);
}

/* Parses the event strictly: duplicate members and invalid UTF-8 are errors. */
static json_t *event_of(const char *request, const char *body, size_t body_length)
{
	json_t *event;

	assert_true(write_event(request, body, body_length));
	assert_null(memchr(out.bytes, '\n', out.length));
	event = json_loadb(out.bytes, out.length, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(event);
	return event;
}

/* The value at the path "a/b/c"; array elements by number. */
static json_t *at(json_t *value, const char *path)
{
	char copy[128];
	char *rest = copy;
	char *name;

	snprintf(copy, sizeof copy, "%s", path);
	while ((name = strsep(&rest, "/")) != NULL)
		value = json_is_array(value) ? json_array_get(value, (size_t)(name[0] - '0'))
					     : json_object_get(value, name);
	return value;
}

static void assert_text(json_t *event, const char *path, const char *expected)
{
	const char *found = json_string_value(at(event, path));

	if (found == NULL || strcmp(found, expected) != 0)
		fail_msg("%s is \"%s\", not \"%s\"", path, found == NULL ? "(none)" : found,
			expected);
}

static const char full[] = "POST /d/a%20b/s/%C3%A4?x=1&y=a+b%2C&x=2&flag&z= HTTP/1.1\r\n"
			   "Host: api.example.com:8080\r\nUser-Agent: Test/1\r\n"
			   "X-Twice: one\r\nCookie: a=1; b=2\r\nx-twice: two\r\nCookie: c=3\r\n"
			   "Content-Type: application/json\r\nContent-Length: 8\r\n\r\n";

static void every_field_of_the_payload_is_written(void **state)
{
	static const struct {
		const char *path;
		const char *value;
	} fields[] = {
		{"version", "2.0"},
		{"routeKey", "POST /d/{id}/s/{name}"},
		{"rawPath", "/d/a%20b/s/%C3%A4"},
		{"rawQueryString", "x=1&y=a+b%2C&x=2&flag&z="},
		{"cookies/0", "a=1"},
		{"cookies/1", "b=2"},
		{"cookies/2", "c=3"},
		{"headers/host", "api.example.com:8080"},
		{"headers/user-agent", "Test/1"},
		{"headers/x-twice", "one,two"},
		{"headers/content-type", "application/json"},
		{"headers/content-length", "8"},
		{"queryStringParameters/x", "1,2"},
		{"queryStringParameters/y", "a b,"},
		{"queryStringParameters/flag", ""},
		{"queryStringParameters/z", ""},
		{"pathParameters/id", "a b"},
		{"pathParameters/name", "\xc3\xa4"},
		{"body", "{\"a\":\"\n\"}"},
		{"requestContext/accountId", "000000000000"},
		{"requestContext/apiId", "local"},
		{"requestContext/domainName", "api.example.com"},
		{"requestContext/domainPrefix", "api"},
		{"requestContext/requestId", "01890a5d-ac96-774b-bcce-b302099a8057"},
		{"requestContext/routeKey", "POST /d/{id}/s/{name}"},
		{"requestContext/stage", "$default"},
		{"requestContext/time", "20/Nov/2026:11:52:32 +0000"},
		{"requestContext/http/method", "POST"},
		{"requestContext/http/path", "/d/a%20b/s/%C3%A4"},
		{"requestContext/http/protocol", "HTTP/1.1"},
		{"requestContext/http/sourceIp", "192.0.2.7"},
		{"requestContext/http/userAgent", "Test/1"},
	};
	json_t *event = event_of(full, "{\"a\":\"\n\"}", 9);

	(void)state;
	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
		assert_text(event, fields[i].path, fields[i].value);
	assert_int_equal(json_integer_value(at(event, "requestContext/timeEpoch")), 1795175552936);
	assert_true(json_is_false(at(event, "isBase64Encoded")));
	assert_int_equal(json_array_size(at(event, "cookies")), 3);
	assert_null(at(event, "headers/cookie"));
	json_decref(event);
}

static void members_without_content_are_left_out(void **state)
{
	json_t *event = event_of("GET /plain HTTP/1.1\r\nHost: localhost\r\n\r\n", NULL, 0);

	(void)state;
	assert_text(event, "rawQueryString", "");
	assert_null(at(event, "cookies"));
	assert_null(at(event, "queryStringParameters"));
	assert_null(at(event, "pathParameters"));
	assert_null(at(event, "stageVariables"));
	assert_null(at(event, "body"));
	assert_text(event, "requestContext/domainPrefix", "localhost");
	assert_text(event, "requestContext/http/userAgent", "");
	json_decref(event);
}

static void fields_of_the_connection_are_left_out(void **state)
{
	json_t *event = event_of("POST /d/1/s/2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
				 "Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n",
		"x", 1);

	(void)state;
	assert_int_equal(json_object_size(at(event, "headers")), 1);
	json_decref(event);
}

static void a_binary_body_is_sent_as_base64(void **state)
{
	static const struct {
		const char *body;
		size_t length;
		const char *base64;
	} bodies[] = {
		{"\xff", 1, "/w=="},
		{"a\0b", 3, "YQBi"},
		{"\xc3\xa4\xc3", 3, "w6TD"},
		{"\xed\xa0\x80", 3, "7aCA"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
		json_t *event = event_of("POST /d/1/s/2 HTTP/1.1\r\nHost: a\r\n\r\n",
			bodies[i].body, bodies[i].length);

		assert_text(event, "body", bodies[i].base64);
		assert_true(json_is_true(at(event, "isBase64Encoded")));
		json_decref(event);
	}
}

static void bytes_that_are_not_utf8_become_replacement_characters(void **state)
{
	json_t *event = event_of("GET /plain?q=%ff%00&r=%zz HTTP/1.1\r\nHost: a\r\n"
				 "X-Odd: a\xff\"\\\x80z\r\n\r\n",
		NULL, 0);

	(void)state;
	assert_text(event, "headers/x-odd", "a\xef\xbf\xbd\"\\\xef\xbf\xbdz");
	assert_text(event, "queryStringParameters/q", "\xef\xbf\xbd\xef\xbf\xbd");
	assert_text(event, "queryStringParameters/r", "%zz");
	json_decref(event);
}

static void query_names_that_are_not_utf8_are_refused(void **state)
{
	(void)state;
	assert_false(write_event("GET /plain?%ff=1 HTTP/1.1\r\nHost: a\r\n\r\n", NULL, 0));
	assert_false(write_event("GET /plain?a%00=1 HTTP/1.1\r\nHost: a\r\n\r\n", NULL, 0));
}

static void empty_query_parts_are_ignored(void **state)
{
	json_t *event = event_of("GET /plain?&&a=1&& HTTP/1.1\r\nHost: a\r\n\r\n", NULL, 0);

	(void)state;
	assert_int_equal(json_object_size(at(event, "queryStringParameters")), 1);
	json_decref(event);
	event = event_of("GET /plain?& HTTP/1.1\r\nHost: a\r\n\r\n", NULL, 0);
	assert_null(at(event, "queryStringParameters"));
	json_decref(event);
}

static void empty_cookies_are_none_and_one_octet_is_one(void **state)
{
	json_t *event = event_of(
		"GET /plain HTTP/1.1\r\nHost: a\r\nCookie: ;; a=1; ; b;\r\n\r\n", NULL, 0);

	(void)state;
	assert_int_equal(json_array_size(at(event, "cookies")), 2);
	assert_text(event, "cookies/0", "a=1");
	assert_text(event, "cookies/1", "b");
	json_decref(event);
	event = event_of("GET /plain HTTP/1.1\r\nHost: a\r\nCookie: ; ;\r\n\r\n", NULL, 0);
	assert_null(at(event, "cookies"));
	json_decref(event);
}

static bool write_query_of(int count)
{
	static char request[HTTP_HEAD_BYTES_MAX];
	size_t length = (size_t)snprintf(request, sizeof request, "GET /plain?");

	for (int i = 0; i < count; i++)
		length += (size_t)snprintf(request + length, sizeof request - length, "p%d=1&", i);
	snprintf(request + length, sizeof request - length, " HTTP/1.1\r\nHost: a\r\n\r\n");
	return write_event(request, NULL, 0);
}

static void the_number_of_query_parameters_is_bounded(void **state)
{
	(void)state;
	assert_true(write_query_of(EVENT_QUERY_PARAMS_MAX));
	assert_false(write_query_of(EVENT_QUERY_PARAMS_MAX + 1));
}

static void the_largest_body_fits_however_it_is_escaped(void **state)
{
	static char body[HTTP_BODY_BYTES_MAX];
	json_t *event;

	(void)state;
	memset(body, 1, sizeof body);
	event = event_of("POST /d/1/s/2 HTTP/1.1\r\nHost: a\r\n\r\n", body, sizeof body);
	assert_int_equal(json_string_length(at(event, "body")), sizeof body);
	json_decref(event);
}

static void an_ipv6_host_keeps_its_brackets(void **state)
{
	json_t *event = event_of("GET /plain HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n", NULL, 0);

	(void)state;
	assert_text(event, "requestContext/domainName", "[::1]");
	json_decref(event);
}

static void an_http_1_0_client_without_host_is_served(void **state)
{
	json_t *event = event_of("GET /plain HTTP/1.0\r\n\r\n", NULL, 0);

	(void)state;
	assert_text(event, "requestContext/http/protocol", "HTTP/1.0");
	assert_text(event, "requestContext/domainName", "");
	json_decref(event);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_of_the_payload_is_written),
		cmocka_unit_test(members_without_content_are_left_out),
		cmocka_unit_test(fields_of_the_connection_are_left_out),
		cmocka_unit_test(a_binary_body_is_sent_as_base64),
		cmocka_unit_test(bytes_that_are_not_utf8_become_replacement_characters),
		cmocka_unit_test(query_names_that_are_not_utf8_are_refused),
		cmocka_unit_test(empty_query_parts_are_ignored),
		cmocka_unit_test(empty_cookies_are_none_and_one_octet_is_one),
		cmocka_unit_test(the_number_of_query_parameters_is_bounded),
		cmocka_unit_test(the_largest_body_fits_however_it_is_escaped),
		cmocka_unit_test(an_ipv6_host_keeps_its_brackets),
		cmocka_unit_test(an_http_1_0_client_without_host_is_served),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
