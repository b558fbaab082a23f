/* A handler process as its supervisor sees it: answers, stray lines, death, limits. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/process/process-lines.h"
#include "tests/support/test-event.h"

enum { PATIENCE_MS = 5000 };

static char script[] = "/tmp/eds-test-process-XXXXXX";
static struct rt_process process;

/* The handler is a shell script, started as the supervisor starts any handler. */
static void start(const char *body)
{
	static const char *const environment[] = {"PATH=/usr/bin:/bin", "MARK=here", NULL};
	struct rt_process_spec spec = {.path = script,
		.argument = "--kept",
		.environment = environment,
		.shares_page = true};
	FILE *file = fopen(script, "w");

	assert_non_null(file);
	fprintf(file, "#!/bin/sh\n%s\n", body);
	fclose(file);
	assert_int_equal(chmod(script, 0700), 0);
	assert_true(rt_process_start(&process, &spec));
}

static enum rt_process_result wait_for_result(const char **answer, size_t *length)
{
	enum rt_process_result result;
	struct pollfd readable = {.fd = process.out, .events = POLLIN};

	do {
		if (!rt_process_has_more(&process))
			assert_int_equal(poll(&readable, 1, PATIENCE_MS), 1);
		result = rt_process_read(&process, answer, length);
	} while (result == RT_PROCESS_AGAIN);
	return result;
}

static int make_script(void **state)
{
	int fd = mkstemp(script);

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	return fd < 0 ? -1 : close(fd);
}

static int remove_script(void **state)
{
	(void)state;
	return unlink(script);
}

static int stop(void **state)
{
	(void)state;
	rt_process_stop(&process);
	return 0;
}

static void an_answer_comes_back_without_its_tag(void **state)
{
	const char *answer;
	size_t length;

	(void)state;
	start("while read tag rest; do echo \"$tag {\\\"got\\\":$rest}\"; done");
	for (int i = 0; i < 3; i++) {
		assert_true(rt_process_send(&process, "{\"n\":1}", 7, false));
		assert_int_equal(wait_for_result(&answer, &length), RT_PROCESS_ANSWER);
		assert_string_equal(answer, "{\"got\":{\"n\":1}}");
		assert_int_equal(length, strlen(answer));
		assert_int_equal(process.event_count, 0);
	}
}

static void counts_are_not_part_of_the_answer(void **state)
{
	static const struct {
		const char *said;
		const char *answer;
		const char *counts;
	} rows[] = {
		{"{} dnsAsked=3,dnsTimeout=1", "{}", "dnsAsked=3,dnsTimeout=1"},
		{"{\"a\":1}", "{\"a\":1}", ""},
		{"{\"a\":\"} b=1\"}", "{\"a\":\"} b=1\"}", ""},
		{"12", "12", ""},
		{"{}a=1", "{}a=1", ""},
		{"{} a b=1", "{} a b=1", ""},
	};
	const char *answer;
	size_t length;

	(void)state;
	start("while read tag rest; do echo \"$tag $rest\"; done");
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		assert_true(rt_process_send(&process, rows[i].said, strlen(rows[i].said), false));
		assert_int_equal(wait_for_result(&answer, &length), RT_PROCESS_ANSWER);
		assert_string_equal(answer, rows[i].answer);
		assert_int_equal(length, strlen(rows[i].answer));
		assert_string_equal(process.counts, rows[i].counts);
	}
}

static void a_framed_answer_has_its_declared_length(void **state)
{
	static const struct {
		const char *said;
		enum rt_process_result result;
		const char *answer;
		const char *counts;
	} rows[] = {
		{"@6 {}\\n\\nab\\n", RT_PROCESS_ANSWER, "{}\n\nab", ""},
		{"@2 {}\\n", RT_PROCESS_ANSWER, "{}", ""},
		{"@6 {}\\na b a=1,b=2\\n", RT_PROCESS_ANSWER, "{}\na b", "a=1,b=2"},
		{"@5 {}\\na b a=1\\n", RT_PROCESS_BROKEN, NULL, NULL},
		{"@2 {} a=1 b=2\\n", RT_PROCESS_BROKEN, NULL, NULL},
		{"@0 \\n", RT_PROCESS_ANSWER, "", ""},
		{"@ {}\\n", RT_PROCESS_BROKEN, NULL, NULL},
		{"@2{}\\n", RT_PROCESS_BROKEN, NULL, NULL},
		{"@-2 {}\\n", RT_PROCESS_BROKEN, NULL, NULL},
		{"@99999999 {}\\n", RT_PROCESS_BROKEN, NULL, NULL},
		{"@18446744073709551618 {}\\n", RT_PROCESS_BROKEN, NULL, NULL},
		{"@2 {}x\\n", RT_PROCESS_BROKEN, NULL, NULL},
		{"{\"a\":1} a=1\\n", RT_PROCESS_ANSWER, "{\"a\":1}", "a=1"},
	};
	const char *answer;
	size_t length;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		start("read -r tag rest; printf \"$tag $rest\"; sleep 5");
		assert_true(rt_process_send(&process, rows[i].said, strlen(rows[i].said), true));
		if (wait_for_result(&answer, &length) != rows[i].result)
			fail_msg("%s", rows[i].said);
		if (rows[i].result == RT_PROCESS_ANSWER) {
			assert_string_equal(answer, rows[i].answer);
			assert_int_equal(length, strlen(rows[i].answer));
			assert_string_equal(process.counts, rows[i].counts);
		}
		rt_process_stop(&process);
	}
}

