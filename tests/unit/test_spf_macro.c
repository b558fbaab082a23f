/* Macros, explanations, and hostile records, senders and names. */
#include "tests/unit/spf_fixture.h"

static void octets_that_are_not_text_are_a_syntax_error(void **state)
{
	static const struct {
		const char *octets;
		size_t length;
	} records[] = {
		{"v=spf1 +all\0", 12},
		{"v=spf1 \0+all", 12},
		{"v=spf1 a:x\0y.example", 20},
		{"v=spf1 +all\x01", 12},
		{"v=spf1 \x1b[31m", 12},
		{"v=spf1 a:\xff.example", 18},
		{"v=spf1 x=\x80", 10},
	};

	(void)state;
	for (size_t i = 0; i < sizeof records / sizeof records[0]; i++) {
		zone_init(&zone, &ctx);
		zone_add(&zone, "example.com", EDS_DNS_TXT, records[i].octets, records[i].length);
		assert_int_equal(evaluate(), EDS_SPF_PERMERROR);
		assert_string_equal(result.reason_code, "syntax");
	}
}

static void macros_expand_as_in_the_examples_of_the_rfc(void **state)
{
	static const struct { /* the examples of RFC 7208 section 7.4 */
		const char *macros;
		const char *expanded;
	} cases[] = {
		{"%{s}", "strong-bad@email.example.com"},
		{"%{o}", "email.example.com"},
		{"%{d}", "email.example.com"},
		{"%{d4}", "email.example.com"},
		{"%{d3}", "email.example.com"},
		{"%{d2}", "example.com"},
		{"%{d1}", "com"},
		{"%{dr}", "com.example.email"},
		{"%{d2r}", "example.email"},
		{"%{l}", "strong-bad"},
		{"%{l-}", "strong.bad"},
		{"%{lr}", "strong-bad"},
		{"%{lr-}", "bad.strong"},
		{"%{l1r-}", "strong"},
		{"%{ir}.%{v}._spf.%{d2}", "3.2.0.192.in-addr._spf.example.com"},
		{"%{lr-}.lp._spf.%{d2}", "bad.strong.lp._spf.example.com"},
		{"%{S}", "strong-bad%40email.example.com"},
		{"%{d999999999999}", "email.example.com"},
		{"%%%_%-", "% %20"},
		{"%{h} %{r} %{c}", "mail.example.com mx.receiver.example 192.0.2.3"},
		{"%{p}", "unknown"},
	};

	(void)state;
	input.mail_from = "strong-bad@email.example.com";
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_int_equal(
			evaluate_from("192.0.2.3",
				rt_printf(&ctx,
					"email.example.com TXT v=spf1 -all exp=why.example\n"
					"why.example TXT %s",
					cases[i].macros)),
			EDS_SPF_FAIL);
		assert_string_equal(result.explanation, cases[i].expanded);
	}
	evaluate_from("2001:db8::cb01",
		"email.example.com TXT v=spf1 -all exp=why.example\n"
		"why.example TXT %{ir}.%{v} %{c}");
	assert_string_equal(result.explanation,
		"1.0.B.C.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.B.D.0.1.0.0.2.ip6 "
		"2001:db8::cb01");
}

