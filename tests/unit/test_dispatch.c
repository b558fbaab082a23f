/* Dispatch: one event a message and function, tried three times, then put aside. The pools are
 * played by this test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#include "local/dispatch-answer.h"
#include "local/dispatch.h"
#include "runtime/config.h"

enum {
	SUBMITTED_MAX = 64,
};

/* An event that was submitted and not answered yet. */
struct submitted {
	const struct manifest_function *function;
	json_t *event;
	pool_done done;
	void *arg;
};

static struct submitted submitted[SUBMITTED_MAX];
static size_t submitted_count;

void pools_submit(struct pools *pools, const struct manifest_function *function, const char *event,
	size_t length, pool_done done, void *arg)
{
	json_t *value = json_loadb(event, length, JSON_REJECT_DUPLICATES, NULL);

	(void)pools;
	assert_non_null(value);
	assert_null(memchr(event, '\n', length));
	submitted[submitted_count++] = (struct submitted){function, value, done, arg};
}

static void answer(size_t i, enum pool_outcome outcome, const char *text)
{
	struct submitted it = submitted[i];

	json_decref(it.event);
	submitted[i].event = NULL;
	it.done(it.arg, outcome, text, text != NULL ? strlen(text) : 0);
}

struct fixture {
	char folder[64];
	char spool_folder[128];
	struct event_base *base;
	struct spool *spool;
	struct dispatch *dispatch;
	struct manifest manifest;
	struct spool_place place;
	bool stored;
};

static void start(struct fixture *fixture)
{
	struct dispatch_settings settings = {
		.base = fixture->base,
		.manifest = &fixture->manifest,
		.pauses_ms = {20, 40},
	};
	char error[SPOOL_ERROR_MAX];

	fixture->spool = spool_open(fixture->base, fixture->spool_folder, error);
	assert_non_null(fixture->spool);
	settings.spool = fixture->spool;
	fixture->dispatch = dispatch_new(&settings);
	assert_non_null(fixture->dispatch);
}

static void stop(struct fixture *fixture)
{
	dispatch_free(fixture->dispatch);
	spool_close(fixture->spool);
}

static int setup(void **state)
{
	static char folder[] = "/tmp/eds-dispatch-XXXXXX";
	struct fixture *fixture = calloc(1, sizeof *fixture);
	static bool configured;

	/* The configuration is read once for the process: all tests share the mail store. */
	if (!configured) {
		char store[96];

		assert_non_null(mkdtemp(folder));
		snprintf(store, sizeof store, "file:%s/mail", folder);
		setenv("EDS_MAIL_STORE", store, 1);
		rt_config_require();
		configured = true;
	}
	snprintf(fixture->folder, sizeof fixture->folder, "%s", folder);
	snprintf(fixture->spool_folder, sizeof fixture->spool_folder, "%s/spool", folder);
	fixture->manifest.functions[0].name = "tester";
	fixture->manifest.functions[1].name = "reports";
	fixture->manifest.functions[0].handlers = fixture->manifest.functions[1].handlers = 4;
	fixture->manifest.count = 2;
	fixture->base = event_base_new();
	submitted_count = 0;
	start(fixture);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;
	char command[160];

	stop(fixture);
	event_base_free(fixture->base);
	for (size_t i = 0; i < submitted_count; i++)
		json_decref(submitted[i].event);
	snprintf(command, sizeof command, "rm -rf %s/mail %s/spool", fixture->folder,
		fixture->folder);
	assert_int_equal(system(command), 0);
	free(fixture);
	return 0;
}

static void on_stored(void *arg, const struct spool_place *place, int error)
{
	struct fixture *fixture = arg;

	assert_int_equal(error, 0);
	fixture->place = *place;
	fixture->stored = true;
}