static void a_frame_where_none_was_asked_for_is_read_as_a_line(void **state)
{
	const char *answer;
	size_t length;

	(void)state;
	start("read -r tag rest; printf '%s @2 {}\n' \"$tag\"; sleep 5");
	assert_true(rt_process_send(&process, "{}", 2, false));
	assert_int_equal(wait_for_result(&answer, &length), RT_PROCESS_ANSWER);
	assert_string_equal(answer, "@2 {}");
}

static void several_events_are_answered_in_their_order(void **state)
{
	const char *answer;
	size_t length;

	(void)state;
	start("while read -r tag rest; do echo \"$tag $rest\"; done");
	assert_true(rt_process_queue(&process, "1", 1, false));
	assert_true(rt_process_queue(&process, "2", 1, true));
	assert_true(rt_process_queue(&process, "3", 1, false));
	assert_true(rt_process_flush(&process));
	assert_int_equal(wait_for_result(&answer, &length), RT_PROCESS_ANSWER);
	assert_string_equal(answer, "1");
	assert_int_equal(wait_for_result(&answer, &length), RT_PROCESS_ANSWER);
	assert_string_equal(answer, "2");
	assert_int_equal(wait_for_result(&answer, &length), RT_PROCESS_ANSWER);
	assert_string_equal(answer, "3");
	assert_int_equal(process.event_count, 0);
}

static void answers_in_another_order_break_the_protocol(void **state)
{
	const char *answer;
	size_t length;

	(void)state;
	start("read -r one rest; read -r two rest; printf '%s {}\n%s {}\n' \"$two\" \"$one\"; sleep 5");
	assert_true(rt_process_queue(&process, "1", 1, false));
	assert_true(rt_process_queue(&process, "2", 1, false));
	assert_true(rt_process_flush(&process));
	assert_int_equal(wait_for_result(&answer, &length), RT_PROCESS_BROKEN);
}

static void a_program_that_does_not_read_the_page_takes_no_further_event(void **state)
{
	const char *answer;
	size_t length;

	(void)state;
	start("read -r tag rest; echo \"$tag {}\"; sleep 5");
	assert_false(rt_process_takes_more(&process));
	assert_true(rt_process_send(&process, "{}", 2, false));
	assert_int_equal(wait_for_result(&answer, &length), RT_PROCESS_ANSWER);
	assert_false(rt_process_takes_more(&process));
}

static void a_program_that_does_not_read_the_page_may_have_begun_its_event(void **state)
{
	(void)state;
	start("sleep 5");
	assert_true(rt_process_send(&process, "{}", 2, false));
	assert_int_equal(rt_process_take_back(&process, true), 1);
}

static void an_answer_with_a_stray_line_leaves_its_event_begun(void **state)
{
	const char *answer;
	size_t length;

	(void)state;
	start("read -r tag rest; printf '%s {}\n%s {}\n' \"$tag\" \"$tag\"; sleep 5");
	assert_true(rt_process_send(&process, "{}", 2, false));
	assert_int_equal(wait_for_result(&answer, &length), RT_PROCESS_BROKEN);
	assert_int_equal(rt_process_take_back(&process, true), 1);
}

static void the_text_of_an_event_is_kept_until_its_answer(void **state)
{
	enum { AHEAD = 3, EVENTS = 40 };

	(void)state;
	start("while read -r tag rest; do echo \"$tag $rest\"; done");
	for (int i = 0; i < EVENTS; i++) {
		int first = i + 1 - AHEAD;
		char event[EVENTS];
		const char *text;
		size_t length;
		bool framed;

		snprintf(event, sizeof event, "%0*d", 2 + i % 4 * 10, i);
		assert_true(rt_process_send(&process, event, strlen(event), i % 2 == 1));
		if (first < 0)
			continue;
		text = rt_process_first(&process, &length, &framed);
		assert_int_equal(length, 2 + first % 4 * 10);
		assert_int_equal(strtol(text, NULL, 10), first);
		assert_int_equal(framed, first % 2 == 1);
		assert_int_equal(wait_for_result(&text, &length), RT_PROCESS_ANSWER);
	}
}