static void the_clients_name_is_one_in_the_domain_if_there_is_any(void **state)
{
	static const char zone_lines[] = "example.com TXT v=spf1 -all exp=why.example\n"
					 "why.example TXT %{p}\n"
					 "host.example A 192.0.2.1\nmail.example.com A 192.0.2.1\n"
					 "example.com A 192.0.2.1\n"
					 "forged.example.com A 192.0.2.2\n";
	static const struct {
		const char *names;
		const char *expected;
	} cases[] = {
		{"PTR host.example", "host.example"},
		{"PTR host.example\n1.2.0.192.in-addr.arpa PTR mail.example.com",
			"mail.example.com"},
		{"PTR mail.example.com\n1.2.0.192.in-addr.arpa PTR Example.com", "Example.com"},
		{"PTR forged.example.com\n1.2.0.192.in-addr.arpa PTR host.example", "host.example"},
		{"PTR forged.example.com", "unknown"},
		{"FAIL SERVFAIL", "unknown"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_int_equal(evaluate_in(rt_printf(&ctx, "%s1.2.0.192.in-addr.arpa %s",
					 zone_lines, cases[i].names)),
			EDS_SPF_FAIL);
		assert_string_equal(result.explanation, cases[i].expected);
	}
}

static void the_clients_name_is_looked_up_once_however_often_a_record_uses_it(void **state)
{
	(void)state;
	assert_int_equal(evaluate_in("example.com TXT v=spf1 exists:%{p}.%{p}.%{p}.%{p}.x.example "
				     "exists:%{p1}.%{p}.%{p}.x.example ~all\n"
				     "1.2.0.192.in-addr.arpa PTR example.com\n"
				     "example.com A 192.0.2.1"),
		EDS_SPF_SOFTFAIL);
	/* the questions are TXT, PTR, A of the PTR name, and two for exists */
	assert_int_equal(zone.asked, 5);
}

static void a_name_that_grows_over_253_octets_loses_labels_on_the_left(void **state)
{
	char local[201];

	(void)state;
	memset(local, 'x', 200);
	for (int i = 9; i < 200; i += 10)
		local[i] = '.';
	local[199] = 'x';
	local[200] = '\0';
	input.mail_from = rt_printf(&ctx, "%s@example.com", local);
	zone_init(&zone, &ctx);
	zone_load(&zone, "example.com TXT v=spf1 exists:%{l}.%{l1}.%{l}.example.com -all");
	/* An expanded name has 253 octets at most (RFC 7208 section 7.3), so labels are cut off on
	 * the left; each label has nine octets. */
	zone_load(&zone,
		rt_printf(
			&ctx, "%s.%s.%s.example.com A 127.0.0.1", local + 170, local + 190, local));
	assert_int_equal(strlen(local + 170) + strlen(local + 190) + strlen(local) + 14, 254);
	assert_int_equal(evaluate(), EDS_SPF_FAIL);
	zone_load(&zone,
		rt_printf(
			&ctx, "%s.%s.%s.example.com A 127.0.0.1", local + 180, local + 190, local));
	assert_int_equal(evaluate(), EDS_SPF_PASS);
}

static void the_explanation_is_that_of_the_record_that_decided(void **state)
{
	static const char texts[] = "\none.example TXT one\ntwo.example TXT two";

	(void)state;
	assert_int_equal(evaluate_in(rt_printf(&ctx,
				 "example.com TXT v=spf1 exp=one.example redirect=b.example\n"
				 "b.example TXT v=spf1 -all exp=two.example%s",
				 texts)),
		EDS_SPF_FAIL);
	assert_string_equal(result.explanation, "two");
	evaluate_in(rt_printf(&ctx,
		"example.com TXT v=spf1 exp=one.example redirect=b.example\n"
		"b.example TXT v=spf1 -all%s",
		texts));
	assert_string_equal(result.explanation, "");
	evaluate_in(rt_printf(&ctx,
		"example.com TXT v=spf1 include:b.example -all exp=one.example\n"
		"b.example TXT v=spf1 -all exp=two.example%s",
		texts));
	assert_string_equal(result.explanation, "one");
	evaluate_in(rt_printf(&ctx, "example.com TXT v=spf1 ~all exp=one.example%s", texts));
	assert_string_equal(result.explanation, "");
}

static void a_wrong_explanation_is_left_out_and_the_result_stays(void **state)
{
	static const char *const lines[] = {"", "why.example TXT one\nwhy.example TXT two",
		"why.example TXT %{x}", "why.example TXT 100%", "why.example TXT caf\xc3\xa9",
		"why.example TXT a\tb", "why.example FAIL SERVFAIL", "why.example A 192.0.2.1"};

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		assert_int_equal(
			evaluate_in(rt_printf(
				&ctx, "example.com TXT v=spf1 -all exp=why.example\n%s", lines[i])),
			EDS_SPF_FAIL);
		assert_string_equal(result.explanation, "");
		assert_string_equal(result.reason_code, "");
		assert_string_equal(result.mechanism, "-all");
	}
}

