#include "functions/lib/mail/from.h"
#include "tests/support/test-event.h"

struct from_case {
	const char *value;
	enum eds_from_state state;
	/* the expected domains, separated by commas; not compared if the state is
	 * EDS_FROM_INVALID */
	const char *domains;
};

static const char *joined(const struct eds_from *from)
{
	const char *text = "";

	for (size_t i = 0; i < from->count; i++)
		text = rt_printf(&test_event, "%s%s%s", text, i ? "," : "", from->domains[i]);
	return text;
}

static void check(const char *value, size_t length, enum eds_from_state state, const char *domains)
{
	struct eds_from from;

	eds_from_parse(&test_event, rt_memdup(&test_event, value, length), length, &from);
	if (from.state != state)
		fail_msg("%s: state %d (%s), domains %s", value, from.state, from.reason,
			joined(&from));
	if (state != EDS_FROM_INVALID && strcmp(joined(&from), domains) != 0)
		fail_msg("%s: domains %s", value, joined(&from));
	if ((state == EDS_FROM_ONE) != (*from.reason == '\0'))
		fail_msg("%s: reason \"%s\"", value, from.reason);
}

static void check_all(const struct from_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++)
		check(cases[i].value, strlen(cases[i].value), cases[i].state, cases[i].domains);
}

#define CHECK_ALL(cases) check_all(cases, sizeof cases / sizeof cases[0])

static void plain_addresses_and_names_give_their_domain(void **state)
{
	static const struct from_case cases[] = {
		{"a@example.com", EDS_FROM_ONE, "example.com"},
		{" a@example.com ", EDS_FROM_ONE, "example.com"},
		{"<a@example.com>", EDS_FROM_ONE, "example.com"},
		{"Ann <a@example.com>", EDS_FROM_ONE, "example.com"},
		{"Ann<a@example.com>", EDS_FROM_ONE, "example.com"},
		{"\"Ann\" <a@example.com>", EDS_FROM_ONE, "example.com"},
		{"\"Smith, Ann\" <a@example.com>", EDS_FROM_ONE, "example.com"},
		{"\"a@b.example\" <a@example.com>", EDS_FROM_ONE, "example.com"},
		{"\"<a@b.example>\" <a@example.com>", EDS_FROM_ONE, "example.com"},
		{"\"\\\"<a@b.example>\" <a@example.com>", EDS_FROM_ONE, "example.com"},
		{"Ann A. Smith <a@example.com>", EDS_FROM_ONE, "example.com"},
		{"a@EXAMPLE.COM", EDS_FROM_ONE, "example.com"},
		{"a@example.com.", EDS_FROM_ONE, "example.com"},
		{"a.b+c=d@mail.example.com", EDS_FROM_ONE, "mail.example.com"},
		{"Ann\r\n <a@example.com>", EDS_FROM_ONE, "example.com"},
		{"Ann <a@example.com>\r\n ", EDS_FROM_ONE, "example.com"},
		{"[Bugs] tracker <a@example.com>", EDS_FROM_ONE, "example.com"},
		{"J\xc3\xbcrgen <a@example.com>", EDS_FROM_ONE, "example.com"},
		{"J\xfcrgen <a@example.com>", EDS_FROM_ONE, "example.com"},
		{"O'Neill <a@example.com>", EDS_FROM_ONE, "example.com"},
	};

	(void)state;
	CHECK_ALL(cases);
}

static void quoted_local_parts_may_hold_anything(void **state)
{
	static const struct from_case cases[] = {
		{"\"a b\"@example.com", EDS_FROM_ONE, "example.com"},
		{"\"a@b\"@example.com", EDS_FROM_ONE, "example.com"},
		{"<\"a@b, c\"@example.com>", EDS_FROM_ONE, "example.com"},
		{"<\"a>b\"@example.com>", EDS_FROM_ONE, "example.com"},
		{"\"a\\\"@evil.example, \"@example.com", EDS_FROM_ONE, "example.com"},
		{"\"\"@example.com", EDS_FROM_ONE, "example.com"},
		{"a.\"b@c\".d@example.com", EDS_FROM_ONE, "example.com"},
	};

	(void)state;
	CHECK_ALL(cases);
}

