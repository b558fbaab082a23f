/* check_host() over a table of DNS records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "functions/lib/spf/spf-evaluate.h"
#include "runtime/buffer.h"
#include "tests/support/zone.h"

enum { DEADLINE_MS = 5000 };

static struct rt_ctx ctx;
static struct zone zone;
static struct eds_spf_input input;
static struct eds_spf_result result;

static int set_up(void **state)
{
	(void)state;
	ctx = (struct rt_ctx){.arena = rt_arena_new()};
	zone_init(&zone, &ctx);
	input = (struct eds_spf_input){.helo = "mail.example.com",
		.mail_from = "user@example.com",
		.receiver = "mx.receiver.example",
		.deadline_ms = rt_monotonic_ms() + DEADLINE_MS};
	rt_ip_parse("192.0.2.1", &input.client);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	rt_arena_free(ctx.arena);
	return 0;
}

static enum eds_spf_code evaluate(void)
{
	struct eds_lookup lookup = zone_lookup(&zone);

	eds_spf_evaluate(&ctx, &lookup, &input, &result);
	return result.code;
}

static enum eds_spf_code evaluate_in(const char *lines)
{
	zone_init(&zone, &ctx);
	zone_load(&zone, lines);
	return evaluate();
}

static enum eds_spf_code evaluate_from(const char *client, const char *lines)
{
	assert_true(rt_ip_parse(client, &input.client));
	return evaluate_in(lines);
}

static void each_qualifier_gives_its_result_and_names_the_term(void **state)
{
	(void)state;
	assert_int_equal(evaluate_in("example.com TXT v=spf1 ip4:192.0.2.0/24 -all"), EDS_SPF_PASS);
	assert_string_equal(result.mechanism, "ip4:192.0.2.0/24");
	assert_string_equal(result.domain, "example.com");
	assert_string_equal(result.record, "v=spf1 ip4:192.0.2.0/24 -all");
	assert_string_equal(result.reason_code, "");
	assert_int_equal(evaluate_in("example.com TXT v=spf1 -all"), EDS_SPF_FAIL);
	assert_string_equal(result.mechanism, "-all");
	assert_int_equal(
		evaluate_in("example.com TXT v=spf1 a:example.org ~all"), EDS_SPF_SOFTFAIL);
	assert_string_equal(result.mechanism, "~all");
	assert_int_equal(evaluate_in("example.com TXT v=spf1 ?all"), EDS_SPF_NEUTRAL);
	assert_string_equal(result.mechanism, "?all");
}

static void a_record_in_which_nothing_matches_is_neutral_and_names_no_term(void **state)
{
	(void)state;
	assert_int_equal(
		evaluate_in("example.com TXT v=spf1 a:example.org ip4:192.0.2.2"), EDS_SPF_NEUTRAL);
	assert_string_equal(result.mechanism, "");
	assert_int_equal(evaluate_in("example.com TXT v=spf1"), EDS_SPF_NEUTRAL);
}

static void a_domain_without_a_record_gives_none(void **state)
{
	(void)state;
	assert_int_equal(evaluate_in("example.com TXT something else"), EDS_SPF_NONE);
	assert_string_equal(result.reason_code, "no-record");
	assert_string_equal(result.record, "");
	assert_int_equal(result.tree_count, 1);
	assert_int_equal(evaluate_in("example.org A 192.0.2.1"), EDS_SPF_NONE);
}

static void several_records_are_an_error(void **state)
{
	(void)state;
	assert_int_equal(evaluate_in("example.com TXT v=spf1 +all\nexample.com TXT v=spf1 -all"),
		EDS_SPF_PERMERROR);
	assert_string_equal(result.reason_code, "several-records");
}

static void an_error_behind_the_matching_term_is_still_found_and_named(void **state)
{
	(void)state;
	assert_int_equal(evaluate_in("example.com TXT v=spf1 +all a:%{x}"), EDS_SPF_PERMERROR);
	assert_string_equal(result.reason_code, "syntax");
	assert_non_null(strstr(result.reason, "\"a:%{x}\""));
	assert_non_null(strstr(result.reason, "example.com"));
}

static void the_domain_is_that_of_mail_from_or_of_helo_when_that_is_empty(void **state)
{
	static const char lines[] = "example.com TXT v=spf1 +all\n"
				    "mail.example.com TXT v=spf1 -all exp=why.example.com\n"
				    "why.example.com TXT %{s} %{l} %{o}";

	(void)state;
	input.mail_from = "user@EXAMPLE.com.";
	assert_int_equal(evaluate_in(lines), EDS_SPF_PASS);
	assert_string_equal(result.domain, "example.com");
	input.helo_identity = true;
	assert_int_equal(evaluate_in(lines), EDS_SPF_FAIL);
	assert_string_equal(result.domain, "mail.example.com");
	assert_string_equal(
		result.explanation, "postmaster@mail.example.com postmaster mail.example.com");
	input.helo_identity = false;
	input.mail_from = "";
	assert_int_equal(evaluate_in(lines), EDS_SPF_FAIL);
	assert_string_equal(result.domain, "mail.example.com");
}

static void a_sender_without_local_part_is_the_postmaster(void **state)
{
	static const char *const senders[] = {"@example.com", "example.com"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		input.mail_from = senders[i];
		assert_int_equal(evaluate_in("example.com TXT v=spf1 exists:%{l}.example.com -all\n"
					     "postmaster.example.com A 127.0.0.1"),
			EDS_SPF_PASS);
	}
	input.mail_from = "\"a@b\"@example.com";
	assert_int_equal(evaluate_in("example.com TXT v=spf1 -all"), EDS_SPF_FAIL);
}

static void names_that_no_record_can_be_published_for_give_none_unasked(void **state)
{
	static const char *const names[] = {"localhost", "[192.0.2.1]", "192.0.2.1", "a..b.example",
		"", "A2345678", "a b.example",
		"a1234567890123456789012345678901234567890123456789012345678901234.example"};

	(void)state;
	input.mail_from = "";
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		input.helo = names[i];
		assert_int_equal(evaluate_in("localhost TXT v=spf1 +all"), EDS_SPF_NONE);
		assert_string_equal(result.reason_code, "domain-malformed");
		assert_int_equal(zone.asked, 0);
	}
}

static void a_temporary_failure_anywhere_needed_is_a_temperror(void **state)
{
	static const char *const records[] = {
		"example.com FAIL SERVFAIL",
		"example.com TXT v=spf1 include:down.example -all\ndown.example FAIL SERVFAIL",
		"example.com TXT v=spf1 redirect=down.example\ndown.example FAIL SERVFAIL",
		"example.com TXT v=spf1 a:down.example +all\ndown.example FAIL SERVFAIL",
		"example.com TXT v=spf1 mx:down.example +all\ndown.example FAIL SERVFAIL",
		"example.com TXT v=spf1 mx +all\nexample.com MX 1 down.example\n"
		"down.example FAIL SERVFAIL",
		"example.com TXT v=spf1 exists:down.example +all\ndown.example FAIL SERVFAIL",
		"example.com TXT v=spf1 mx/0 +all\nexample.com MX 1 down.example\n"
		"down.example FAIL SERVFAIL",
		"example.com TXT v=spf1 include:b.example +all\n"
		"b.example TXT v=spf1 a:down.example -all\ndown.example FAIL SERVFAIL",
	};

	(void)state;
	for (size_t i = 0; i < sizeof records / sizeof records[0]; i++) {
		if (evaluate_in(records[i]) != EDS_SPF_TEMPERROR)
			fail_msg("%s: %s", eds_spf_code_name(result.code), records[i]);
		assert_string_equal(result.reason_code, "dns-failure");
		assert_non_null(strstr(result.reason, "SERVFAIL"));
		assert_string_equal(result.mechanism, "");
	}
}

static void a_failure_behind_the_match_changes_nothing(void **state)
{
	(void)state;
	assert_int_equal(evaluate_in("example.com TXT v=spf1 a a:down.example -all\n"
				     "example.com A 192.0.2.1\ndown.example FAIL SERVFAIL"),
		EDS_SPF_PASS);
	assert_string_equal(result.mechanism, "a");
}

static void a_failing_reverse_lookup_is_no_match_and_no_error(void **state)
{
	(void)state;
	assert_int_equal(evaluate_in("example.com TXT v=spf1 ptr ~all\n"
				     "1.2.0.192.in-addr.arpa FAIL SERVFAIL"),
		EDS_SPF_SOFTFAIL);
	assert_int_equal(result.void_lookups, 0);
}

static void past_the_time_limit_the_result_is_temperror(void **state)
{
	(void)state;
	input.deadline_ms = rt_monotonic_ms() - 1;
	assert_int_equal(evaluate_in("example.com TXT v=spf1 +all"), EDS_SPF_TEMPERROR);
	assert_string_equal(result.reason_code, "time-limit");
	assert_int_equal(zone.asked, 0);
}

static void an_include_matches_only_when_the_other_record_passes(void **state)
{
	static const struct {
		const char *term;
		enum eds_spf_code code;
	} cases[] = {
		{"+all", EDS_SPF_PASS},
		{"-all", EDS_SPF_SOFTFAIL},
		{"~all", EDS_SPF_SOFTFAIL},
		{"?all", EDS_SPF_SOFTFAIL},
		{"a:nowhere.example", EDS_SPF_SOFTFAIL},
		{"redirect=pass.example", EDS_SPF_PASS},
		{"redirect=fail.example", EDS_SPF_SOFTFAIL},
		{"include:pass.example", EDS_SPF_PASS},
		{"-include:pass.example", EDS_SPF_SOFTFAIL},
		{"moo", EDS_SPF_PERMERROR},
		{"include:nowhere.example", EDS_SPF_PERMERROR},
		{"redirect=nowhere.example", EDS_SPF_PERMERROR},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_int_equal(
			evaluate_in(rt_printf(&ctx,
				"example.com TXT v=spf1 include:other.example ~all\n"
				"other.example TXT v=spf1 %s\n"
				"pass.example TXT v=spf1 +all\nfail.example TXT v=spf1 -all",
				cases[i].term)),
			cases[i].code);
		if (cases[i].code == EDS_SPF_PASS)
			assert_string_equal(result.mechanism, "include:other.example");
	}
	assert_string_equal(result.reason_code, "redirect-without-record");
}

static void a_redirect_counts_only_when_nothing_matched_wherever_it_stands(void **state)
{
	static const char rest[] = "\nother.example TXT v=spf1 ip4:192.0.2.1 ~all";

	(void)state;
	assert_int_equal(evaluate_in(rt_printf(&ctx,
				 "example.com TXT v=spf1 redirect=other.example -all%s", rest)),
		EDS_SPF_FAIL);
	assert_int_equal(result.terms, 0);
	assert_int_equal(
		evaluate_in(rt_printf(&ctx,
			"example.com TXT v=spf1 redirect=other.example -ip4:192.0.2.2%s", rest)),
		EDS_SPF_PASS);
	assert_int_equal(result.terms, 1);
	assert_string_equal(result.mechanism, "ip4:192.0.2.1");
	assert_string_equal(result.record, "v=spf1 redirect=other.example -ip4:192.0.2.2");
	assert_string_equal(result.domain, "example.com");
}

static void the_tree_names_each_record_in_the_order_read(void **state)
{
	(void)state;
	assert_int_equal(evaluate_in("example.com TXT v=spf1 include:A.example redirect=d.example\n"
				     "a.example TXT v=spf1 include:b.example -all\n"
				     "b.example TXT v=spf1 ip4:198.51.100.1\n"
				     "d.example TXT v=spf1 include:e.example\n"
				     "e.example TXT unrelated"),
		EDS_SPF_PERMERROR);
	assert_string_equal(result.reason_code, "include-without-record");
	assert_int_equal(result.tree_count, 5);
	assert_string_equal(result.tree[0].domain, "example.com");
	assert_string_equal(result.tree[0].via, "");
	assert_int_equal(result.tree[0].depth, 0);
	assert_string_equal(result.tree[1].domain, "a.example");
	assert_string_equal(result.tree[1].via, "include");
	assert_int_equal(result.tree[1].depth, 1);
	assert_string_equal(result.tree[2].record, "v=spf1 ip4:198.51.100.1");
	assert_int_equal(result.tree[2].depth, 2);
	assert_string_equal(result.tree[3].via, "redirect");
	assert_int_equal(result.tree[3].depth, 1);
	assert_string_equal(result.tree[4].domain, "e.example");
	assert_string_equal(result.tree[4].record, "");
	assert_int_equal(result.terms, 4);
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

static void exchangers_without_an_address_of_the_client_s_family_are_no_void_lookups(void **state)
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

static void ten_exchangers_are_looked_at_and_eleven_are_an_error(void **state)
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

static void ptr_needs_a_name_in_the_domain_that_leads_back(void **state)
{
	(void)state;
	assert_int_equal(evaluate_in("example.com TXT v=spf1 ptr:example.org ~all\n"
				     "1.2.0.192.in-addr.arpa PTR Mail.Example.ORG\n"
				     "mail.example.org A 192.0.2.1"),
		EDS_SPF_PASS);
	assert_int_equal(evaluate_in("example.com TXT v=spf1 ptr:example.org ~all\n"
				     "1.2.0.192.in-addr.arpa PTR mail.badexample.org\n"
				     "mail.badexample.org A 192.0.2.1"),
		EDS_SPF_SOFTFAIL);
	assert_int_equal(evaluate_in("example.com TXT v=spf1 ptr ~all"), EDS_SPF_SOFTFAIL);
	assert_int_equal(result.void_lookups, 1);
}

static void prefixes_are_of_the_client_s_family_and_zero_needs_any_address(void **state)
{
	static const struct {
		const char *client;
		const char *term;
		enum eds_spf_code code;
	} cases[] = {
		{"192.0.2.200", "a/24", EDS_SPF_PASS},
		{"192.0.3.1", "a/24", EDS_SPF_FAIL},
		{"192.0.2.200", "a//24", EDS_SPF_FAIL},
		{"203.0.113.1", "a/0", EDS_SPF_PASS},
		{"203.0.113.1", "a:six.example/0", EDS_SPF_FAIL},
		{"203.0.113.1", "mx/0", EDS_SPF_PASS},
		{"203.0.113.1", "mx:six.example/0", EDS_SPF_FAIL},
		{"203.0.113.1", "mx:none.example/0", EDS_SPF_FAIL},
		{"192.0.2.77", "mx/25//64", EDS_SPF_PASS},
		{"2001:db8::77", "a//64", EDS_SPF_PASS},
		{"2001:db8::77", "a", EDS_SPF_FAIL},
		{"2001:db8:1::77", "a//64", EDS_SPF_FAIL},
		{"2001:db8:1::77", "a//0", EDS_SPF_PASS},
		{"2001:db8:1::77", "a:four.example//0", EDS_SPF_FAIL},
		{"2001:db8::77", "mx//33", EDS_SPF_PASS},
		{"192.0.2.1", "ip4:0.0.0.0/0", EDS_SPF_PASS},
		{"2001:db8::1", "ip4:0.0.0.0/0", EDS_SPF_FAIL},
		{"2001:db8::1", "ip6:::/0", EDS_SPF_PASS},
		{"192.0.2.1", "ip6:::/0", EDS_SPF_FAIL},
		{"::ffff:192.0.2.1", "ip4:192.0.2.1", EDS_SPF_PASS},
		{"192.0.2.1", "ip6:::ffff:192.0.2.1", EDS_SPF_FAIL},
		{"192.0.2.129", "ip4:192.0.2.0/25", EDS_SPF_FAIL},
		{"127.0.0.1", "ip4:192.0.2.0/25", EDS_SPF_FAIL},
		{"::1", "ip4:192.0.2.0/25", EDS_SPF_FAIL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (evaluate_from(cases[i].client,
			    rt_printf(&ctx,
				    "example.com TXT v=spf1 %s -all\n"
				    "example.com A 192.0.2.1\nexample.com AAAA 2001:db8::1\n"
				    "example.com MX 1 example.com\nsix.example AAAA 2001:db8::1\n"
				    "six.example MX 1 six.example\nnone.example MX 0 \n"
				    "four.example A 192.0.2.1",
				    cases[i].term)) != cases[i].code)
			fail_msg("%s %s: %s (%s)", cases[i].client, cases[i].term,
				eds_spf_code_name(result.code), result.reason);
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
	char *text = rt_alloc(&ctx, EDS_SPF_RECORD_MAX + 2);

	(void)state;
	memset(text, ' ', EDS_SPF_RECORD_MAX + 1);
	memcpy(text, "v=spf1 +all", 11);
	zone_add(&zone, "example.com", EDS_DNS_TXT, text, EDS_SPF_RECORD_MAX);
	assert_int_equal(evaluate(), EDS_SPF_PASS);
	zone_init(&zone, &ctx);
	zone_add(&zone, "example.com", EDS_DNS_TXT, text, EDS_SPF_RECORD_MAX + 1);
	assert_int_equal(evaluate(), EDS_SPF_PERMERROR);
	assert_string_equal(result.reason_code, "record-too-long");
}

static void octets_that_are_no_text_are_a_syntax_error(void **state)
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

static void macros_expand_as_the_rfc_shows(void **state)
{
	static const struct { /* section 7.4 */
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
	/* 253 octets: as many labels of nine as fit before the right-hand rest */
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