static void add_message_of(struct fixture *fixture, const char *client_ip, const char *message_id,
	const char *function)
{
	const char *recipients[] = {"a@x.example", "b@x.example"};
	struct spool_target target = {function, message_id, recipients, 2};
	const char text[] = "Subject: =?x?=\r\n folded\r\nFrom : <a@b.example>\r\nno field\r\n"
			    "X-Raw: \xff\"\\\r\n\r\nbody\r\n";
	const struct spool_mail mail = {
		.received_at_ms = 1700000000123,
		.client_ip = client_ip,
		.helo = "h.example",
		.mail_from = "s@b.example",
		.tls = "",
		.protocol = "ESMTP",
		.targets = &target,
		.target_count = 1,
		.message = text,
		.length = strlen(text),
	};

	fixture->stored = false;
	spool_append(fixture->spool, &mail, on_stored, fixture);
	while (!fixture->stored)
		event_base_loop(fixture->base, EVLOOP_ONCE);
	dispatch_add(fixture->dispatch, &fixture->place, function, client_ip);
}

static void add_message(struct fixture *fixture, const char *message_id, const char *function)
{
	add_message_of(fixture, "2001:db8::1", message_id, function);
}

/* Until so many events were submitted in all. */
static void run_until(struct fixture *fixture, size_t count)
{
	for (int i = 0; i < 100 && submitted_count < count; i++)
		event_base_loop(fixture->base, EVLOOP_ONCE);
	assert_int_equal(submitted_count, count);
}

static bool exists(const struct fixture *fixture, const char *name)
{
	char path[160];

	snprintf(path, sizeof path, "%s/%s", fixture->folder, name);
	return access(path, F_OK) == 0;
}

static const char *text_at(
	const json_t *event, const char *first, const char *second, const char *third)
{
	const json_t *record = json_array_get(json_object_get(event, "Records"), 0);
	const json_t *value = json_object_get(record, first);

	if (second != NULL)
		value = json_object_get(value, second);
	if (third != NULL)
		value = json_object_get(value, third);
	return json_string_value(value);
}

static void the_event_is_the_receipt_notification(void **state)
{
	struct fixture *fixture = *state;
	const json_t *event;
	const json_t *mail;
	const json_t *headers;

	add_message(fixture, "id-1", "tester");
	assert_int_equal(submitted_count, 1);
	assert_string_equal(submitted[0].function->name, "tester");
	event = submitted[0].event;
	assert_string_equal(text_at(event, "eventSource", NULL, NULL), "aws:ses");
	assert_string_equal(text_at(event, "ses", "mail", "messageId"), "id-1");
	assert_string_equal(text_at(event, "ses", "mail", "source"), "s@b.example");
	assert_string_equal(text_at(event, "ses", "mail", "timestamp"), "2023-11-14T22:13:20.123Z");
	assert_string_equal(
		text_at(event, "ses", "receipt", "timestamp"), "2023-11-14T22:13:20.123Z");
	assert_string_equal(text_at(event, "envelope", "clientIp", NULL), "2001:db8::1");
	assert_string_equal(text_at(event, "envelope", "helo", NULL), "h.example");
	assert_null(text_at(event, "envelope", "tls", NULL));
	mail = json_object_get(
		json_object_get(json_array_get(json_object_get(event, "Records"), 0), "ses"),
		"mail");
	headers = json_object_get(mail, "headers");
	assert_int_equal(json_array_size(headers), 4); /* Received, Subject, From, X-Raw */
	assert_string_equal(json_string_value(json_object_get(json_array_get(headers, 1), "value")),
		"=?x?= folded");
	assert_string_equal(json_string_value(json_object_get(json_array_get(headers, 3), "value")),
		"\xef\xbf\xbd\"\\");
	assert_true(json_is_false(json_object_get(mail, "headersTruncated")));
	assert_int_equal(json_array_size(json_object_get(mail, "destination")), 2);
	answer(0, POOL_ANSWERED, "{}");
	assert_int_equal(dispatch_queued(fixture->dispatch), 0);
}

static void the_message_lies_in_the_mail_store_before_its_event_is_sent(void **state)
{
	struct fixture *fixture = *state;

	add_message(fixture, "id-2", "tester");
	assert_true(exists(fixture, "mail/id-2"));
	answer(0, POOL_ANSWERED, "{}");
	assert_true(exists(fixture, "mail/id-2")); /* it is the function's now */
}