static void comments_are_skipped_however_deep(void **state)
{
	static const struct from_case cases[] = {
		{"a@example.com (Ann)", EDS_FROM_ONE, "example.com"},
		{"(x@evil.example) a@example.com", EDS_FROM_ONE, "example.com"},
		{"a(x)@(y)example(z).(w)com(v)", EDS_FROM_ONE, "example.com"},
		{"a@example.com (one (two (three) x@y.example))", EDS_FROM_ONE, "example.com"},
		{"(\\) x@y.example) a@example.com", EDS_FROM_ONE, "example.com"},
		{"Ann (a@b.example) <(c@d.example)a@example.com(e)>", EDS_FROM_ONE, "example.com"},
		{"a@example.com (not closed", EDS_FROM_INVALID, ""},
		{"(((a@example.com", EDS_FROM_INVALID, ""},
		{"(a@example.com", EDS_FROM_INVALID, ""},
		{"()", EDS_FROM_NONE, ""},
	};

	(void)state;
	CHECK_ALL(cases);
}

static void deep_comments_cost_no_stack(void **state)
{
	size_t depth = 15000;
	char *value = rt_alloc(&test_event, 2 * depth + 20);

	(void)state;
	memset(value, '(', depth);
	memset(value + depth, ')', depth);
	strcpy(value + 2 * depth, "a@example.com");
	check(value, strlen(value), EDS_FROM_ONE, "example.com");
}

static void obsolete_forms_are_read(void **state)
{
	static const struct from_case cases[] = {
		{"a @ example . com", EDS_FROM_ONE, "example.com"},
		{"< a @ example . com >", EDS_FROM_ONE, "example.com"},
		{"a . b @ example.com", EDS_FROM_ONE, "example.com"},
		{"<@r1.example:a@example.com>", EDS_FROM_ONE, "example.com"},
		{"<@r1.example,@r2.example:a@example.com>", EDS_FROM_ONE, "example.com"},
		{"<@r1.example, , @r2.example : a@example.com>", EDS_FROM_ONE, "example.com"},
		{",a@example.com,,", EDS_FROM_ONE, "example.com"},
		{"<@r1.example a@example.com>", EDS_FROM_INVALID, ""},
		{"<@r1.example", EDS_FROM_INVALID, ""},
	};

	(void)state;
	CHECK_ALL(cases);
}

static void encoded_words_are_names_and_never_addresses(void **state)
{
	static const struct from_case cases[] = {
		{"=?utf-8?q?a=40b.example?= <a@example.com>", EDS_FROM_ONE, "example.com"},
		{"=?utf-8?q?a@b.example?= <a@example.com>", EDS_FROM_ONE, "example.com"},
		{"=?utf-8?q?Smith,_Ann?= <a@example.com>", EDS_FROM_ONE, "example.com"},
		{"=?utf-8?q?<x@y.example>?= <a@example.com>", EDS_FROM_ONE, "example.com"},
		{"=?utf-8?B?YUBiLmV4YW1wbGU=?= a@example.com", EDS_FROM_ONE, "example.com"},
		{"=?utf-8?q?a@b?=", EDS_FROM_NONE, ""},
		{"=?utf-8?q?a@b.example?=", EDS_FROM_NONE, ""},
		{"<=?utf-8?q?a@b.example?=>", EDS_FROM_NONE, ""},
		{"=?utf-8?q?a?=@example.com", EDS_FROM_INVALID, ""},
		{"<=?utf-8?q?a?=@example.com>", EDS_FROM_INVALID, ""},
		{"a@=?utf-8?q?example.com?=", EDS_FROM_INVALID, ""},
		{"=?utf-8?x?a@b.example?=", EDS_FROM_INVALID, ""},
		{"=?utf-8?q?a@example.com", EDS_FROM_ONE, "example.com"},
		{"=?@example.com", EDS_FROM_ONE, "example.com"},
		{"=?utf-8?@example.com", EDS_FROM_ONE, "example.com"},
		{"=?utf-8?q@example.com", EDS_FROM_ONE, "example.com"},
	};

	(void)state;
	CHECK_ALL(cases);
}

static void a_group_gives_the_domains_of_its_members(void **state)
{
	static const struct from_case cases[] = {
		{"G: a@example.com;", EDS_FROM_ONE, "example.com"},
		{"G: Ann <a@example.com>, b@example.com;", EDS_FROM_ONE, "example.com"},
		{"\"G, g\": a@example.com;", EDS_FROM_ONE, "example.com"},
		{"G: a@example.com", EDS_FROM_ONE, "example.com"},
		{"G: a@example.com; H: b@example.com;", EDS_FROM_ONE, "example.com"},
		{"G: a@example.com;, b@example.org", EDS_FROM_SEVERAL, "example.com,example.org"},
		{"G: a@example.com, b@example.org;", EDS_FROM_SEVERAL, "example.com,example.org"},
		{"G:;", EDS_FROM_NONE, ""},
		{"undisclosed-recipients:;", EDS_FROM_NONE, ""},
		{"G:;, a@example.com", EDS_FROM_ONE, "example.com"},
		{"G: H: a@example.com;;", EDS_FROM_INVALID, ""},
		{"mailto:a@example.com", EDS_FROM_ONE, "example.com"},
	};

	(void)state;
	CHECK_ALL(cases);
}

