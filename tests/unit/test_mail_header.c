#include "functions/lib/mail/header.h"
#include "tests/support/test-event.h"

static struct eds_header read_bytes(const char *message, size_t length)
{
	struct eds_header header;

	/* A copy of exact size, so that sanitizers detect a read past its end. */
	eds_header_read(&test_event, rt_memdup(&test_event, message, length), length, &header);
	return header;
}

static struct eds_header read_text(const char *message)
{
	return read_bytes(message, strlen(message));
}

static const char *text_of(const struct eds_header *header, const char *name, size_t nth)
{
	const struct eds_field *field = eds_header_find(header, name, nth);

	assert_non_null(field);
	return eds_field_text(&test_event, field);
}

/* size bytes with the value c, and a NUL. */
static char *repeat(char c, size_t size)
{
	char *text = rt_alloc(&test_event, size + 1);

	memset(text, c, size);
	return text;
}

static void fields_come_in_order_with_their_values(void **state)
{
	struct eds_header header = read_text("From: a@example.com\r\nTo:b@example.com\r\n\r\nbody");

	(void)state;
	assert_int_equal(header.count, 2);
	assert_string_equal(text_of(&header, "From", 0), "a@example.com");
	assert_string_equal(text_of(&header, "To", 0), "b@example.com");
	assert_int_equal(
		header.body_offset, strlen("From: a@example.com\r\nTo:b@example.com\r\n\r\n"));
	assert_string_equal(header.limit, "");
	assert_false(header.malformed);
}

