/* The limits of an SPF evaluation (RFC 7208 section 4.6.4), and the part of a record that
 * counts. */
#include "runtime/time.h"
#include "tests/unit/spf_fixture.h"

static void past_the_time_limit_the_result_is_temperror(void **state)
{
	(void)state;
	input.deadline_ms = rt_monotonic_ms() - 1;
	assert_int_equal(evaluate_in("example.com TXT v=spf1 +all"), EDS_SPF_TEMPERROR);
	assert_string_equal(result.reason_code, "time-limit");
	assert_int_equal(zone.asked, 0);
}

static void the_tenth_lookup_counts_and_the_eleventh_is_an_error(void **state)
{
	static const char ten[] = "example.com TXT v=spf1 a a a a a a a a a a:good.example -all\n"
				  "example.com A 198.51.100.1\ngood.example A 192.0.2.1";
	static const char eleven[] =
		"example.com TXT v=spf1 a a a a a a a a a a a:good.example -all\n"
		"example.com A 198.51.100.1\ngood.example A 192.0.2.1";

	(void)state;
	assert_int_equal(evaluate_in(ten), EDS_SPF_PASS);
	assert_int_equal(result.terms, 10);
	assert_string_equal(result.mechanism, "a:good.example");
	assert_int_equal(evaluate_in(eleven), EDS_SPF_PERMERROR);
	assert_string_equal(result.reason_code, "too-many-lookups");
	assert_int_equal(result.terms, 10);
}

static void after_ten_lookups_without_a_match_all_decides(void **state)
{
	(void)state;
	assert_int_equal(evaluate_in("example.com TXT v=spf1 a a a a a a a a a a -all\n"
				     "example.com A 198.51.100.1"),
		EDS_SPF_FAIL);
	assert_string_equal(result.mechanism, "-all");
	assert_int_equal(evaluate_in("example.com TXT v=spf1 a a a a a a a a a redirect=b.example\n"
				     "b.example TXT v=spf1 ~all\nexample.com A 198.51.100.1"),
		EDS_SPF_SOFTFAIL);
	assert_int_equal(result.terms, 10);
}

static void lookups_are_counted_over_includes_and_redirects_together(void **state)
{
	static const char others[] =
		"\ninc.example TXT v=spf1 a:x.example mx:x.example a:x.example "
		"exists:y.example\n"
		"red.example TXT v=spf1 a:x.example a:x.example ip4:192.0.2.1\n"
		"x.example A 198.51.100.1\nx.example MX 1 x.example\n"
		"y.example A 127.0.0.1";

	(void)state;
	assert_int_equal(
		evaluate_in(rt_printf(&ctx,
			"example.com TXT v=spf1 -include:inc.example redirect=red.example%s",
			others)),
		EDS_SPF_FAIL);
	assert_int_equal(result.terms, 5);
	assert_int_equal(
		evaluate_in("example.com TXT v=spf1 include:inc.example redirect=red.example\n"
			    "inc.example TXT v=spf1 a:x.example a:x.example a:x.example "
			    "a:x.example a:x.example a:x.example\n"
			    "red.example TXT v=spf1 a:x.example a:x.example ip4:192.0.2.1\n"
			    "x.example A 198.51.100.1"),
		EDS_SPF_PASS);
	assert_int_equal(result.terms, 10);
	assert_int_equal(
		evaluate_in(
			"example.com TXT v=spf1 include:inc.example redirect=red.example\n"
			"inc.example TXT v=spf1 a:x.example a:x.example a:x.example a:x.example "
			"a:x.example a:x.example\n"
			"red.example TXT v=spf1 a:x.example a:x.example a:x.example ip4:192.0.2.1\n"
			"x.example A 198.51.100.1"),
		EDS_SPF_PERMERROR);
	assert_string_equal(result.reason_code, "too-many-lookups");
}

static void loops_end_at_the_limit(void **state)
{
	static const char *const loops[] = {
		"example.com TXT v=spf1 redirect=example.com",
		"example.com TXT v=spf1 include:example.com",
		"example.com TXT v=spf1 include:b.example\nb.example TXT v=spf1 "
		"include:example.com",
		"example.com TXT v=spf1 include:%{d} +all",
		"example.com TXT v=spf1 redirect=b.example\n"
		"b.example TXT v=spf1 ip4:198.51.100.1 redirect=example.com",
	};

	(void)state;
	for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
		assert_int_equal(evaluate_in(loops[i]), EDS_SPF_PERMERROR);
		assert_string_equal(result.reason_code, "too-many-lookups");
		assert_int_equal(result.tree_count, 11);
	}
}

