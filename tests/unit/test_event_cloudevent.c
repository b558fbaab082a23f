#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/host/gateway/event-cloudevent.h"

enum {
	REQUEST_BYTES = 1024,
};

static const char whole[] = "CE-SpecVersion: 1.0\r\nce-type: t\r\nce-source: /s\"x\r\nce-id: e1\r\n"
			    "ce-time: 2026-11-20T12:00:00Z\r\n";

/* Writes the CloudEvent of a request into out, without the closing brace, which the caller adds;
 * false when the request is refused. */
static bool write_event(struct rt_buffer *out, const char *fields, const char *body, bool scheduled)
{
	char text[REQUEST_BYTES];
	struct http_head head;
	struct http_request request = {.head = &head, .body = body, .body_length = strlen(body)};

	snprintf(text, sizeof text, "POST / HTTP/1.1\r\nHost: a\r\n%s\r\n", fields);
	assert_int_equal(http_head_parse(text, strlen(text), &head), HTTP_READY);
	rt_buffer_init_heap(out, EVENT_CLOUDEVENT_BYTES_MAX);
	return event_cloudevent_write(out, &request, scheduled);
}

static void assert_event(const char *fields, const char *body, bool scheduled, const char *expected)
{
	struct rt_buffer out;

	assert_true(write_event(&out, fields, body, scheduled));
	assert_int_equal(out.length, strlen(expected));
	assert_memory_equal(out.bytes, expected, out.length);
	rt_buffer_done(&out);
}

static void assert_refused(const char *fields, const char *body, bool scheduled)
{
	struct rt_buffer out;

	assert_false(write_event(&out, fields, body, scheduled));
	rt_buffer_done(&out);
}

static void a_scheduled_event_keeps_the_id_and_time_of_the_cloudevent(void **state)
{
	(void)state;
	assert_event(whole, "{\"any\":1}", true,
		"{\"version\":\"0\",\"detail-type\":\"Scheduled Event\",\"source\":\"aws.events\","
		"\"account\":\"000000000000\",\"region\":\"local\",\"detail\":{},\"id\":\"e1\","
		"\"time\":\"2026-11-20T12:00:00Z\",\"resources\":[\"/s\\\"x\"]}");
}

static void the_data_of_a_mail_event_is_put_on_one_line(void **state)
{
	(void)state;
	assert_event(whole, "{\"Records\":\r\n\t[\n]}", false, "{\"Records\":  \t[ ]}");
}

static void mail_needs_no_time_and_a_schedule_no_data(void **state)
{
	struct rt_buffer out;

	(void)state;
	assert_event("ce-specversion: 1.0\r\nce-type: t\r\nce-source: s\r\nce-id: 1\r\n", "{}",
		false, "{}");
	assert_true(write_event(&out, whole, "", true));
	rt_buffer_done(&out);
}

static void an_event_without_a_required_attribute_is_refused(void **state)
{
	(void)state;
	assert_refused("", "{}", false);
	assert_refused("ce-type: t\r\nce-source: s\r\nce-id: 1\r\n", "{}", false);
	assert_refused("ce-specversion: 1.0\r\nce-source: s\r\nce-id: 1\r\n", "{}", false);
	assert_refused("ce-specversion: 1.0\r\nce-type: t\r\nce-id: 1\r\n", "{}", false);
	assert_refused("ce-specversion: 1.0\r\nce-type: t\r\nce-source: s\r\n", "{}", false);
	assert_refused(
		"ce-specversion: 1.0\r\nce-type: t\r\nce-source: s\r\nce-id:\r\n", "{}", false);
	assert_refused(
		"ce-specversion: 1.0\r\nce-type: t\r\nce-source: s\r\nce-id: 1\r\n", "{}", true);
}

static void another_version_is_refused_and_so_is_an_event_without_data(void **state)
{
	(void)state;
	assert_refused(
		"ce-specversion: 0.3\r\nce-type: t\r\nce-source: s\r\nce-id: 1\r\n", "{}", false);
	assert_refused(whole, "", false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_scheduled_event_keeps_the_id_and_time_of_the_cloudevent),
		cmocka_unit_test(the_data_of_a_mail_event_is_put_on_one_line),
		cmocka_unit_test(mail_needs_no_time_and_a_schedule_no_data),
		cmocka_unit_test(an_event_without_a_required_attribute_is_refused),
		cmocka_unit_test(another_version_is_refused_and_so_is_an_event_without_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