static void a_failed_event_is_sent_again_and_a_good_answer_ends_it(void **state)
{
	static const struct {
		enum pool_outcome outcome;
		const char *text;
	} failures[] = {
		{POOL_CRASHED, NULL},
		{POOL_TIMED_OUT, NULL},
		{POOL_BUSY, NULL},
		{POOL_ANSWERED, "{\"errorType\":\"X\",\"errorMessage\":\"m\"}"},
		{POOL_ANSWERED, "[]"},
		{POOL_ANSWERED, "no json"},
	};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
		size_t before = submitted_count;

		add_message(fixture, "id-3", "tester");
		answer(before, failures[i].outcome, failures[i].text);
		assert_int_equal(dispatch_queued(fixture->dispatch), 1);
		run_until(fixture, before + 2);
		answer(before + 1, POOL_ANSWERED, "{\"errorMessage\":\"not at the top\"}");
		assert_int_equal(dispatch_queued(fixture->dispatch), 0);
	}
}

static void waiting_in_vain_for_a_handler_is_no_try(void **state)
{
	struct fixture *fixture = *state;

	add_message(fixture, "id-5", "tester");
	for (size_t i = 0; i < 2 * DISPATCH_TRIES; i++) {
		run_until(fixture, i + 1);
		answer(i, POOL_BUSY, NULL);
		assert_int_equal(dispatch_queued(fixture->dispatch), 1);
	}
	assert_false(exists(fixture, "spool/failed/id-5.eml"));
	run_until(fixture, 2 * DISPATCH_TRIES + 1);
	answer(2 * DISPATCH_TRIES, POOL_ANSWERED, "{}");
	assert_int_equal(dispatch_queued(fixture->dispatch), 0);
}

static void after_three_failures_the_message_is_put_aside_with_the_reason(void **state)
{
	struct fixture *fixture = *state;
	char path[160];
	json_t *report;

	add_message(fixture, "id-4", "tester");
	for (size_t i = 0; i < DISPATCH_TRIES; i++) {
		run_until(fixture, i + 1);
		answer(i, POOL_ANSWERED, "{\"errorType\":\"Oops\",\"errorMessage\":\"because\"}");
	}
	assert_int_equal(dispatch_queued(fixture->dispatch), 0);
	assert_true(exists(fixture, "spool/failed/id-4.eml"));
	assert_false(exists(fixture, "mail/id-4"));
	snprintf(path, sizeof path, "%s/failed/id-4.json", fixture->spool_folder);
	report = json_load_file(path, 0, NULL);
	assert_string_equal(json_string_value(json_object_get(report, "reason")), "Oops: because");
	assert_string_equal(json_string_value(json_object_get(report, "function")), "tester");
	json_decref(report);
}

static void what_was_put_aside_is_deleted_after_48_hours(void **state)
{
	struct fixture *fixture = *state;
	struct utimbuf old = {.modtime = time(NULL) - DISPATCH_FAILED_HOURS * 3600 - 60};
	struct utimbuf young = {.modtime = time(NULL) - DISPATCH_FAILED_HOURS * 3600 + 600};
	char path[160];

	snprintf(path, sizeof path, "%s/failed", fixture->spool_folder);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof path, "%s/failed/old.eml", fixture->spool_folder);
	fclose(fopen(path, "w"));
	utime(path, &old);
	snprintf(path, sizeof path, "%s/failed/young.eml", fixture->spool_folder);
	fclose(fopen(path, "w"));
	utime(path, &young);
	stop(fixture);
	start(fixture);
	assert_false(exists(fixture, "spool/failed/old.eml"));
	assert_true(exists(fixture, "spool/failed/young.eml"));
}

