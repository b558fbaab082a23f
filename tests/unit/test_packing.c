/* Which answers are compressed for sending, and which fields they then have. */
#include "local/serve/gzip.h"
#include "runtime/host/gateway/packing.h"
#include "tests/support/test-event.h"

#define FIELDS "content-type: application/json\r\netag: \"0123456789abcdef\"\r\n"

enum { LONG = 5000, TOO_LONG = 1024 * 1024 + 1 };

struct answer {
	struct packing packing;
	struct rt_buffer fields;
	struct rt_buffer body;
	const struct rt_buffer *sent_fields;
	const struct rt_buffer *sent_body;
};

static void begin(struct answer *answer, const char *fields, size_t length)
{
	packing_init(&answer->packing, 4096, (size_t)2 * TOO_LONG);
	answer->packing.pack = gzip_pack;
	rt_buffer_init_heap(&answer->fields, 4096);
	rt_buffer_init_heap(&answer->body, TOO_LONG);
	rt_buffer_text(&answer->fields, fields);
	for (size_t i = 0; i < length; i++)
		rt_buffer_add(&answer->body, "a", 1);
	answer->sent_fields = &answer->fields;
	answer->sent_body = &answer->body;
}

static void end(struct answer *answer)
{
	packing_done(&answer->packing);
	rt_buffer_done(&answer->fields);
	rt_buffer_done(&answer->body);
}

/* Whether the answer is compressed; *sent gets the fields to send. */
static bool packs(const char *fields, size_t length, int status, bool asked, char sent[1024])
{
	struct answer answer;
	bool packed;

	begin(&answer, fields, length);
	packing_prepare(&answer.packing, asked, status, &answer.sent_fields, &answer.sent_body);
	packed = answer.sent_body != &answer.body;
	snprintf(sent, 1024, "%.*s", (int)answer.sent_fields->length, answer.sent_fields->bytes);
	if (packed)
		assert_memory_equal(answer.sent_body->bytes, "\x1f\x8b\x08", 3);
	packing_rest(&answer.packing);
	end(&answer);
	return packed;
}

static void json_of_a_kibibyte_or_more_is_compressed_on_request(void **state)
{
	char sent[1024];

	(void)state;
	assert_true(packs(FIELDS, 1024, 200, true, sent));
	assert_string_equal(sent,
		"content-type: application/json\r\netag: \"0123456789abcdef-gzip\"\r\n"
		"content-encoding: gzip\r\nvary: Accept-Encoding\r\n");
	assert_false(packs(FIELDS, 1023, 200, true, sent));
	assert_string_equal(sent, FIELDS "vary: Accept-Encoding\r\n");
	assert_false(packs(FIELDS, LONG, 200, false, sent));
	assert_string_equal(sent, FIELDS "vary: Accept-Encoding\r\n");
}

static void other_answers_are_not_compressed(void **state)
{
	char sent[1024];

	(void)state;
	assert_false(packs(FIELDS, LONG, 404, true, sent));
	assert_true(packs(FIELDS, TOO_LONG - 1, 200, true, sent));
	assert_false(packs(FIELDS, TOO_LONG, 200, true, sent));
	assert_false(packs(FIELDS, 0, 304, true, sent));
	assert_false(packs("", LONG, 200, true, sent));
	assert_string_equal(sent, "vary: Accept-Encoding\r\n");
	assert_false(packs("content-type: application/problem+json\r\n", LONG, 200, true, sent));
	assert_false(packs("x-content-type: application/json\r\n", LONG, 200, true, sent));
	assert_false(packs(FIELDS "Content-Encoding: br\r\n", LONG, 200, true, sent));
}

static void an_etag_in_an_odd_form_stays_unchanged(void **state)
{
	char sent[1024];

	(void)state;
	assert_true(packs("content-type: application/json\r\nETag: x\r\n", LONG, 200, true, sent));
	assert_non_null(strstr(sent, "\r\nETag: x\r\n"));
	assert_true(packs(
		"content-type: application/json\r\netag: W/\"a\"\r\n", LONG, 200, true, sent));
	assert_non_null(strstr(sent, "\r\netag: W/\"a-gzip\"\r\n"));
}

static void the_room_of_a_large_answer_is_given_back_and_that_of_a_small_one_kept(void **state)
{
	struct answer answer;
	uint32_t random = 1;

	(void)state;
	begin(&answer, FIELDS, LONG);
	packing_prepare(&answer.packing, true, 200, &answer.sent_fields, &answer.sent_body);
	packing_rest(&answer.packing);
	assert_true(answer.packing.body.capacity > 0);
	for (int i = 0; i < 300 * 1024; i++) {
		random = random * 1664525 + 1013904223;
		rt_buffer_add(&answer.body, (char *)&random + 3, 1);
	}
	answer.sent_fields = &answer.fields;
	answer.sent_body = &answer.body;
	packing_prepare(&answer.packing, true, 200, &answer.sent_fields, &answer.sent_body);
	assert_true(answer.packing.body.length > 256 * 1024);
	packing_rest(&answer.packing);
	assert_int_equal(answer.packing.body.capacity, 0);
	end(&answer);
}

static bool asked(const char *first, const char *second)
{
	struct http_head head = {.field_count = second != NULL ? 3 : 2};

	head.fields[0] = (struct http_field){.name = {"Host", 4}, .value = {"gzip", 4}};
	head.fields[1] = (struct http_field){
		.name = {"Accept-Encoding", 15}, .value = {first, strlen(first)}};
	if (second != NULL)
		head.fields[2] = (struct http_field){
			.name = {"accept-encoding", 15}, .value = {second, strlen(second)}};
	return packing_is_asked(&head);
}

static void two_accept_encoding_fields_ask_for_no_compression(void **state)
{
	(void)state;
	assert_true(asked("gzip", NULL));
	assert_true(asked("br;q=1, *;q=0.1", NULL));
	assert_false(asked("gzip;q=0", NULL));
	assert_false(asked("", NULL));
	assert_false(asked("gzip", "gzip"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(json_of_a_kibibyte_or_more_is_compressed_on_request),
		TEST(other_answers_are_not_compressed),
		TEST(an_etag_in_an_odd_form_stays_unchanged),
		TEST(the_room_of_a_large_answer_is_given_back_and_that_of_a_small_one_kept),
		TEST(two_accept_encoding_fields_ask_for_no_compression),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
