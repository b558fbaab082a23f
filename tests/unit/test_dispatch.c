/* Dispatch: one event per message and function, tried three times, then moved to failed/. */
#include <fcntl.h>
#include <sys/stat.h>

#include "local/dispatch/dispatch.h"
#include "local/spool/spool-replay.h"
#include "tests/unit/dispatch_fixture.h"

static void the_event_is_the_receipt_notification(void **state)
{
	struct fixture *fixture = *state;
	const json_t *event;
	const json_t *mail;
	const json_t *headers;

	add_message(fixture, "id-1", "tester");
	run_until(fixture, 1);
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
	/* the fields are Received, Subject, From and X-Raw */
	assert_int_equal(json_array_size(headers), 4);
	assert_string_equal(json_string_value(json_object_get(json_array_get(headers, 1), "value")),
		"=?x?= folded");
	assert_string_equal(json_string_value(json_object_get(json_array_get(headers, 3), "value")),
		"\xef\xbf\xbd\"\\");
	assert_true(json_is_false(json_object_get(mail, "headersTruncated")));
	assert_int_equal(json_array_size(json_object_get(mail, "destination")), 2);
	answer(0, POOL_ANSWERED, "{}");
	assert_int_equal(dispatch_queued(fixture->dispatch), 0);
}

static void the_message_is_in_the_mail_store_before_its_event_is_sent(void **state)
{
	struct fixture *fixture = *state;

	add_message(fixture, "id-2", "tester");
	run_until(fixture, 1);
	assert_true(exists(fixture, "mail/id-2"));
	answer(0, POOL_ANSWERED, "{}");
	/* the function, not the dispatch, deletes the message */
	assert_true(exists(fixture, "mail/id-2"));
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
		run_until(fixture, before + 1);
		answer(before, failures[i].outcome, failures[i].text);
		assert_int_equal(dispatch_queued(fixture->dispatch), 1);
		run_until(fixture, before + 2);
		answer(before + 1, POOL_ANSWERED, "{\"errorMessage\":\"not at the top\"}");
		assert_int_equal(dispatch_queued(fixture->dispatch), 0);
	}
}

static void an_event_that_found_no_free_handler_was_not_a_try(void **state)
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
	RUN_UNTIL(fixture, !exists(fixture, "mail/id-4"));
	snprintf(path, sizeof path, "%s/failed/id-4.json", fixture->spool_folder);
	report = json_load_file(path, 0, NULL);
	assert_string_equal(json_string_value(json_object_get(report, "reason")), "Oops: because");
	assert_string_equal(json_string_value(json_object_get(report, "function")), "tester");
	json_decref(report);
}

static const char *read_so_far(int fd, char *text, size_t size)
{
	size_t length = strlen(text);
	ssize_t got = read(fd, text + length, size - 1 - length);

	text[length + (got > 0 ? (size_t)got : 0)] = '\0';
	return text;
}

static void a_message_put_aside_that_cannot_be_removed_is_logged(void **state)
{
	struct fixture *fixture = *state;
	int saved = dup(STDERR_FILENO);
	char text[8192] = "";
	char path[160];
	int ends[2];

	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	dup2(ends[1], STDERR_FILENO);
	add_message(fixture, "id-7", "tester");
	for (size_t i = 0; i < 3; i++) {
		run_until(fixture, i + 1);
		snprintf(path, sizeof path, "%s/mail/id-7", fixture->folder);
		if (i == 2) { /* a folder in place of the message: removing it fails */
			assert_int_equal(remove(path), 0);
			assert_int_equal(mkdir(path, 0700), 0);
		}
		answer(i, POOL_ANSWERED, "{\"errorType\":\"Oops\",\"errorMessage\":\"because\"}");
	}
	RUN_UNTIL(fixture,
		strstr(read_so_far(ends[0], text, sizeof text),
			"\"requestId\":\"id-7\",\"message\":\"a message that was given up could not be removed from the mail store") !=
			NULL);
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(ends[0]);
	close(ends[1]);
}