static void a_line_with_a_strange_tag_breaks_the_protocol(void **state)
{
	const char *answer;
	size_t length;

	(void)state;
	start("read line; echo '#99 {}'");
	assert_true(rt_process_send(&process, "{}", 2, false));
	assert_int_equal(wait_for_result(&answer, &length), RT_PROCESS_BROKEN);
}

static void a_stray_line_after_an_answer_breaks_the_protocol(void **state)
{
	const char *answer;
	size_t length;

	(void)state;
	start("read tag rest; printf '%s {}\\nstray\\n' \"$tag\"; sleep 5");
	assert_true(rt_process_send(&process, "{}", 2, false));
	assert_int_equal(wait_for_result(&answer, &length), RT_PROCESS_BROKEN);
}

static void a_line_that_nobody_asked_for_breaks_the_protocol(void **state)
{
	const char *answer;
	size_t length;

	(void)state;
	start("echo '#1 {}'; sleep 5");
	assert_int_equal(wait_for_result(&answer, &length), RT_PROCESS_BROKEN);
}

static void the_death_of_a_handler_is_noticed(void **state)
{
	const char *answer;
	size_t length;
	int status;

	(void)state;
	start("read line; kill -SEGV $$");
	assert_true(rt_process_send(&process, "{}", 2, false));
	assert_int_equal(wait_for_result(&answer, &length), RT_PROCESS_ENDED);
	status = rt_process_stop(&process);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(process.pid, 0);
}

static void a_large_event_is_sent_as_the_handler_reads(void **state)
{
	enum { EVENT_BYTES = 4 * 1024 * 1024 };
	char *event = malloc(EVENT_BYTES);
	const char *answer;
	size_t length;
	struct pollfd writable;

	(void)state;
	assert_non_null(event);
	memset(event, 'x', EVENT_BYTES);
	start("sleep 0.1; read tag rest; echo \"$tag ${#rest}\"");
	assert_true(rt_process_send(&process, event, EVENT_BYTES, false));
	assert_true(rt_process_unsent(&process));
	writable = (struct pollfd){.fd = process.in, .events = POLLOUT};
	while (rt_process_unsent(&process)) {
		assert_int_equal(poll(&writable, 1, PATIENCE_MS), 1);
		assert_true(rt_process_flush(&process));
	}
	assert_int_equal(wait_for_result(&answer, &length), RT_PROCESS_ANSWER);
	assert_string_equal(answer, "4194304");
	free(event);
}

/* Writes unsent events whenever the pipe has room, until the next answer arrives. */
static void flush_until_answered(void)
{
	struct pollfd ready[] = {
		{.fd = process.out, .events = POLLIN}, {.fd = process.in, .events = POLLOUT}};
	enum rt_process_result result = RT_PROCESS_AGAIN;
	const char *answer;
	size_t length;

	while (result == RT_PROCESS_AGAIN) {
		assert_true(poll(ready, 2, PATIENCE_MS) > 0);
		assert_true(rt_process_flush(&process));
		result = rt_process_read(&process, &answer, &length);
	}
	assert_int_equal(result, RT_PROCESS_ANSWER);
}

/* A client that sends many events can keep the pipe to a handler full for as long as it likes, so
 * memory for events that wait for the pipe must be bounded. */
static void memory_for_unsent_events_stays_bounded_while_the_pipe_stays_full(void **state)
{
	enum { EVENT_BYTES = 8 * 1024, AHEAD = 4, EVENTS = 60, PIPE_BYTES = 4 * 1024 };
	static char event[EVENT_BYTES];

	(void)state;
	memset(event, 'x', sizeof event);
	start("while read -r tag rest; do echo \"$tag {}\"; done");
	assert_int_equal(fcntl(process.in, F_SETPIPE_SZ, PIPE_BYTES), PIPE_BYTES);
	for (int i = 0; i < AHEAD; i++)
		assert_true(rt_process_queue(&process, event, sizeof event, false));
	for (int i = 0; i < EVENTS; i++) {
		flush_until_answered();
		assert_true(rt_process_unsent(&process));
		assert_true(rt_process_queue(&process, event, sizeof event, false));
	}
	assert_true(process.send_capacity <= 2 * (AHEAD + 1) * sizeof event);
}

