/* Log lines on standard error. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime/config/config.h"
#include "runtime/journal/journal.h"
#include "runtime/log.h"
#include "tests/support/test-event.h"
#include "tests/unit/temp_folder.h"

enum {
	SAID_MAX = 64 * 1024,
	LINE_MAX_BYTES = 8192,
};

struct capture {
	int saved; /* the previous standard error */
	int from;  /* the end from which the test reads the pipe that replaces it */
	int wakes; /* number of calls that asked for a flush */
};

static void on_soon(void *arg)
{
	struct capture *capture = arg;

	capture->wakes++;
}

static int set_up(void **state)
{
	static struct capture capture;
	int ends[2];

	if (pipe2(ends, O_NONBLOCK) != 0)
		return -1;
	capture = (struct capture){.saved = dup(STDERR_FILENO), .from = ends[0]};
	dup2(ends[1], STDERR_FILENO);
	close(ends[1]);
	*state = &capture;
	return 0;
}

static int tear_down(void **state)
{
	struct capture *capture = *state;

	rt_log_hold(NULL, NULL);
	dup2(capture->saved, STDERR_FILENO);
	close(capture->saved);
	close(capture->from);
	return 0;
}

/* The text written since the last call. */
static const char *said(const struct capture *capture)
{
	static char text[SAID_MAX];
	ssize_t got = read(capture->from, text, sizeof text - 1);

	text[got < 0 ? 0 : got] = '\0';
	return text;
}

static size_t count_lines(const char *text)
{
	size_t lines = 0;

	for (; *text != '\0'; text++)
		lines += *text == '\n';
	return lines;
}

static void a_line_is_written_with_its_members(void **state)
{
	rt_log_line(RT_LOG_INFO, "f", "id", "%s", "first");
	assert_non_null(strstr(said(*state),
		"\"level\":\"info\",\"function\":\"f\",\"requestId\":\"id\",\"message\":\"first\"}\n"));
}

static void lines_below_the_configured_level_are_not_written(void **state)
{
	setenv("EDS_LOG_LEVEL", "warning", 1);
	rt_config_require();
	rt_log_line(RT_LOG_INFO, NULL, NULL, "not said");
	rt_log_line(RT_LOG_WARNING, NULL, NULL, "said");
	assert_int_equal(count_lines(said(*state)), 1);
	unsetenv("EDS_LOG_LEVEL");
	rt_config_require();
	rt_log_line(RT_LOG_INFO, NULL, NULL, "said again");
	assert_int_equal(count_lines(said(*state)), 1);
}

static void text_of_strangers_stays_on_one_line(void **state)
{
	const char *text;

	rt_log_line(RT_LOG_INFO, NULL, NULL, "%s", "a\nb\x1b[2J\xc2\x9b\xff\"\\");
	text = said(*state);
	assert_int_equal(count_lines(text), 1);
	assert_non_null(strstr(text, "\"a\\u000ab\\u001b[2J\\u009b\xef\xbf\xbd\\\"\\\\\"}\n"));
}

static void text_of_strangers_does_not_turn_the_direction_of_a_line(void **state)
{
	/* RIGHT-TO-LEFT OVERRIDE, FIRST STRONG ISOLATE, LINE SEPARATOR; é and the euro sign */
	rt_log_line(RT_LOG_INFO, NULL, NULL, "%s",
		"a\xe2\x80\xae"
		"b\xe2\x81\xa8"
		"c\xe2\x80\xa8\xc3\xa9\xe2\x82\xac");
	assert_non_null(
		strstr(said(*state), "\"a\\u202eb\\u2068c\\u2028\xc3\xa9\xe2\x82\xac\"}\n"));
}

static void held_lines_are_written_together_and_in_order(void **state)
{
	struct capture *capture = *state;
	const char *text;

	rt_log_hold(on_soon, capture);
	rt_log_line(RT_LOG_INFO, NULL, NULL, "one");
	assert_int_equal(capture->wakes, 1);
	rt_log_line(RT_LOG_WARNING, NULL, NULL, "two");
	assert_string_equal(said(capture), "");
	assert_int_equal(capture->wakes, 1);
	rt_log_flush();
	text = said(capture);
	assert_int_equal(count_lines(text), 2);
	assert_true(strstr(text, "one") < strstr(text, "two"));
	rt_log_flush();
	assert_string_equal(said(capture), "");
}