static void the_body_begins_after_the_first_empty_line(void **state)
{
	static const struct {
		const char *message;
		size_t offset;
		size_t fields;
	} cases[] = {
		{"", 0, 0},
		{"\n", 1, 0},
		{"\r\n", 2, 0},
		{"\r", 1, 0},
		{"A: b", 4, 1},
		{"A: b\n", 5, 1},
		{"A: b\n\n", 6, 1},
		{"A: b\r\n\r\n", 8, 1},
		{"A: b\n\r\nx", 7, 1},
		{"A: b\r\n\nx", 7, 1},
		{"\r\nA: b\r\n", 2, 0},
		{"A: b\n\nB: c\n\n", 6, 1},
		{"A: b\n \n\nx", 8, 1},
		{"A:", 2, 1},
		{"A:\r", 3, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct eds_header header = read_text(cases[i].message);

		if (header.body_offset != cases[i].offset || header.count != cases[i].fields)
			fail_msg("case %zu: offset %zu, %zu fields", i, header.body_offset,
				header.count);
	}
}

static void a_field_is_found_in_any_case_and_by_number(void **state)
{
	struct eds_header header = read_text(
		"Received: one\nreceived: two\nRECEIVED: three\nX: y\n\n");

	(void)state;
	assert_int_equal(eds_header_count(&header, "rEcEiVeD"), 3);
	assert_string_equal(text_of(&header, "received", 0), "one");
	assert_string_equal(text_of(&header, "received", 1), "two");
	assert_string_equal(text_of(&header, "received", 2), "three");
	assert_null(eds_header_find(&header, "received", 3));
	assert_null(eds_header_find(&header, "Receive", 0));
	assert_null(eds_header_find(&header, "Received-SPF", 0));
	assert_int_equal(eds_header_count(&header, ""), 0);
}

static void space_before_the_colon_is_not_part_of_the_name(void **state)
{
	struct eds_header header = read_text("From \t: a@example.com\n\n");

	(void)state;
	assert_string_equal(text_of(&header, "From", 0), "a@example.com");
	assert_false(header.malformed);
}

static void lines_that_are_not_fields_are_skipped_with_their_continuations(void **state)
{
	static const char *const cases[] = {
		"From someone Mon Jan 1\nA: b\n\n",
		" folded: first\nA: b\n\n",
		"\tfolded: first\nA: b\n\n",
		": no name\nA: b\n\n",
		"no colon\n C: d\nA: b\n\n",
		"two words: x\nA: b\n\n",
		"\x01trl: x\nA: b\n\n",
		"\xc3\xa9: x\nA: b\n\n",
		"A: b\nlast line",
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct eds_header header = read_text(cases[i]);

		if (header.count != 1 || !header.malformed)
			fail_msg("case %zu: %zu fields", i, header.count);
		assert_string_equal(text_of(&header, "A", 0), "b");
	}
}

static void a_value_is_unfolded_trimmed_and_free_of_controls(void **state)
{
	static const struct {
		const char *message;
		const char *text;
	} cases[] = {
		{"A:   b  \n\n", "b"},
		{"A:\r\n b\r\n\tc\r\n\r\n", "b c"},
		{"A: b\n   c\n\n", "b   c"},
		{"A: b\rc\n\n", "b c"},
		{"A: b\x01\x7f"
		 "c\n\n",
			"b  c"},
		{"A:\n\n", ""},
		{"A: \t \n \n\n", ""},
		{"A: gr\xc3\xbc\xc3\x9f\n\n", "gr\xc3\xbc\xc3\x9f"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct eds_header header = read_text(cases[i].message);

		assert_string_equal(text_of(&header, "A", 0), cases[i].text);
	}
}

static void a_nul_in_a_value_becomes_a_space(void **state)
{
	struct eds_header header = read_bytes("A: b\0c\n\n", 8);

	(void)state;
	assert_int_equal(header.fields[0].value_length, 4);
	assert_string_equal(text_of(&header, "A", 0), "b c");
}

static void a_text_is_cut_at_8_kib_and_never_within_a_character(void **state)
{
	char *message = rt_printf(
		&test_event, "A: %s\xe2\x82\xac%s\n\n", repeat('x', 8191), repeat('y', 100));
	struct eds_header header = read_text(message);

	(void)state;
	assert_int_equal(strlen(text_of(&header, "A", 0)), 8191);
}

static void a_thousand_fields_are_read_and_no_more(void **state)
{
	char *message = rt_alloc(&test_event, 1002 * 5 + 3);
	struct eds_header header;

	(void)state;
	for (size_t i = 0; i < 1000; i++)
		memcpy(message + 5 * i, "A: b\n", 5);
	memcpy(message + 5000, "\nx", 3);
	header = read_text(message);
	assert_int_equal(header.count, 1000);
	assert_string_equal(header.limit, "");
	memcpy(message + 5000, "C: d\n\nx", 8);
	header = read_text(message);
	assert_int_equal(header.count, 1000);
	assert_string_not_equal(header.limit, "");
	assert_int_equal(header.body_offset, 5006);
	assert_null(eds_header_find(&header, "C", 0));
}

static void a_field_over_32_kib_ends_the_reading(void **state)
{
	char *message = rt_printf(&test_event, "A: b\nB: %s\nC: d\n\nbody",
		repeat('x', EDS_HEADER_FIELD_BYTES_MAX - 4));
	struct eds_header header = read_text(message);

	(void)state;
	assert_int_equal(header.count, 3);
	assert_string_equal(header.limit, "");
	message = rt_printf(
		&test_event, "A: b\nB: %s\nC: d\n\nbody", repeat('x', EDS_HEADER_FIELD_BYTES_MAX));
	header = read_text(message);
	assert_int_equal(header.count, 1);
	assert_string_not_equal(header.limit, "");
	assert_int_equal(header.body_offset, strlen(message) - 4);
}

static void a_header_is_read_up_to_256_kib(void **state)
{
	char *field = rt_printf(&test_event, "A: %s\n", repeat('x', 30000));
	size_t length = strlen(field);
	char *message = rt_alloc(&test_event, 20 * length + 2);
	struct eds_header header;

	(void)state;
	for (size_t i = 0; i < 20; i++)
		memcpy(message + i * length, field, length);
	message[20 * length] = '\n';
	header = read_text(message);
	assert_int_equal(header.count, 262144 / length);
	assert_string_not_equal(header.limit, "");
	assert_int_equal(header.body_offset, 20 * length + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(fields_come_in_order_with_their_values),
		TEST(the_body_begins_after_the_first_empty_line),
		TEST(a_field_is_found_in_any_case_and_by_number),
		TEST(space_before_the_colon_is_not_part_of_the_name),
		TEST(lines_that_are_not_fields_are_skipped_with_their_continuations),
		TEST(a_value_is_unfolded_trimmed_and_free_of_controls),
		TEST(a_nul_in_a_value_becomes_a_space),
		TEST(a_text_is_cut_at_8_kib_and_never_within_a_character),
		TEST(a_thousand_fields_are_read_and_no_more),
		TEST(a_field_over_32_kib_ends_the_reading),
		TEST(a_header_is_read_up_to_256_kib),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