static void one_slow_function_does_not_hold_up_another(void **state)
{
	struct fixture *fixture = *state;

	for (int i = 0; i < 9; i++)
		add_message(fixture, "id-slow", "tester");
	assert_int_equal(submitted_count, 2);
	add_message(fixture, "id-other", "reports");
	assert_int_equal(submitted_count, 3);
	assert_string_equal(submitted[2].function->name, "reports");
	answer(0, POOL_ANSWERED, "{}");
	assert_int_equal(submitted_count, 4);
	for (size_t i = 1; i < submitted_count; i++)
		answer(i, POOL_ANSWERED, "{}");
	assert_int_equal(dispatch_queued(fixture->dispatch), 0);
}

static void one_client_holds_no_more_handlers_than_it_leaves_free(void **state)
{
	static const char *const clients[] = {"192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"};
	static const size_t held[] = {4, 6, 7, 8};
	struct fixture *fixture = *state;

	stop(fixture);
	fixture->manifest.functions[0].handlers = 8;
	start(fixture);
	for (size_t client = 0; client < sizeof held / sizeof *held; client++) {
		for (int i = 0; i < 9; i++)
			add_message_of(fixture, clients[client], "id-slow", "tester");
		assert_int_equal(submitted_count, held[client]);
	}
	for (size_t i = 0; i < submitted_count; i++)
		answer(i, POOL_ANSWERED, "{}");
	assert_int_equal(submitted_count, 36);
	assert_int_equal(dispatch_queued(fixture->dispatch), 0);
}

static const char *submitted_id(size_t i)
{
	return text_at(submitted[i].event, "ses", "mail", "messageId");
}

static void clients_take_turns_and_each_keeps_its_order(void **state)
{
	static const char *const expected[] = {"a1", "b1", "a2", "c1", "b2", "a3", "a4"};
	struct fixture *fixture = *state;

	stop(fixture);
	fixture->manifest.functions[0].handlers = 1;
	start(fixture);
	add_message_of(fixture, "192.0.2.1", "a1", "tester");
	add_message_of(fixture, "2001:db8::1", "b1", "tester");
	add_message_of(fixture, "192.0.2.1", "a2", "tester");
	add_message_of(fixture, "192.0.2.1", "a3", "tester");
	add_message_of(fixture, "192.0.2.1", "a4", "tester");
	add_message_of(fixture, "2001:db8::2:1", "b2", "tester"); /* the same /64 */
	add_message_of(fixture, "2001:db8:0:1::1", "c1", "tester");
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		assert_int_equal(submitted_count, i + 1);
		assert_string_equal(submitted_id(i), expected[i]);
		answer(i, POOL_ANSWERED, "{}");
	}
	assert_int_equal(dispatch_queued(fixture->dispatch), 0);
}

static void mail_of_no_known_client_waits_as_one_clients(void **state)
{
	struct fixture *fixture = *state;

	add_message_of(fixture, "", "u1", "tester");
	add_message_of(fixture, "no address", "u2", "tester");
	add_message_of(fixture, "", "u3", "tester");
	assert_int_equal(submitted_count, 2);
	add_message_of(fixture, "192.0.2.1", "a1", "tester");
	assert_int_equal(submitted_count, 3);
	assert_string_equal(submitted_id(2), "a1");
	for (size_t i = 0; i < submitted_count; i++)
		answer(i, POOL_ANSWERED, "{}");
}

static void on_left(void *arg, const struct spool_place *place, const struct spool_mail *mail)
{
	struct fixture *fixture = arg;

	dispatch_add(
		fixture->dispatch, place, mail->targets[place->target].function, mail->client_ip);
}

static void what_a_stop_cuts_off_is_sent_after_the_next_start(void **state)
{
	struct fixture *fixture = *state;

	add_message(fixture, "id-5", "tester");
	add_message(fixture, "id-6", "tester");
	dispatch_stop(fixture->dispatch);
	add_message(fixture, "id-7", "tester");
	assert_int_equal(submitted_count, 2);
	answer(0, POOL_ANSWERED, "{}");
	answer(1, POOL_CRASHED, NULL);
	stop(fixture);
	start(fixture);
	assert_int_equal(spool_replay(fixture->spool, on_left, fixture), 0);
	assert_int_equal(submitted_count, 4);
	assert_string_equal(text_at(submitted[2].event, "ses", "mail", "messageId"), "id-6");
	assert_string_equal(text_at(submitted[3].event, "ses", "mail", "messageId"), "id-7");
	answer(2, POOL_ANSWERED, "{}");
	answer(3, POOL_ANSWERED, "{}");
}

