/* The form of a message, octet by octet. */
#include "functions/lib/mail/form.h"
#include "functions/lib/mail/from.h"
#include "tests/support/test-event.h"

static struct eds_form read_form(struct rt_ctx *ctx, const char *message, size_t length)
{
	struct eds_header header;
	struct eds_form form;

	eds_header_read(ctx, message, length, &header);
	eds_form_read(ctx, message, length, &header, &form);
	return form;
}

static struct eds_form form_of(struct rt_ctx *ctx, const char *message)
{
	return read_form(ctx, message, strlen(message));
}

static void a_plain_message_has_no_fault_of_form(void **state)
{
	struct eds_form form = form_of(*state,
		"From: a@example.com\r\nTo: b@example.com\r\n"
		"Subject: Hi\r\n\r\nHello.\r\n");

	assert_int_equal(form.doubled.count + form.doubled_other.count, 0);
	assert_int_equal(form.eight_bit.count, 0);
	assert_int_equal(form.long_lines, 0);
	assert_int_equal(form.longest_line, 19);
	assert_false(form.bare_cr || form.bare_lf || form.malformed);
	assert_true(form.whole && form.has_recipient);
}

static void repeated_fields_are_named_in_any_case(void **state)
{
	struct eds_form form = form_of(*state,
		"Subject: One\r\nSUBJECT: Two\r\nsubject: Three\r\nto: a@b.example\r\n"
		"To: c@b.example\r\nList-Unsubscribe: <x>\r\nlist-unsubscribe: <y>\r\n"
		"Received: a\r\nReceived: b\r\nX-Own: 1\r\nX-Own: 2\r\n\r\n");

	assert_string_equal(eds_form_names_text(*state, &form.doubled), "To, Subject");
	assert_string_equal(eds_form_names_text(*state, &form.doubled_other), "List-Unsubscribe");
}

static void every_field_of_the_table_may_occur_once(void **state)
{
	static const char *const names[] = {"From", "To", "Cc", "Bcc", "Subject", "Date",
		"Message-ID", "Reply-To", "Sender", "In-Reply-To", "References"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct eds_form form = form_of(
			*state, rt_printf(*state, "%s: x\r\n%s: y\r\n\r\n", names[i], names[i]));

		assert_string_equal(eds_form_names_text(*state, &form.doubled), names[i]);
	}
}

static void octets_over_127_in_values_are_distinguished_from_broken_utf8(void **state)
{
	struct eds_form form = form_of(
		*state, "Subject: caf\xc3\xa9\r\nTo: a@b.example\r\n\r\nBody \xe9\r\n");

	assert_string_equal(eds_form_names_text(*state, &form.eight_bit), "Subject");
	assert_true(form.eight_bit_utf8);
	form = form_of(*state, "Subject: caf\xe9\r\nX-\x7f: \xc3\xa9\r\n\r\n");
	assert_string_equal(eds_form_names_text(*state, &form.eight_bit), "Subject");
	assert_false(form.eight_bit_utf8);
}

static void listed_field_names_are_limited_in_number_and_length(void **state)
{
	struct rt_ctx *ctx = *state;
	const char *message = "";
	struct eds_form form;

	for (int i = 0; i < 20; i++)
		message = rt_printf(ctx,
			"%sX-%d-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
			"aaaa: \xe9\r\n",
			message, i);
	form = form_of(ctx, message);
	assert_int_equal(form.eight_bit.count, 8);
	assert_int_equal(strlen(form.eight_bit.items[0]), 64);
}

static void lines_are_measured_without_their_end(void **state)
{
	struct rt_ctx *ctx = *state;
	char line[1001];

	memset(line, 'a', 1000);
	line[1000] = '\0';
	assert_int_equal(form_of(ctx, rt_printf(ctx, "\r\n%.998s\r\n", line)).long_lines, 0);
	assert_int_equal(
		form_of(ctx, rt_printf(ctx, "\r\n%.999s\r\n%s\r\n", line, line)).long_lines, 2);
	assert_int_equal(form_of(ctx, rt_printf(ctx, "\r\n%s\r\n", line)).longest_line, 1000);
	assert_int_equal(form_of(ctx, rt_printf(ctx, "\r\n%.999s", line)).long_lines, 1);
}