static void mail_waits_while_the_mail_store_fails_and_no_try_is_counted(void **state)
{
	struct fixture *fixture = *state;
	char store[160];

	snprintf(store, sizeof store, "%s/mail", fixture->folder);
	fclose(fopen(store, "w")); /* with a file in place of its folder the mail store fails */
	add_message(fixture, "id-9", "tester");
	for (int i = 0; i < 2 * DISPATCH_TRIES; i++) {
		assert_int_equal(submitted_count, 0);
		assert_int_equal(dispatch_queued(fixture->dispatch), 1);
		event_base_loop(fixture->base, EVLOOP_ONCE);
	}
	assert_false(exists(fixture, "spool/failed/id-9.eml"));
	assert_int_equal(remove(store), 0);
	run_until(fixture, 1);
	assert_true(exists(fixture, "mail/id-9"));
	answer(0, POOL_ANSWERED, "{}");
	assert_int_equal(dispatch_queued(fixture->dispatch), 0);
}

static void mail_that_was_put_aside_is_deleted_after_48_hours(void **state)
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

static void on_left(void *arg, const struct spool_place *place, const struct spool_mail *mail)
{
	struct fixture *fixture = arg;

	dispatch_add(fixture->dispatch, place, mail->targets[place->target].function,
		mail->client_ip, 0, mail->received_at_ms);
}

static void an_event_cut_off_by_a_stop_is_sent_after_the_next_start(void **state)
{
	struct fixture *fixture = *state;
	size_t cut_off;

	add_message(fixture, "id-5", "tester");
	add_message(fixture, "id-6", "tester");
	run_until(fixture, 2);
	dispatch_stop(fixture->dispatch);
	add_message(fixture, "id-7", "tester");
	stays_at(fixture, 2);
	/* the two messages may be submitted in either order, because they are moved in parallel */
	cut_off = strcmp(submitted_id(0), "id-6") == 0 ? 0 : 1;
	answer(1 - cut_off, POOL_ANSWERED, "{}");
	answer(cut_off, POOL_CRASHED, NULL);
	stop(fixture);
	start(fixture);
	assert_int_equal(spool_replay(fixture->spool, on_left, fixture), 0);
	run_until(fixture, 4);
	cut_off = strcmp(submitted_id(2), "id-6") == 0 ? 2 : 3;
	assert_string_equal(submitted_id(cut_off), "id-6");
	assert_string_equal(submitted_id(5 - cut_off), "id-7");
	answer_all(fixture, 2, 4);
}

static void mail_for_a_function_that_no_longer_exists_stays_in_the_spool(void **state)
{
	struct fixture *fixture = *state;

	add_message(fixture, "id-8", "removed");
	stays_at(fixture, 0);
	assert_int_equal(dispatch_queued(fixture->dispatch), 0);
	fixture->manifest.functions[1].name = "removed";
	stop(fixture);
	start(fixture);
	spool_replay(fixture->spool, on_left, fixture);
	run_until(fixture, 1);
	answer(0, POOL_ANSWERED, "{}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISPATCH(the_event_is_the_receipt_notification),
		DISPATCH(the_message_is_in_the_mail_store_before_its_event_is_sent),
		DISPATCH(a_failed_event_is_sent_again_and_a_good_answer_ends_it),
		DISPATCH(an_event_that_found_no_free_handler_was_not_a_try),
		DISPATCH(after_three_failures_the_message_is_put_aside_with_the_reason),
		DISPATCH(a_message_put_aside_that_cannot_be_removed_is_logged),
		DISPATCH(mail_waits_while_the_mail_store_fails_and_no_try_is_counted),
		DISPATCH(mail_that_was_put_aside_is_deleted_after_48_hours),
		DISPATCH(an_event_cut_off_by_a_stop_is_sent_after_the_next_start),
		DISPATCH(mail_for_a_function_that_no_longer_exists_stays_in_the_spool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