static void one_domain_many_times_counts_once(void **state)
{
	static const struct from_case cases[] = {
		{"a@example.com, b@example.com", EDS_FROM_ONE, "example.com"},
		{"a@example.com, b@EXAMPLE.com.", EDS_FROM_ONE, "example.com"},
		{"a@b\xc3\xbc"
		 "cher.example, b@xn--bcher-kva.example",
			EDS_FROM_ONE, "xn--bcher-kva.example"},
	};

	(void)state;
	CHECK_ALL(cases);
}

static void several_domains_are_recognized_as_several(void **state)
{
	static const struct from_case cases[] = {
		{"a@example.com, b@example.org", EDS_FROM_SEVERAL, "example.com,example.org"},
		{"a@example.com,b@mail.example.com", EDS_FROM_SEVERAL,
			"example.com,mail.example.com"},
		{"a@example.com b@example.org", EDS_FROM_SEVERAL, "example.com,example.org"},
		{"a@example.com; b@example.org", EDS_FROM_SEVERAL, "example.com,example.org"},
		{"<a@example.com> <b@example.org>", EDS_FROM_SEVERAL, "example.com,example.org"},
		{"<a@example.com> b@example.org", EDS_FROM_SEVERAL, "example.com,example.org"},
		{"<a@example.com, b@example.org>", EDS_FROM_SEVERAL, "example.com,example.org"},
		{"<a@example.com <b@example.org>>", EDS_FROM_SEVERAL, "example.com,example.org"},
		{"Ann <a@example.com>, Bob <b@example.org>, c@example.net", EDS_FROM_SEVERAL,
			"example.com,example.org,example.net"},
	};

	(void)state;
	CHECK_ALL(cases);
}

static void forms_seen_in_real_mail_are_read(void **state)
{
	static const struct from_case cases[] = {
		{"a@example.org <a@example.com>", EDS_FROM_ONE, "example.com"},
		{"a@[192.0.2.1] <a@example.com>", EDS_FROM_ONE, "example.com"},
		{"Ann a@example.com", EDS_FROM_ONE, "example.com"},
		{"Smith, Ann <a@example.com>", EDS_FROM_ONE, "example.com"},
		{"Ann <a@example.com", EDS_FROM_ONE, "example.com"},
		{"a@example.com>", EDS_FROM_ONE, "example.com"},
		{"<a@example.com>>", EDS_FROM_ONE, "example.com"},
		{"<a@example.com> junk", EDS_FROM_ONE, "example.com"},
		{"a@example.com junk", EDS_FROM_ONE, "example.com"},
		{"a@example.com <>", EDS_FROM_ONE, "example.com"},
		{"<Ann Smith@example.com>", EDS_FROM_ONE, "example.com"},
		{"Ann :-) <a@example.com>", EDS_FROM_ONE, "example.com"},
		{"12:30 <a@example.com>", EDS_FROM_ONE, "example.com"},
	};

	(void)state;
	CHECK_ALL(cases);
}

static void a_field_without_an_address_has_no_domain(void **state)
{
	static const struct from_case cases[] = {
		{"", EDS_FROM_NONE, ""},
		{"   ", EDS_FROM_NONE, ""},
		{"root", EDS_FROM_NONE, ""},
		{"Ann Smith", EDS_FROM_NONE, ""},
		{"<>", EDS_FROM_NONE, ""},
		{"Ann <>", EDS_FROM_NONE, ""},
		{"<root>", EDS_FROM_NONE, ""},
		{",,,", EDS_FROM_NONE, ""},
		{";", EDS_FROM_NONE, ""},
		{">", EDS_FROM_NONE, ""},
		{"<", EDS_FROM_NONE, ""},
		{")", EDS_FROM_NONE, ""},
		{"\\", EDS_FROM_NONE, ""},
	};

	(void)state;
	CHECK_ALL(cases);
}