static void the_room_of_a_large_event_is_given_back(void **state)
{
	enum { EVENT_BYTES = 4 * 1024 * 1024 };
	char *event = malloc(EVENT_BYTES);

	(void)state;
	assert_non_null(event);
	memset(event, 'x', EVENT_BYTES);
	start("while read -r tag rest; do echo \"$tag {}\"; done");
	assert_true(rt_process_send(&process, event, EVENT_BYTES, false));
	free(event);
	flush_until_answered();
	assert_true(rt_process_send(&process, "{}", 2, false));
	flush_until_answered();
	assert_true(process.send_capacity <= 1024 * 1024);
}

static void a_handler_gets_only_its_environment_and_four_descriptors(void **state)
{
	int inherited = dup(STDOUT_FILENO);
	const char *answer;
	size_t length;

	(void)state;
	/* this descriptor lacks the close-on-exec flag, so only the supervisor can keep it from the
	 * handler */
	assert_true(inherited > 2);
	start("n=none; for f in 4 5 6 7 8 9; do [ -e /proc/$$/fd/$f ] && n=$f; done;"
	      "read tag rest; echo \"$tag $n $MARK $(env | grep -c -e HOME -e USER)\"");
	assert_true(rt_process_send(&process, "{}", 2, false));
	assert_int_equal(wait_for_result(&answer, &length), RT_PROCESS_ANSWER);
	assert_string_equal(answer, "none here 0");
	close(inherited);
}

static void stopping_a_handler_leaves_none_of_its_children(void **state)
{
	const char *answer;
	size_t length;
	pid_t child;

	(void)state;
	start("sleep 600 & read tag rest; echo \"$tag $!\"; wait");
	assert_true(rt_process_send(&process, "{}", 2, false));
	assert_int_equal(wait_for_result(&answer, &length), RT_PROCESS_ANSWER);
	child = (pid_t)strtol(answer, NULL, 10);
	assert_int_equal(kill(child, 0), 0);
	rt_process_stop(&process);
	for (int i = 0; i < 100 && kill(child, 0) == 0; i++)
		usleep(20000);
	assert_true(kill(child, 0) < 0 && errno == ESRCH);
}

static void a_handler_does_not_preempt_the_process_that_wakes_it(void **state)
{
	(void)state;
	start("read line; sleep 60");
	for (int i = 0; i < PATIENCE_MS && sched_getscheduler(process.pid) != SCHED_BATCH; i++)
		usleep(1000);
	assert_int_equal(sched_getscheduler(process.pid), SCHED_BATCH);
	assert_int_equal(sched_getscheduler(0), SCHED_OTHER);
}

static void a_missing_program_cannot_be_started(void **state)
{
	static const char *const environment[] = {NULL};
	struct rt_process_spec spec = {.path = "/nonexistent/handler", .environment = environment};

	(void)state;
	assert_false(rt_process_start(&process, &spec));
	assert_int_equal(process.pid, 0);
}

#define process_test(test) cmocka_unit_test_teardown(test, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		process_test(an_answer_comes_back_without_its_tag),
		process_test(counts_are_not_part_of_the_answer),
		process_test(a_framed_answer_has_its_declared_length),
		process_test(a_frame_where_none_was_asked_for_is_read_as_a_line),
		process_test(several_events_are_answered_in_their_order),
		process_test(answers_in_another_order_break_the_protocol),
		process_test(a_program_that_does_not_read_the_page_takes_no_further_event),
		process_test(a_program_that_does_not_read_the_page_may_have_begun_its_event),
		process_test(an_answer_with_a_stray_line_leaves_its_event_begun),
		process_test(the_text_of_an_event_is_kept_until_its_answer),
		process_test(a_line_with_a_strange_tag_breaks_the_protocol),
		process_test(a_stray_line_after_an_answer_breaks_the_protocol),
		process_test(a_line_that_nobody_asked_for_breaks_the_protocol),
		process_test(the_death_of_a_handler_is_noticed),
		process_test(a_large_event_is_sent_as_the_handler_reads),
		process_test(memory_for_unsent_events_stays_bounded_while_the_pipe_stays_full),
		process_test(the_room_of_a_large_event_is_given_back),
		process_test(a_handler_gets_only_its_environment_and_four_descriptors),
		process_test(stopping_a_handler_leaves_none_of_its_children),
		process_test(a_handler_does_not_preempt_the_process_that_wakes_it),
		process_test(a_missing_program_cannot_be_started),
	};

	return cmocka_run_group_tests(tests, make_script, remove_script);
}