static void an_error_is_written_at_once_after_the_held_lines(void **state)
{
	struct capture *capture = *state;
	const char *text;

	rt_log_hold(on_soon, capture);
	rt_log_line(RT_LOG_INFO, NULL, NULL, "before");
	rt_log_line(RT_LOG_ERROR, NULL, NULL, "broken");
	text = said(capture);
	assert_int_equal(count_lines(text), 2);
	assert_true(strstr(text, "before") < strstr(text, "broken"));
}

static void more_lines_than_can_be_held_are_all_written(void **state)
{
	enum { LINES = 100 };
	struct capture *capture = *state;
	char message[400];
	size_t lines = 0;

	memset(message, 'x', sizeof message - 1);
	message[sizeof message - 1] = '\0';
	rt_log_hold(on_soon, capture);
	for (int i = 0; i < LINES; i++) {
		rt_log_line(RT_LOG_INFO, NULL, NULL, "%s", message);
		lines += count_lines(said(capture));
	}
	assert_in_range(lines, 1, LINES - 1);
	rt_log_flush();
	assert_int_equal(lines + count_lines(said(capture)), LINES);
}

/* The lines of handlers come through the same pipe, so a longer write could be split, with lines of
 * handlers between its parts. */
static void held_lines_are_never_more_than_a_pipe_takes_at_once(void **state)
{
	struct capture *capture = *state;
	const char *text;

	rt_log_hold(on_soon, capture);
	for (int i = 0; i < 1000; i++) {
		rt_log_line(RT_LOG_INFO, NULL, NULL, "line %d", i);
		text = said(capture);
		assert_in_range(strlen(text), 0, PIPE_BUF);
		assert_true(*text == '\0' || text[strlen(text) - 1] == '\n');
	}
}

static void the_end_of_holding_writes_the_held_lines(void **state)
{
	struct capture *capture = *state;

	rt_log_hold(on_soon, capture);
	rt_log_line(RT_LOG_INFO, NULL, NULL, "held");
	rt_log_hold(NULL, NULL);
	assert_non_null(strstr(said(capture), "held"));
	rt_log_line(RT_LOG_INFO, NULL, NULL, "direct");
	assert_non_null(strstr(said(capture), "direct"));
}

/* The log line with one field of this length and nothing else. */
static const char *line_with(struct capture *capture, size_t digits)
{
	static char value[LINE_MAX_BYTES + 1];
	const struct rt_log_field field = {.name = "n", .text = value, .bare = true};

	memset(value, '1', digits);
	value[digits] = '\0';
	rt_log_fields(RT_LOG_INFO, NULL, NULL, &field, 1, "end");
	return said(capture);
}

/* {"time":"2026-01-31T23:59:59.000Z","level":"info","n":…,"message":"end"} and the line's end */
static void a_line_has_4096_octets_and_members_that_do_not_fit_are_left_out(void **state)
{
	const size_t before = strlen(
		"{\"time\":\"2026-01-31T23:59:59.000Z\",\"level\":\"info\",\"n\":");
	const char *text = line_with(*state, 4088 - before);

	assert_int_equal(strlen(text), 4090);
	assert_non_null(strstr(text, ":111"));
	assert_string_equal(text + 4088, "}\n");
	text = line_with(*state, 4089 - before);
	assert_null(strstr(text, ":111"));
	assert_non_null(strstr(text, "\"message\":\"end\"}\n"));
}

/* Sets JOURNAL_STREAM as systemd does for a program whose standard error is a stream of the
 * journal. */
static void name_journal_stream(int fd)
{
	char text[64];
	struct stat status;

	assert_int_equal(fstat(fd, &status), 0);
	snprintf(text, sizeof text, "%ju:%ju", (uintmax_t)status.st_dev, (uintmax_t)status.st_ino);
	setenv("JOURNAL_STREAM", text, 1);
}

/* A socket like the journal's, in a folder of its own. */
static int open_journal(char folder[static TEMP_FOLDER_BYTES], struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	assert_true(make_temp_folder(folder, "eds-log"));
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	snprintf(address->sun_path, sizeof address->sun_path, "%s/socket", folder);
	assert_int_equal(bind(fd, (const struct sockaddr *)address, sizeof *address), 0);
	return fd;
}

