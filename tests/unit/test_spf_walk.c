#include "tests/support/test-event.h"

#include "functions/lib/spf/spf-edit.h"
#include "functions/lib/spf/spf-walk.h"
#include "tests/support/dns-table.h"

static struct eds_dns *dns;

static struct eds_spf_walk *walk(const char *zone)
{
	struct eds_spf_walk *found = rt_alloc(&test_event, sizeof *found);

	dns_table(zone);
	assert_int_equal(eds_dns_open(&test_event, &dns), RT_OK);
	eds_spf_walk(&test_event, dns, "example.com", found);
	return found;
}

static void every_lookup_in_the_tree_of_records_counts(void **state)
{
	struct eds_spf_walk *found = walk(
		"example.com TXT v=spf1 mx include:a.example a:%{i}.example.com exists:e.example "
		"ip4:192.0.2.1 redirect=b.example\n"
		"example.com MX 10 mx.example.com\n"
		"a.example TXT v=spf1 a ptr include:c.example -all\n"
		"a.example A 192.0.2.1\n"
		"c.example TXT v=spf1 ip6:2001:db8::/32 -all\n"
		"e.example A 127.0.0.2\n"
		"b.example TXT v=spf1 ip4:192.0.2.0/24 ~all\n");

	(void)state;
	/* The eight lookups: mx, include, a with a macro, exists and redirect; and a, ptr and
	 * include in the included record. */
	assert_int_equal(found->lookups, 8);
	assert_string_equal(found->error, "");
	assert_null(found->failed);
	assert_int_equal(found->void_count, 0);
	assert_int_equal(found->tree_count, 4);
	assert_string_equal(found->tree[1].domain, "a.example");
	assert_string_equal(found->tree[2].domain, "c.example");
	assert_int_equal(found->tree[2].depth, 2);
	assert_int_equal(found->tree[3].via, EDS_SPF_VIA_REDIRECT);
}

static void control_characters_are_shown_as_question_marks(void **state)
{
	struct eds_spf_walk *found = walk("example.com TXT v=spf1 include:a.example -all\n"
					  "a.example TXT v=spf1 include:\x1b[31m\x07\x7f -all\n");

	(void)state;
	assert_string_equal(found->tree[1].record, "v=spf1 include:?[31m?? -all");
	assert_string_equal(found->error, "syntax");
	assert_non_null(strstr(found->reason, "at \"include:?[31m??\"."));
}

static void terms_after_all_are_not_examined(void **state)
{
	struct eds_spf_walk *found = walk(
		"example.com TXT v=spf1 -all include:a.example redirect=b.example\n");

	(void)state;
	assert_int_equal(found->lookups, 0);
	assert_string_equal(found->error, "");
}

static void terms_that_find_nothing_are_named(void **state)
{
	struct eds_spf_walk *found = walk(
		"example.com TXT v=spf1 a:gone.example mx exists:x.example a:six.example -all\n"
		"six.example AAAA 2001:db8::1\n");

	(void)state;
	assert_int_equal(found->void_count, 3);
	assert_string_equal(found->voids[0].term, "a:gone.example");
	assert_string_equal(found->voids[1].term, "mx");
	assert_string_equal(found->voids[2].term, "exists:x.example");
}

static void the_fault_that_breaks_a_record_is_named(void **state)
{
	(void)state;
	assert_string_equal(walk("example.com TXT hello\n")->error, "no-record");
	assert_string_equal(
		walk("example.com TXT v=spf1 -all\nexample.com TXT v=spf1 mx -all\n")->error,
		"several-records");
	assert_string_equal(walk("example.com TXT v=spf1 ip4:300.0.0.1 -all\n")->error, "syntax");
	assert_string_equal(walk("example.com TXT v=spf1 include:a.example -all\n")->error,
		"include-without-record");
	assert_string_equal(walk("example.com TXT v=spf1 redirect=a.example\n")->error,
		"redirect-without-record");
	assert_string_equal(walk("example.com TXT v=spf1 include:a.example -all\n"
				 "a.example FAIL SERVFAIL\n")
				    ->failed,
		"a.example");
}