static void an_explanation_whose_name_grows_endlessly_is_left_out_too(void **state)
{
	struct rt_buffer line;

	(void)state;
	input.mail_from = rt_printf(&ctx, "%0500d@example.com", 0);
	rt_buffer_init(&line, &ctx, EDS_SPF_RECORD_MAX);
	rt_buffer_text(&line, "example.com TXT v=spf1 -all exp=");
	for (int i = 0; i < 100; i++)
		rt_buffer_text(&line, "%{s}");
	assert_int_equal(evaluate_in(line.bytes), EDS_SPF_FAIL);
	assert_string_equal(result.explanation, "");
	assert_string_equal(result.reason_code, "");
}

/* Macros that overflow, abort or confuse libspf2 when it expands them itself. */
static void records_that_break_libspf2_are_harmless(void **state)
{
	struct rt_buffer lines;
	struct rt_buffer macros;
	struct rt_buffer name;

	(void)state;
	input.mail_from = rt_printf(&ctx, "%0500d@example.com", 0);
	rt_buffer_init(&macros, &ctx, EDS_SPF_RECORD_MAX);
	for (int i = 0; i < 127; i++)
		rt_buffer_text(&macros, "%{o}");
	rt_buffer_init(&lines, &ctx, 65536);
	rt_buffer_format(&lines, "example.com TXT v=spf1 a:%sA.example -all exp=why.example\n",
		macros.bytes);
	rt_buffer_format(&lines, "why.example TXT %sA\n", macros.bytes);
	assert_int_equal(evaluate_in(lines.bytes), EDS_SPF_FAIL);
	/* the expanded explanation exceeds its limit */
	assert_string_equal(result.explanation, "");
	rt_buffer_init(&name, &ctx, EDS_SPF_RECORD_MAX);
	for (int i = 0; i < 900; i++)
		rt_buffer_text(&name, "%{s}");
	assert_int_equal(
		evaluate_in(rt_printf(&ctx, "example.com TXT v=spf1 exists:%s +all", name.bytes)),
		EDS_SPF_PERMERROR);
	assert_string_equal(result.reason_code, "macro-too-long");
	assert_int_equal(
		evaluate_in("example.com TXT v=spf1 a:%{d1r-+,/_=.}.%{i9999999999999r} -all"),
		EDS_SPF_FAIL);
}

static void odd_senders_and_names_in_answers_are_harmless(void **state)
{
	static const char lines[] =
		"example.com TXT v=spf1 exists:%{l}.%{h}.x.example mx ptr -all\n"
		"example.com MX 1 0.spf.invalid\nexample.com MX 1 1.spf.invalid\n"
		"1.2.0.192.in-addr.arpa PTR 1.spf.invalid\n"
		"0.spf.invalid TXT v=spf1 +all\n";
	static const char *const odd[] = {"%{s}%s%n%%", "\xff\xfe\x80", "a b\tc", "1.spf.invalid",
		"....", "\"q@r\"", "-all include:x", "\x01\x7f"};

	(void)state;
	for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
		input.mail_from = rt_printf(&ctx, "%s@example.com", odd[i]);
		input.helo = odd[i];
		assert_int_equal(evaluate_in(lines), EDS_SPF_FAIL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(octets_that_are_not_text_are_a_syntax_error),
		TEST(macros_expand_as_in_the_examples_of_the_rfc),
		TEST(the_clients_name_is_one_in_the_domain_if_there_is_any),
		TEST(the_clients_name_is_looked_up_once_however_often_a_record_uses_it),
		TEST(a_name_that_grows_over_253_octets_loses_labels_on_the_left),
		TEST(the_explanation_is_that_of_the_record_that_decided),
		TEST(a_wrong_explanation_is_left_out_and_the_result_stays),
		TEST(an_explanation_whose_name_grows_endlessly_is_left_out_too),
		TEST(records_that_break_libspf2_are_harmless),
		TEST(odd_senders_and_names_in_answers_are_harmless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
