/* A function's answer, prepared for HTTP: an invalid answer counts as a failure of the function,
 * and cannot add fields or a second message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h requires the four headers above. */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/host/gateway/answer.h"

static struct answer answer;

static int setup(void **state)
{
	(void)state;
	answer_init(&answer);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	answer_done(&answer);
	return 0;
}

static enum answer_result read_text(const char *text)
{
	return answer_read(&answer, text, strlen(text));
}

static void assert_bytes(const struct rt_buffer *bytes, const char *text)
{
	if (bytes->length != strlen(text) || memcmp(bytes->bytes, text, bytes->length) != 0)
		fail_msg("\"%.*s\" is not \"%s\"", (int)bytes->length, bytes->bytes, text);
}

static void assert_body(const char *json, const char *body)
{
	char text[256];

	snprintf(text, sizeof text, "{\"statusCode\":200,\"body\":%s}", json);
	if (read_text(text) != ANSWER_GOOD)
		fail_msg("%s was refused", text);
	assert_bytes(&answer.body, body);
}

static void a_payload_becomes_status_fields_and_body(void **state)
{
	(void)state;
	assert_int_equal(
		read_text("{\"statusCode\":201,\"headers\":{\"Content-Type\":\"text/plain\","
			  "\"x-number\":7,\"x-none\":null},\"cookies\":[\"a=b\",\"c=d\"],"
			  "\"body\":\"hello\",\"isBase64Encoded\":false}"),
		ANSWER_GOOD);
	assert_int_equal(answer.status, 201);
	assert_bytes(&answer.fields,
		"Content-Type: text/plain\r\nx-number: 7\r\nset-cookie: a=b\r\nset-cookie: c=d\r\n");
	assert_bytes(&answer.body, "hello");
	assert_string_equal(answer.stored, "");
	assert_int_equal(answer.wait_s, 0);
}

static void an_answer_has_no_value_of_the_answer_before(void **state)
{
	(void)state;
	assert_int_equal(
		read_text("{\"statusCode\":202,\"headers\":{\"a\":\"b\",\"eds-stored\":\"up\","
			  "\"eds-wait\":\"30 name\"},\"body\":\"x\"}"),
		ANSWER_GOOD);
	assert_int_equal(read_text("{\"statusCode\":204}"), ANSWER_GOOD);
	assert_int_equal(answer.status, 204);
	assert_int_equal(answer.fields.length, 0);
	assert_int_equal(answer.body.length, 0);
	assert_string_equal(answer.stored, "");
	assert_int_equal(answer.wait_s, 0);
}

static void a_body_sent_apart_from_its_json_is_passed_on_unchanged(void **state)
{
	(void)state;
	assert_int_equal(
		read_text("{\"statusCode\":200,\"headers\":{\"a\":\"b\"}}\n{\"x\": \"\\u00e4\"}\n"),
		ANSWER_GOOD);
	assert_bytes(&answer.fields, "a: b\r\n");
	assert_bytes(&answer.body, "{\"x\": \"\\u00e4\"}\n");
}

static void a_body_sent_apart_from_its_json_excludes_another_and_needs_a_status(void **state)
{
	(void)state;
	assert_int_equal(read_text("{\"statusCode\":200,\"body\":\"x\"}\ny"), ANSWER_INVALID);
	assert_int_equal(
		read_text("{\"statusCode\":200,\"isBase64Encoded\":true}\ny"), ANSWER_INVALID);
	assert_int_equal(read_text("{\"hello\":1}\ny"), ANSWER_INVALID);
	assert_int_equal(read_text("[1]\ny"), ANSWER_INVALID);
	assert_int_equal(read_text("{\"errorType\":\"x\"}\ny"), ANSWER_FAILED);
}

static void json_without_a_status_is_the_body_of_a_200(void **state)
{
	static const char *const texts[] = {"{\"a\":1}", "[1,2]", "\"text\"", "7", "null", "{}"};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		assert_int_equal(read_text(texts[i]), ANSWER_GOOD);
		assert_int_equal(answer.status, 200);
		assert_bytes(&answer.body, texts[i]);
		assert_bytes(&answer.fields, "content-type: application/json\r\n");
	}
	assert_int_equal(read_text(""), ANSWER_INVALID);
	assert_int_equal(read_text("nonsense"), ANSWER_INVALID);
	assert_int_equal(read_text("{\"a\":1"), ANSWER_INVALID);
}

static void an_error_type_is_a_failure(void **state)
{
	(void)state;
	assert_int_equal(
		read_text("{\"errorType\":\"internal.x\",\"errorMessage\":\"m\"}"), ANSWER_FAILED);
	assert_int_equal(read_text("{\"statusCode\":200,\"errorType\":\"x\"}"), ANSWER_FAILED);
}