static void a_bare_cr_or_lf_is_noticed(void **state)
{
	struct eds_form form = form_of(*state, "A: b\r\n\r\nx\ry\r\n");

	assert_true(form.bare_cr);
	assert_false(form.bare_lf);
	form = form_of(*state, "A: b\r\n\r\nx\ny\r\n");
	assert_false(form.bare_cr);
	assert_true(form.bare_lf);
	assert_true(form_of(*state, "A: b\r\n\r\nx\r").bare_cr);
	assert_true(form_of(*state, "A: b\r\r\n\r\n").bare_cr);
	assert_true(form_of(*state, "\n").bare_lf);
}

static void an_empty_message_has_no_fault_of_form(void **state)
{
	struct eds_form form = read_form(*state, "", 0);

	assert_int_equal(form.longest_line, 0);
	assert_false(form.bare_cr || form.bare_lf || form.has_recipient);
	form = read_form(*state, "A: b\0c\r\n", 8);
	assert_int_equal(form.longest_line, 6);
}

static void the_mailboxes_of_from_are_counted(void **state)
{
	static const struct {
		const char *value;
		size_t mailboxes;
	} cases[] = {
		{"a@example.com", 1},
		{"A <a@example.com>", 1},
		{"a@example.com <a@example.com>", 1},
		{"a@example.com, b@example.com", 2},
		{"A <a@example.com>, \"b@x.example\" <b@example.com>", 2},
		{"Team: a@example.com, b@example.com;", 2},
		{"Team: a@example.com;", 1},
		{"nobody", 0},
		{"", 0},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct eds_from from;

		eds_from_parse(*state, cases[i].value, strlen(cases[i].value), &from);
		if (from.mailboxes != cases[i].mailboxes)
			fail_msg("%s: %zu", cases[i].value, from.mailboxes);
	}
}

static void several_words_before_the_at_sign_of_an_address_are_noticed(void **state)
{
	static const struct {
		const char *value;
		bool words_before;
	} cases[] = {
		{"John john@example.com", true},
		{"\"Doe, John\" john@example.com", true},
		{"\"john\"doe@example.com", true},
		{"=?utf-8?Q?John?= john@example.com", true},
		{"<John john@example.com>", true},
		{"John john@example.com, A <a@example.com>", true},
		{"A <a@example.com>, John john@example.com", true},
		{"Team: John john@example.com;", true},
		{"john@example.com", false},
		{"(John) john@example.com (Doe)", false},
		{"john . doe@example.com", false},
		{"john.doe @ example.com", false},
		{"\"john doe\"@example.com", false},
		{"\"john\".doe@example.com", false},
		{"John Doe <john@example.com>", false},
		{"John john@example.com <john@example.com>", false},
		{"John Doe", false},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct eds_from from;

		eds_from_parse(*state, cases[i].value, strlen(cases[i].value), &from);
		if (from.words_before != cases[i].words_before)
			fail_msg("%s: %d", cases[i].value, from.words_before);
	}
}

static void a_comma_in_a_name_without_quotation_marks_is_noticed(void **state)
{
	static const struct {
		const char *value;
		bool name_alone;
	} cases[] = {
		{"Doe, John <john@example.com>", true},
		{"a@example.com, Doe, John <john@example.com>", true},
		{"A <a@example.com>, Doe, John <john@example.com>", true},
		{"\"Doe, John\" <john@example.com>", false},
		{"A <a@example.com>, John <john@example.com>", false},
		{"A <a@example.com>, , b@example.com", false},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct eds_from from;

		eds_from_parse(*state, cases[i].value, strlen(cases[i].value), &from);
		if (from.name_alone != cases[i].name_alone)
			fail_msg("%s: %d", cases[i].value, from.name_alone);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_plain_message_has_no_fault_of_form),
		TEST(repeated_fields_are_named_in_any_case),
		TEST(every_field_of_the_table_may_occur_once),
		TEST(octets_over_127_in_values_are_distinguished_from_broken_utf8),
		TEST(listed_field_names_are_limited_in_number_and_length),
		TEST(lines_are_measured_without_their_end),
		TEST(a_bare_cr_or_lf_is_noticed),
		TEST(an_empty_message_has_no_fault_of_form),
		TEST(the_mailboxes_of_from_are_counted),
		TEST(several_words_before_the_at_sign_of_an_address_are_noticed),
		TEST(a_comma_in_a_name_without_quotation_marks_is_noticed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