static void two_void_lookups_are_allowed_and_a_third_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(evaluate_in("example.com TXT v=spf1 a:v1.example mx:v2.example +all\n"
				     "v2.example A 192.0.2.9"),
		EDS_SPF_PASS);
	assert_int_equal(result.void_lookups, 2);
	assert_int_equal(
		evaluate_in(
			"example.com TXT v=spf1 a:v1.example mx:v2.example exists:v3.example +all"),
		EDS_SPF_PERMERROR);
	assert_string_equal(result.reason_code, "too-many-void-lookups");
	assert_int_equal(evaluate_in("example.com TXT v=spf1 a:v1.example include:b.example\n"
				     "b.example TXT v=spf1 a:v2.example a:v3.example"),
		EDS_SPF_PERMERROR);
}

static void a_name_that_cannot_be_asked_is_not_a_void_lookup(void **state)
{
	(void)state;
	input.mail_from = "a-local-part-of-more-than-thirty-octets@example.com";
	assert_int_equal(evaluate_in("example.com TXT v=spf1 exists:%{l}%{l}.x a:%{l}%{l}.x "
				     "mx:%{l}%{l}.x +all\n"),
		EDS_SPF_PASS);
	assert_int_equal(result.void_lookups, 0);
	assert_int_equal(result.terms, 3);
}

static void mail_exchangers_are_asked_in_order_of_preference(void **state)
{
	static const char *const zones[] = {
		"example.com MX 10 dead.example\nexample.com MX 20 good.example\n",
		"example.com MX 20 good.example\nexample.com MX 10 dead.example\n"};

	(void)state;
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(evaluate_in(rt_printf(&ctx,
					 "%sexample.com TXT v=spf1 mx -all\n"
					 "dead.example FAIL SERVFAIL\ngood.example A 192.0.2.1\n",
					 zones[i])),
			EDS_SPF_TEMPERROR);
}

static void exchangers_without_the_clients_address_family_are_not_void_lookups(void **state)
{
	(void)state;
	assert_int_equal(evaluate_from("2001:db8::1",
				 "example.com TXT v=spf1 mx -all\n"
				 "example.com MX 1 a.example\n"
				 "example.com MX 2 b.example\n"
				 "example.com MX 3 c.example\n"
				 "a.example A 192.0.2.1\n"
				 "b.example A 192.0.2.1"),
		EDS_SPF_FAIL);
	assert_int_equal(result.void_lookups, 0);
}

static const char *exchangers(unsigned count, unsigned good)
{
	struct rt_buffer lines;

	rt_buffer_init(&lines, &ctx, 8192);
	rt_buffer_text(&lines, "example.com TXT v=spf1 mx -all\n");
	for (unsigned i = 1; i <= count; i++)
		rt_buffer_format(&lines, "example.com MX %u m%u.example\nm%u.example A %s\n", i, i,
			i, i == good ? "192.0.2.1" : "198.51.100.1");
	return lines.bytes;
}

static void ten_mail_exchangers_are_examined_and_eleven_are_an_error(void **state)
{
	(void)state;
	assert_int_equal(evaluate_in(exchangers(10, 10)), EDS_SPF_PASS);
	assert_string_equal(result.mechanism, "mx");
	assert_int_equal(result.terms, 1);
	assert_int_equal(evaluate_in(exchangers(11, 1)), EDS_SPF_PERMERROR);
	assert_string_equal(result.reason_code, "too-many-mx");
}

static const char *client_names(unsigned count, unsigned good)
{
	struct rt_buffer lines;

	rt_buffer_init(&lines, &ctx, 8192);
	rt_buffer_text(&lines, "example.com TXT v=spf1 ptr -all\n");
	for (unsigned i = 1; i <= count; i++)
		rt_buffer_format(&lines,
			"1.2.0.192.in-addr.arpa PTR p%u.example.com\np%u.example.com A %s\n", i, i,
			i == good ? "192.0.2.1" : "198.51.100.1");
	return lines.bytes;
}

static void names_of_the_client_past_the_tenth_are_ignored(void **state)
{
	(void)state;
	assert_int_equal(evaluate_in(client_names(12, 10)), EDS_SPF_PASS);
	assert_string_equal(result.mechanism, "ptr");
	assert_int_equal(evaluate_in(client_names(12, 11)), EDS_SPF_FAIL);
}

static const char *many_networks(unsigned count, const char *form, const char *last)
{
	struct rt_buffer line;

	rt_buffer_init(&line, &ctx, EDS_SPF_RECORD_MAX + 64);
	rt_buffer_text(&line, "example.com TXT v=spf1");
	for (unsigned i = 0; i < count; i++)
		rt_buffer_format(&line, form, i / 250, i % 250);
	rt_buffer_text(&line, last);
	assert_false(line.overflow);
	return line.bytes;
}