static void a_status_is_a_whole_number_from_200_to_599(void **state)
{
	static const char *const wrong[] = {"199", "600", "100", "-200", "200.0", "2e2", "\"200\"",
		"null", "0200000000", "99999999999"};

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		char text[64];

		snprintf(text, sizeof text, "{\"statusCode\":%s}", wrong[i]);
		if (read_text(text) != ANSWER_INVALID)
			fail_msg("%s was accepted", text);
	}
	assert_int_equal(read_text("{\"statusCode\":599}"), ANSWER_GOOD);
	assert_int_equal(answer.status, 599);
}

static void escapes_are_decoded(void **state)
{
	(void)state;
	assert_body("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t");
	assert_body(
		"\"\\u0041\\u00e9\\u20ac\\ud83d\\ude00\"", "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
	assert_body("\"\\uD83D\\uDE00\"", "\xf0\x9f\x98\x80");
	assert_body("\"\\ud7ff\\ud800\\udc00\\udbff\\udfff\\ue000\"",
		"\xed\x9f\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\xee\x80\x80");
	assert_body("null", "");
}

static void unpaired_surrogates_and_malformed_escapes_are_refused(void **state)
{
	static const char *const wrong[] = {"\\ud83d", "\\ude00", "\\ud83dx", "\\ud83d12345",
		"\\ud83d\\n1234", "\\ud83d1u1234", "\\ud83d\\u0041", "\\ud83d\\ue000", "\\u12",
		"\\u12g4", "\\x"};

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		char text[64];

		snprintf(text, sizeof text, "{\"statusCode\":200,\"body\":\"%s\"}", wrong[i]);
		if (read_text(text) != ANSWER_INVALID)
			fail_msg("%s was accepted", text);
	}
}

static void a_body_in_base64_is_bytes(void **state)
{
	(void)state;
	assert_int_equal(
		read_text("{\"statusCode\":200,\"isBase64Encoded\":true,\"body\":\"AP8B\"}"),
		ANSWER_GOOD);
	assert_int_equal(answer.body.length, 3);
	assert_memory_equal(answer.body.bytes, "\0\xff\x01", 3);
	assert_int_equal(read_text("{\"statusCode\":200,\"isBase64Encoded\":true,\"body\":\"\"}"),
		ANSWER_GOOD);
	assert_int_equal(answer.body.length, 0);
	assert_int_equal(read_text("{\"statusCode\":200,\"isBase64Encoded\":true,\"body\":\"A*\"}"),
		ANSWER_INVALID);
	assert_int_equal(read_text("{\"statusCode\":200,\"body\":7}"), ANSWER_INVALID);
}

static void fields_that_frame_the_message_are_left_out(void **state)
{
	(void)state;
	assert_int_equal(
		read_text("{\"statusCode\":200,\"headers\":{\"Connection\":\"x\",\"CONTENT-"
			  "LENGTH\":\"9\",\"keep-alive\":\"x\",\"TE\":\"x\",\"trailer\":\"x\","
			  "\"Transfer-Encoding\":\"chunked\",\"upgrade\":\"x\",\"tea\":\"y\"}}"),
		ANSWER_GOOD);
	assert_bytes(&answer.fields, "tea: y\r\n");
}

static void answers_that_http_cannot_carry_are_refused(void **state)
{
	static const char *const wrong[] = {"\"headers\":{\"a\":\"b\\r\\nc: d\"}",
		"\"headers\":{\"a\":\"b\\nc\"}", "\"headers\":{\"a\":\"\\u0000\"}",
		"\"headers\":{\"a\":\"\\u007f\"}", "\"headers\":{\"a b\":\"c\"}",
		"\"headers\":{\"\":\"c\"}", "\"headers\":{\"a:\":\"c\"}", "\"headers\":{\"a\":[]}",
		"\"headers\":{\"a\":{}}", "\"headers\":[]", "\"cookies\":{}", "\"cookies\":[7]",
		"\"cookies\":[\"a\\r\\nb\"]"};

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		char text[128];

		snprintf(text, sizeof text, "{\"statusCode\":200,%s}", wrong[i]);
		if (read_text(text) != ANSWER_INVALID)
			fail_msg("%s was accepted", text);
	}
	assert_int_equal(
		read_text("{\"statusCode\":200,\"headers\":null,\"cookies\":null}"), ANSWER_GOOD);
	assert_int_equal(
		read_text("{\"statusCode\":200,\"headers\":{\"a\":\"b\\tc\"}}"), ANSWER_GOOD);
	assert_bytes(&answer.fields, "a: b\tc\r\n");
}