static void a_field_that_mail_programs_read_differently_is_invalid(void **state)
{
	static const char *const cases[] = {
		"a@[192.0.2.1]",
		"<a@[IPv6:2001:db8::1]>",
		"a@192.0.2.1",
		"a@[192.0.2.1], b@example.com",
		"a@",
		"<a@>",
		"@example.com",
		"<@example.com>",
		"a@b@example.com",
		"<a@b.example@example.com>",
		"a@-example.com",
		"a@example..com",
		"a@exa_mple!.com",
		"a@\"example.com\"",
		"a@example.com\"x\"",
		"a@example.com@",
		"\"not closed <a@example.com>",
		"\"",
		"\"a\\",
		"<mailto:a@example.com>",
		"a@exa\\mple.com",
		("a@example.com\xef\xbc\xa0"
		 "evil.example"),
		"a@exa\xe2\x80\xaemple.com",
		"a@example.com\x01",
		"a@example.com\xff",
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		check(cases[i], strlen(cases[i]), EDS_FROM_INVALID, "");
}

static void a_fullwidth_at_makes_no_address(void **state)
{
	(void)state;
	check("a\xef\xbc\xa0"
	      "example.com",
		14, EDS_FROM_NONE, "");
}

static void a_nul_makes_the_field_invalid(void **state)
{
	(void)state;
	check("a@example.com\0.evil.example", 27, EDS_FROM_INVALID, "");
	check("\0a@example.com", 14, EDS_FROM_INVALID, "");
}

static void more_domains_than_the_limit_still_count_as_several(void **state)
{
	char *value = rt_strdup(&test_event, "");
	struct eds_from from;

	(void)state;
	for (int i = 0; i < 40; i++)
		value = rt_printf(&test_event, "%sa@d%d.example,", value, i);
	eds_from_parse(&test_event, value, strlen(value), &from);
	assert_int_equal(from.state, EDS_FROM_SEVERAL);
	assert_int_equal(from.count, 16);
}

static void a_domain_as_long_as_the_field_is_invalid(void **state)
{
	char *value = rt_alloc(&test_event, 32001);

	(void)state;
	memset(value, 'a', 32000);
	value[1] = '@';
	check(value, 32000, EDS_FROM_INVALID, "");
}

static struct eds_from read_message(const char *message)
{
	struct eds_header header;
	struct eds_from from;

	eds_header_read(&test_event, message, strlen(message), &header);
	eds_from_read(&test_event, &header, &from);
	return from;
}

static void the_from_field_of_a_message_is_read(void **state)
{
	struct eds_from from = read_message(
		"To: x@y.example\r\nFROM : Ann\r\n <a@example.com>\r\n\r\n");

	(void)state;
	assert_int_equal(from.state, EDS_FROM_ONE);
	assert_string_equal(from.domains[0], "example.com");
}

static void a_message_without_from_has_none(void **state)
{
	struct eds_from from = read_message("Sender: a@example.com\nX-From: a@example.com\n\n"
					    "From: b@example.com\n");

	(void)state;
	assert_int_equal(from.state, EDS_FROM_NONE);
	assert_string_not_equal(from.reason, "");
}

static void two_from_fields_are_several_even_with_one_domain(void **state)
{
	struct eds_from from = read_message("From: a@example.com\nfrom: b@example.com\n\n");

	(void)state;
	assert_int_equal(from.state, EDS_FROM_SEVERAL);
	assert_int_equal(from.count, 1);
	from = read_message("From: a@example.com\nFrom : b@example.org\n\n");
	assert_int_equal(from.state, EDS_FROM_SEVERAL);
	assert_string_equal(joined(&from), "example.com,example.org");
}

static void a_header_that_was_not_read_to_its_end_leaves_from_uncertain(void **state)
{
	char *message = rt_alloc(&test_event, 40100);
	size_t length = (size_t)sprintf(message, "From: a@example.com\nX: ");
	struct eds_from from;

	(void)state;
	memset(message + length, 'x', 40000);
	strcpy(message + length + 40000, "\nFrom: b@example.org\n\n");
	from = read_message(message);
	assert_int_equal(from.state, EDS_FROM_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(plain_addresses_and_names_give_their_domain),
		TEST(quoted_local_parts_may_hold_anything),
		TEST(comments_are_skipped_however_deep),
		TEST(deep_comments_cost_no_stack),
		TEST(obsolete_forms_are_read),
		TEST(encoded_words_are_names_and_never_addresses),
		TEST(a_group_gives_the_domains_of_its_members),
		TEST(one_domain_many_times_counts_once),
		TEST(several_domains_are_recognized_as_several),
		TEST(forms_seen_in_real_mail_are_read),
		TEST(a_field_without_an_address_has_no_domain),
		TEST(a_field_that_mail_programs_read_differently_is_invalid),
		TEST(a_fullwidth_at_makes_no_address),
		TEST(a_nul_makes_the_field_invalid),
		TEST(more_domains_than_the_limit_still_count_as_several),
		TEST(a_domain_as_long_as_the_field_is_invalid),
		TEST(the_from_field_of_a_message_is_read),
		TEST(a_message_without_from_has_none),
		TEST(two_from_fields_are_several_even_with_one_domain),
		TEST(a_header_that_was_not_read_to_its_end_leaves_from_uncertain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