static void mail_for_a_function_that_is_gone_stays_in_the_spool(void **state)
{
	struct fixture *fixture = *state;

	add_message(fixture, "id-8", "removed");
	assert_int_equal(submitted_count, 0);
	assert_int_equal(dispatch_queued(fixture->dispatch), 0);
	fixture->manifest.functions[1].name = "removed";
	stop(fixture);
	start(fixture);
	spool_replay(fixture->spool, on_left, fixture);
	assert_int_equal(submitted_count, 1);
	answer(0, POOL_ANSWERED, "{}");
}

static void answers_about_a_recipient_are_checked(void **state)
{
	static const struct {
		enum pool_outcome outcome;
		const char *text;
		enum accept_answer expected;
	} cases[] = {
		{POOL_ANSWERED, "{\"accept\":true,\"function\":\"tester\"}", ACCEPT_TAKEN},
		{POOL_ANSWERED, "{\"accept\":false,\"reason\":\"r\"}", ACCEPT_REFUSED},
		{POOL_ANSWERED, "{\"accept\":false,\"function\":\"tester\"}", ACCEPT_REFUSED},
		{POOL_ANSWERED, "{\"accept\":true}", ACCEPT_FAILED},
		{POOL_ANSWERED, "{\"accept\":true,\"function\":\"reports\"}", ACCEPT_FAILED},
		{POOL_ANSWERED, "{\"accept\":true,\"function\":\"none\"}", ACCEPT_FAILED},
		{POOL_ANSWERED, "{\"accept\":\"yes\",\"function\":\"tester\"}", ACCEPT_FAILED},
		{POOL_ANSWERED, "{\"accept\":true,\"function\":\"tester\",\"errorType\":\"E\"}",
			ACCEPT_FAILED},
		{POOL_ANSWERED, "{}", ACCEPT_FAILED},
		{POOL_BUSY, NULL, ACCEPT_FAILED},
		{POOL_CRASHED, NULL, ACCEPT_FAILED},
		{POOL_TIMED_OUT, NULL, ACCEPT_FAILED},
	};
	struct fixture *fixture = *state;

	fixture->manifest.functions[0].mail = true; /* reports is none that takes mail */
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct accept_result result;

		dispatch_read_accept(&fixture->manifest, cases[i].outcome, cases[i].text,
			cases[i].text != NULL ? strlen(cases[i].text) : 0, &result);
		if (result.answer != cases[i].expected)
			fail_msg("case %zu: %d", i, result.answer);
	}
}

int main(void)
{
#define DISPATCH(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		DISPATCH(the_event_is_the_receipt_notification),
		DISPATCH(the_message_lies_in_the_mail_store_before_its_event_is_sent),
		DISPATCH(a_failed_event_is_sent_again_and_a_good_answer_ends_it),
		DISPATCH(waiting_in_vain_for_a_handler_is_no_try),
		DISPATCH(after_three_failures_the_message_is_put_aside_with_the_reason),
		DISPATCH(what_was_put_aside_is_deleted_after_48_hours),
		DISPATCH(one_slow_function_does_not_hold_up_another),
		DISPATCH(one_client_holds_no_more_handlers_than_it_leaves_free),
		DISPATCH(clients_take_turns_and_each_keeps_its_order),
		DISPATCH(mail_of_no_known_client_waits_as_one_clients),
		DISPATCH(what_a_stop_cuts_off_is_sent_after_the_next_start),
		DISPATCH(mail_for_a_function_that_is_gone_stays_in_the_spool),
		DISPATCH(answers_about_a_recipient_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