static void the_walk_of_a_record_that_includes_itself_ends(void **state)
{
	struct eds_spf_walk *found = walk("example.com TXT v=spf1 include:example.com -all\n");

	(void)state;
	assert_true(found->cut);
	assert_true(found->lookups > 10);
	assert_true(found->lookups <= 25);
	assert_true(found->tree_count <= 64);
}

static void the_walk_of_a_wide_tree_ends(void **state)
{
	struct eds_spf_walk *found = walk(
		"example.com TXT v=spf1 include:example.com include:example.com "
		"include:example.com include:example.com -all\n");

	(void)state;
	assert_true(found->cut);
	assert_int_equal(found->lookups, 25);
}

static void softfail_is_added_to_a_record_where_it_lets_nobody_else_pass(void **state)
{
	(void)state;
	assert_string_equal(eds_spf_record_end(&test_event, "v=spf1 mx"), "v=spf1 mx ~all");
	assert_string_equal(eds_spf_record_end(&test_event, "v=spf1 mx ?ALL exp=e.example"),
		"v=spf1 mx ~all exp=e.example");
	assert_null(eds_spf_record_end(&test_event, "v=spf1 mx +all"));
	assert_null(eds_spf_record_end(&test_event, "v=spf1 mx -all"));
	assert_null(eds_spf_record_end(&test_event, "v=spf1 mx redirect=a.example"));
	assert_null(eds_spf_record_end(&test_event, "v=spf1 ip4:nonsense"));
}

static const char *join(const char *zone)
{
	dns_table(zone);
	assert_int_equal(eds_dns_open(&test_event, &dns), RT_OK);
	return eds_spf_records_join(&test_event, eds_dns_get(dns, "example.com", EDS_DNS_TXT));
}

static void several_records_become_one_with_all_of_their_terms(void **state)
{
	(void)state;
	assert_string_equal(join("example.com TXT v=spf1 mx include:a.example ~all\n"
				 "example.com TXT something else\n"
				 "example.com TXT v=spf1 include:A.example ip4:192.0.2.1 ~ALL\n"),
		"v=spf1 mx include:a.example ip4:192.0.2.1 ~ALL");
	assert_string_equal(
		join("example.com TXT v=spf1 mx\nexample.com TXT v=spf1 a\n"), "v=spf1 mx a");
}

static void records_that_end_differently_are_not_joined(void **state)
{
	(void)state;
	assert_null(join("example.com TXT v=spf1 mx ~all\nexample.com TXT v=spf1 a -all\n"));
	assert_null(join("example.com TXT v=spf1 mx\nexample.com TXT v=spf1 a -all\n"));
	assert_null(join("example.com TXT v=spf1 mx -all\n"
			 "example.com TXT v=spf1 redirect=a.example\n"));
	assert_null(join("example.com TXT v=spf1 mx -all\nexample.com TXT v=spf1 ip4:x -all\n"));
	assert_null(join("example.com TXT hello\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_lookup_in_the_tree_of_records_counts),
		TEST(control_characters_are_shown_as_question_marks),
		TEST(terms_after_all_are_not_examined),
		TEST(terms_that_find_nothing_are_named),
		TEST(the_fault_that_breaks_a_record_is_named),
		TEST(the_walk_of_a_record_that_includes_itself_ends),
		TEST(the_walk_of_a_wide_tree_ends),
		TEST(softfail_is_added_to_a_record_where_it_lets_nobody_else_pass),
		TEST(several_records_become_one_with_all_of_their_terms),
		TEST(records_that_end_differently_are_not_joined),
	};

	return cmocka_run_group_tests_name("spf walk", tests, NULL, NULL);
}
