/* The lines that a kept handler reads: tags, several lines at once, pieces, lines over the limit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/event/handler-lines.h"
#include "runtime/io.h"

enum {
	EVENT_MAX = 1000,
};

static struct rt_lines lines;
static struct rt_line line;
/* the end of the pipe that the test writes to; the other end is standard input */
static int supervisor;

static int set_up(void **state)
{
	int ends[2];

	(void)state;
	if (pipe(ends) != 0 || dup2(ends[0], STDIN_FILENO) < 0)
		return -1;
	close(ends[0]);
	supervisor = ends[1];
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	close(supervisor);
	free(lines.bytes);
	memset(&lines, 0, sizeof lines);
	return 0;
}

static void say(const char *text)
{
	assert_true(rt_write_all(supervisor, text, strlen(text)));
}

static void assert_line(const char *tag, uint64_t number, const char *event)
{
	assert_true(rt_lines_next(&lines, EVENT_MAX, &line));
	assert_string_equal(line.tag, tag);
	assert_int_equal(line.number, number);
	assert_int_equal(line.length, strlen(event));
	assert_memory_equal(line.event, event, line.length);
}

static void lines_that_arrive_together_are_read_one_by_one(void **state)
{
	(void)state;
	say("#1+ {}\n#2=+ {\"a\":1}\n{}\n\n#3");
	assert_line("#1+ ", 1, "{}");
	assert_line("#2=+ ", 2, "{\"a\":1}");
	assert_line("", 0, "{}");
	assert_line("", 0, "");
	say(" [1]\n#4 ");
	assert_line("#3 ", 3, "[1]");
	close(supervisor);
	assert_false(rt_lines_next(&lines, EVENT_MAX, &line));
}

static void a_line_follows_the_one_that_was_read_with_it(void **state)
{
	(void)state;
	say("{}\n[1]\n[2");
	assert_line("", 0, "{}");
	assert_false(line.follows);
	assert_line("", 0, "[1]");
	assert_true(line.follows);
	say("]\n[3]\n");
	assert_line("", 0, "[2]");
	assert_false(line.follows);
	assert_line("", 0, "[3]");
	assert_true(line.follows);
}

static void a_tag_names_what_the_supervisor_accepts(void **state)
{
	static const struct {
		const char *said;
		bool counts, frame;
	} rows[] = {
		{"#17 {}\n", false, false},
		{"#17+ {}\n", true, false},
		{"#17=+ {}\n", true, true},
		{"#17= {}\n", false, false},
		{"# {}\n", false, false},
		{"#+ {}\n", true, false},
		{"#17+= {}\n", false, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		say(rows[i].said);
		assert_true(rt_lines_next(&lines, EVENT_MAX, &line));
		assert_int_equal(line.wants_counts, rows[i].counts);
		assert_int_equal(line.wants_frame, rows[i].frame);
		assert_int_equal(line.length, 2);
	}
}

static void a_first_word_longer_than_a_tag_belongs_to_the_event(void **state)
{
	(void)state;
	say("#1234567890123456789012345678901 {}\n#12345678901234567890123456789 {}\n#nospace\n");
	assert_line("", 0, "#1234567890123456789012345678901 {}");
	assert_line("#12345678901234567890123456789 ", UINT64_MAX, "{}");
	assert_line("", 0, "#nospace");
}

static void a_line_over_the_limit_keeps_its_tag_alone(void **state)
{
	char piece[EVENT_MAX];

	(void)state;
	memset(piece, 'x', sizeof piece - 1);
	piece[sizeof piece - 1] = '\0';
	say("#7+ ");
	say(piece);
	say(piece);
	say("\n#8+ {}\n");
	assert_true(rt_lines_next(&lines, EVENT_MAX, &line));
	assert_string_equal(line.tag, "#7+ ");
	if (line.event != NULL)
		/* the event is complete: its two pieces came in one read */
		assert_int_equal(line.length, 2 * (sizeof piece - 1));
	assert_line("#8+ ", 8, "{}");
}

static void a_line_that_comes_in_pieces_over_the_limit_is_dropped(void **state)
{
	char piece[EVENT_MAX];

	(void)state;
	memset(piece, 'x', sizeof piece - 1);
	piece[sizeof piece - 1] = '\0';
	say("#7+ ");
	say(piece);
	assert_int_equal(rt_lines_read(&lines), EVENT_MAX + 3);
	say(piece);
	say("\n#8+ {}\n");
	assert_true(rt_lines_next(&lines, EVENT_MAX, &line));
	assert_string_equal(line.tag, "#7+ ");
	assert_null(line.event);
	assert_line("#8+ ", 8, "{}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(lines_that_arrive_together_are_read_one_by_one),
		TEST(a_line_follows_the_one_that_was_read_with_it),
		TEST(a_tag_names_what_the_supervisor_accepts),
		TEST(a_first_word_longer_than_a_tag_belongs_to_the_event),
		TEST(a_line_over_the_limit_keeps_its_tag_alone),
		TEST(a_line_that_comes_in_pieces_over_the_limit_is_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