static void fields_for_the_host_reach_no_client(void **state)
{
	(void)state;
	assert_int_equal(
		read_text("{\"statusCode\":200,\"headers\":{\"eds-stored\":\"upload-1_A.b\","
			  "\"EDS-Wait\":\"30 mfrgg\",\"eds-other\":7,\"eds\":\"x\"}}"),
		ANSWER_GOOD);
	assert_bytes(&answer.fields, "eds: x\r\n");
	assert_string_equal(answer.stored, "upload-1_A.b");
	assert_int_equal(answer.wait_s, 30);
	assert_string_equal(answer.wait_for, "mfrgg");
}

static void names_for_the_host_have_128_plain_characters_at_most(void **state)
{
	static const char *const wrong[] = {"\"eds-stored\":\"\"", "\"eds-stored\":\"a/b\"",
		"\"eds-stored\":\"a b\"", "\"eds-stored\":7", "\"eds-wait\":\"30\"",
		"\"eds-wait\":\"30 \"", "\"eds-wait\":\"x name\"", "\"eds-wait\":\" name\"",
		"\"eds-wait\":\"30 a/b\"", "\"eds-wait\":30"};
	char name[130];
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		snprintf(text, sizeof text, "{\"statusCode\":200,\"headers\":{%s}}", wrong[i]);
		if (read_text(text) != ANSWER_INVALID)
			fail_msg("%s was accepted", text);
	}
	memset(name, 'n', sizeof name);
	snprintf(text, sizeof text, "{\"statusCode\":200,\"headers\":{\"eds-stored\":\"%.128s\"}}",
		name);
	assert_int_equal(read_text(text), ANSWER_GOOD);
	assert_int_equal(strlen(answer.stored), 128);
	snprintf(text, sizeof text, "{\"statusCode\":200,\"headers\":{\"eds-stored\":\"%.129s\"}}",
		name);
	assert_int_equal(read_text(text), ANSWER_INVALID);
}

static void fields_have_32_kib_and_the_body_eight_mib(void **state)
{
	const size_t most = 8 * 1024 * 1024;
	char *text = malloc(most + 64);
	size_t head = (size_t)snprintf(text, 64, "{\"statusCode\":200,\"body\":\"");

	(void)state;
	memset(text + head, 'x', most + 1);
	memcpy(text + head + most, "\"}", 3);
	assert_int_equal(answer_read(&answer, text, head + most + 2), ANSWER_GOOD);
	assert_int_equal(answer.body.length, most);
	memcpy(text + head + most, "x\"}", 4);
	assert_int_equal(answer_read(&answer, text, head + most + 3), ANSWER_INVALID);
	head = (size_t)snprintf(text, 64, "{\"statusCode\":200,\"headers\":{\"a\":\"");
	memset(text + head, 'x', 33 * 1024);
	memcpy(text + head + 32 * 1024 - 5, "\"}}", 4);
	assert_int_equal(read_text(text), ANSWER_GOOD);
	memset(text + head, 'x', 33 * 1024);
	memcpy(text + head + 32 * 1024, "\"}}", 4);
	assert_int_equal(read_text(text), ANSWER_INVALID);
	free(text);
}

#define ANSWER_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ANSWER_TEST(a_payload_becomes_status_fields_and_body),
		ANSWER_TEST(an_answer_has_no_value_of_the_answer_before),
		ANSWER_TEST(a_body_sent_apart_from_its_json_is_passed_on_unchanged),
		ANSWER_TEST(a_body_sent_apart_from_its_json_excludes_another_and_needs_a_status),
		ANSWER_TEST(json_without_a_status_is_the_body_of_a_200),
		ANSWER_TEST(an_error_type_is_a_failure),
		ANSWER_TEST(a_status_is_a_whole_number_from_200_to_599),
		ANSWER_TEST(escapes_are_decoded),
		ANSWER_TEST(unpaired_surrogates_and_malformed_escapes_are_refused),
		ANSWER_TEST(a_body_in_base64_is_bytes),
		ANSWER_TEST(fields_that_frame_the_message_are_left_out),
		ANSWER_TEST(answers_that_http_cannot_carry_are_refused),
		ANSWER_TEST(fields_for_the_host_reach_no_client),
		ANSWER_TEST(names_for_the_host_have_128_plain_characters_at_most),
		ANSWER_TEST(fields_have_32_kib_and_the_body_eight_mib),
	};

	return cmocka_run_group_tests_name("answer of a function", tests, NULL, NULL);
}