/* What overflows, aborts or confuses libspf2 when it expands macros itself. */
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
	assert_string_equal(result.explanation, ""); /* over its limit */
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

static void two_identities_can_be_checked_one_after_the_other(void **state)
{
	struct eds_spf_result first;

	(void)state;
	assert_int_equal(evaluate_in("example.com TXT v=spf1 a -all\nexample.com A 192.0.2.1\n"
				     "mail.example.com TXT v=spf1 -all"),
		EDS_SPF_PASS);
	first = result;
	input.helo_identity = true;
	assert_int_equal(evaluate(), EDS_SPF_FAIL);
	assert_string_equal(first.mechanism, "a");
	assert_string_equal(first.domain, "example.com");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(each_qualifier_gives_its_result_and_names_the_term),
		TEST(a_record_in_which_nothing_matches_is_neutral_and_names_no_term),
		TEST(a_domain_without_a_record_gives_none),
		TEST(several_records_are_an_error),
		TEST(an_error_behind_the_matching_term_is_still_found_and_named),
		TEST(the_domain_is_that_of_mail_from_or_of_helo_when_that_is_empty),
		TEST(a_sender_without_local_part_is_the_postmaster),
		TEST(names_that_no_record_can_be_published_for_give_none_unasked),
		TEST(a_temporary_failure_anywhere_needed_is_a_temperror),
		TEST(a_failure_behind_the_match_changes_nothing),
		TEST(a_failing_reverse_lookup_is_no_match_and_no_error),
		TEST(past_the_time_limit_the_result_is_temperror),
		TEST(an_include_matches_only_when_the_other_record_passes),
		TEST(a_redirect_counts_only_when_nothing_matched_wherever_it_stands),
		TEST(the_tree_names_each_record_in_the_order_read),
		TEST(the_tenth_lookup_counts_and_the_eleventh_is_an_error),
		TEST(lookups_are_counted_over_includes_and_redirects_together),
		TEST(loops_end_at_the_limit),
		TEST(two_void_lookups_are_allowed_and_a_third_is_an_error),
		TEST(exchangers_without_an_address_of_the_client_s_family_are_no_void_lookups),
		TEST(ten_exchangers_are_looked_at_and_eleven_are_an_error),
		TEST(names_of_the_client_past_the_tenth_are_ignored),
		TEST(ptr_needs_a_name_in_the_domain_that_leads_back),
		TEST(prefixes_are_of_the_client_s_family_and_zero_needs_any_address),
		TEST(nothing_of_a_long_record_is_lost),
		TEST(ten_includes_of_long_names_are_all_evaluated),
		TEST(thirty_includes_in_one_record_are_too_many),
		TEST(a_record_over_4096_octets_is_an_error),
		TEST(octets_that_are_no_text_are_a_syntax_error),
		TEST(macros_expand_as_the_rfc_shows),
		TEST(a_name_that_grows_over_253_octets_loses_labels_on_the_left),
		TEST(the_explanation_is_that_of_the_record_that_decided),
		TEST(a_wrong_explanation_is_left_out_and_the_result_stays),
		TEST(records_that_break_libspf2_are_harmless),
		TEST(odd_senders_and_names_in_answers_are_harmless),
		TEST(two_identities_can_be_checked_one_after_the_other),
#undef TEST
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