static void nothing_of_a_long_record_is_lost(void **state)
{
	(void)state;
	assert_int_equal(
		evaluate_in(many_networks(200, " ip4:198.51.%u.%u", " ip4:192.0.2.1 ~all")),
		EDS_SPF_PASS);
	assert_string_equal(result.mechanism, "ip4:192.0.2.1");
	assert_int_equal(
		evaluate_in(many_networks(200, " ip4:198.51.%u.%u", " -all")), EDS_SPF_FAIL);
	assert_int_equal(
		evaluate_in(many_networks(150, " ip6:2001:db8:%u:%u::/64", " a:good.example ~all")),
		EDS_SPF_SOFTFAIL);
	assert_int_equal(evaluate_in(many_networks(400, " ?%u%u.x=", " -all")), EDS_SPF_PERMERROR);
	assert_string_equal(result.reason_code, "syntax");
}

static void ten_includes_of_long_names_are_all_evaluated(void **state)
{
	struct rt_buffer lines;
	const char *label = "a-label-of-sixty-three-octets-that-makes-the-name-very-very-long";

	(void)state;
	rt_buffer_init(&lines, &ctx, 32768);
	rt_buffer_text(&lines, "example.com TXT v=spf1");
	for (int i = 0; i < 10; i++)
		rt_buffer_format(
			&lines, " include:n%d.%.63s.%.63s.%.63s.example", i, label, label, label);
	rt_buffer_text(&lines, " -all\n");
	for (int i = 0; i < 10; i++)
		rt_buffer_format(&lines, "n%d.%.63s.%.63s.%.63s.example TXT v=spf1 ip4:%s\n", i,
			label, label, label, i == 9 ? "192.0.2.1" : "198.51.100.1");
	assert_int_equal(evaluate_in(lines.bytes), EDS_SPF_PASS);
	assert_int_equal(result.tree_count, 11);
	assert_memory_equal(result.mechanism, "include:n9.", 11);
}

static void thirty_includes_in_one_record_are_too_many(void **state)
{
	(void)state;
	assert_int_equal(evaluate_in(many_networks(30, " include:n%u-%u.example", " +all")),
		EDS_SPF_PERMERROR);
	assert_string_equal(result.reason_code, "include-without-record");
	zone_init(&zone, &ctx);
	zone_load(&zone, many_networks(30, " include:n%u-%u.example", " +all"));
	for (int i = 0; i < 30; i++)
		zone_load(&zone, rt_printf(&ctx, "n0-%d.example TXT v=spf1 -all", i));
	assert_int_equal(evaluate(), EDS_SPF_PERMERROR);
	assert_string_equal(result.reason_code, "too-many-lookups");
}

static void a_record_over_4096_octets_is_an_error(void **state)
{
	char *text = rt_printf(&ctx, "%-*s", EDS_SPF_RECORD_MAX + 1, "v=spf1 +all");

	(void)state;
	zone_add(&zone, "example.com", EDS_DNS_TXT, text, EDS_SPF_RECORD_MAX);
	assert_int_equal(evaluate(), EDS_SPF_PASS);
	zone_init(&zone, &ctx);
	zone_add(&zone, "example.com", EDS_DNS_TXT, text, EDS_SPF_RECORD_MAX + 1);
	assert_int_equal(evaluate(), EDS_SPF_PERMERROR);
	assert_string_equal(result.reason_code, "record-too-long");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(past_the_time_limit_the_result_is_temperror),
		TEST(the_tenth_lookup_counts_and_the_eleventh_is_an_error),
		TEST(after_ten_lookups_without_a_match_all_decides),
		TEST(lookups_are_counted_over_includes_and_redirects_together),
		TEST(loops_end_at_the_limit),
		TEST(two_void_lookups_are_allowed_and_a_third_is_an_error),
		TEST(a_name_that_cannot_be_asked_is_not_a_void_lookup),
		TEST(mail_exchangers_are_asked_in_order_of_preference),
		TEST(exchangers_without_the_clients_address_family_are_not_void_lookups),
		TEST(ten_mail_exchangers_are_examined_and_eleven_are_an_error),
		TEST(names_of_the_client_past_the_tenth_are_ignored),
		TEST(nothing_of_a_long_record_is_lost),
		TEST(ten_includes_of_long_names_are_all_evaluated),
		TEST(thirty_includes_in_one_record_are_too_many),
		TEST(a_record_over_4096_octets_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