static void the_journal_gets_the_members_of_a_line_as_fields(void **state)
{
	static const struct rt_log_field fields[] = {
		{.name = "status", .text = "503", .bare = true},
		{.name = "clientIp", .text = "192.0.2.1\nPRIORITY=0"},
	};
	struct capture *capture = *state;
	char folder[TEMP_FOLDER_BYTES];
	struct sockaddr_un address;
	int journal = open_journal(folder, &address);
	char text[LINE_MAX_BYTES];
	ssize_t got;

	name_journal_stream(STDERR_FILENO);
	rt_journal_use(address.sun_path);
	rt_log_set_trace("ceed1814");
	rt_log_fields(RT_LOG_WARNING, "tester-analyze", "r-1", fields, 2, "\"so\" \x1b[31m it is");
	rt_log_set_trace(NULL);
	got = recv(journal, text, sizeof text - 1, MSG_DONTWAIT);
	assert_true(got > 0);
	text[got] = '\0';
	assert_string_equal(text,
		"PRIORITY=4\nSYSLOG_IDENTIFIER=eds\nEDS_LEVEL=warning\n"
		"EDS_FUNCTION=tester-analyze\nEDS_REQUEST_ID=r-1\nEDS_TRACE_ID=ceed1814\n"
		"EDS_STATUS=503\nEDS_CLIENT_IP=192.0.2.1\\u000aPRIORITY=0\n"
		"MESSAGE=\"so\" \\u001b[31m it is\n");
	assert_string_equal(said(capture), "");
	unsetenv("JOURNAL_STREAM");
	close(journal);
	unlink(address.sun_path);
	rmdir(folder);
}

static void a_field_that_does_not_fit_leaves_the_entry_whole(void **state)
{
	char folder[TEMP_FOLDER_BYTES];
	struct sockaddr_un address;
	int journal = open_journal(folder, &address);
	char long_text[LINE_MAX_BYTES];
	char text[LINE_MAX_BYTES];
	const struct rt_log_field field = {.name = "long", .text = long_text};
	ssize_t got;

	(void)state;
	memset(long_text, 'x', sizeof long_text - 1);
	long_text[sizeof long_text - 1] = '\0';
	name_journal_stream(STDERR_FILENO);
	rt_journal_use(address.sun_path);
	rt_log_fields(RT_LOG_INFO, NULL, NULL, &field, 1, "end");
	got = recv(journal, text, sizeof text - 1, MSG_DONTWAIT);
	assert_in_range(got, 4000, 4096);
	text[got] = '\0';
	assert_null(strstr(text, "\n\n"));
	assert_memory_equal(text + got - 3, "xx\n", 3);
	unsetenv("JOURNAL_STREAM");
	close(journal);
	unlink(address.sun_path);
	rmdir(folder);
}

static void the_journal_gets_the_priority_of_a_line(void **state)
{
	struct capture *capture = *state;

	name_journal_stream(STDERR_FILENO);
	rt_journal_use("/nowhere/socket");
	rt_log_line(RT_LOG_ERROR, NULL, NULL, "broken");
	assert_memory_equal(said(capture), "<3>{\"time\":\"", 12);
	rt_log_line(RT_LOG_WARNING, NULL, NULL, "odd");
	assert_memory_equal(said(capture), "<4>{\"time\":\"", 12);
	rt_log_line(RT_LOG_INFO, NULL, NULL, "well");
	assert_memory_equal(said(capture), "<6>{\"time\":\"", 12);
	unsetenv("JOURNAL_STREAM");
}

static void a_file_that_is_not_the_journal_gets_json_alone(void **state)
{
	struct capture *capture = *state;

	name_journal_stream(STDIN_FILENO);
	rt_log_line(RT_LOG_ERROR, NULL, NULL, "broken");
	assert_memory_equal(said(capture), "{\"time\":\"", 9);
	setenv("JOURNAL_STREAM", "nonsense", 1);
	rt_log_line(RT_LOG_ERROR, NULL, NULL, "broken");
	assert_memory_equal(said(capture), "{\"time\":\"", 9);
	unsetenv("JOURNAL_STREAM");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(a_line_is_written_with_its_members),
		TEST(lines_below_the_configured_level_are_not_written),
		TEST(text_of_strangers_stays_on_one_line),
		TEST(text_of_strangers_does_not_turn_the_direction_of_a_line),
		TEST(held_lines_are_written_together_and_in_order),
		TEST(an_error_is_written_at_once_after_the_held_lines),
		TEST(more_lines_than_can_be_held_are_all_written),
		TEST(held_lines_are_never_more_than_a_pipe_takes_at_once),
		TEST(the_end_of_holding_writes_the_held_lines),
		TEST(a_line_has_4096_octets_and_members_that_do_not_fit_are_left_out),
		TEST(the_journal_gets_the_members_of_a_line_as_fields),
		TEST(a_field_that_does_not_fit_leaves_the_entry_whole),
		TEST(the_journal_gets_the_priority_of_a_line),
		TEST(a_file_that_is_not_the_journal_gets_json_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
