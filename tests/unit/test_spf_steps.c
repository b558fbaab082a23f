/* The steps that an evaluation reports: which terms it reached, which found nothing, which was over
 * the limit, which decided. */
#include "functions/tester/report/spf-tree.h"
#include "tests/unit/spf_fixture.h"

/* The terms of all records as text, each with its marks: ! for the term that decides, 0 for one
 * that found nothing (void), + for one over the limit, - for one that was not reached. */
static const char *terms(void)
{
	struct spf_tree *tree = rt_alloc(&ctx, sizeof *tree);
	struct rt_buffer out;

	spf_tree_build(&ctx, &result, tree);
	rt_buffer_init(&out, &ctx, 64 * 1024);
	for (size_t i = 0; i < result.tree_count; i++) {
		rt_buffer_text(&out, i > 0 ? " | " : "");
		for (size_t k = 0; k < tree->nodes[i].count; k++) {
			const struct spf_tree_term *term = &tree->terms[tree->nodes[i].first + k];

			rt_buffer_format(&out, "%s%s%s%s%s%s", k > 0 ? " " : "", term->text,
				term->matched ? "!" : "", term->nothing ? "0" : "",
				term->over ? "+" : "", term->reached ? "" : "-");
		}
	}
	return out.bytes;
}

static void terms_after_the_match_are_shown_as_not_reached(void **state)
{
	(void)state;
	evaluate_from("192.0.2.1", "example.com TXT v=spf1 a:gone.example ip4:192.0.2.1 mx -all\n");
	assert_string_equal(terms(), "a:gone.example0 ip4:192.0.2.1! mx- -all-");
	evaluate_in("example.com TXT v=spf1 ip4:203.0.113.1 ip4:203.0.113.2 -all\n");
	assert_string_equal(terms(), "ip4:203.0.113.1 ip4:203.0.113.2 -all!");
}

static void a_record_without_a_match_is_shown_to_its_end(void **state)
{
	(void)state;
	assert_int_equal(evaluate_in("example.com TXT v=spf1 a:b.example ip4:203.0.113.1\n"
				     "b.example A 203.0.113.9\n"),
		EDS_SPF_NEUTRAL);
	assert_string_equal(terms(), "a:b.example ip4:203.0.113.1");
	assert_string_equal(result.mechanism, "");
}

static void the_path_to_a_match_in_nested_includes_is_shown(void **state)
{
	(void)state;
	assert_int_equal(
		evaluate_in("example.com TXT v=spf1 include:a.example include:b.example mx ~all\n"
			    "a.example TXT v=spf1 ip4:203.0.113.1 ip4:203.0.113.2\n"
			    "b.example TXT v=spf1 include:c.example -all\n"
			    "c.example TXT v=spf1 ip6:2001:db8::/32 ip4:192.0.2.0/24 -all\n"),
		EDS_SPF_PASS);
	assert_string_equal(terms(),
		"include:a.example include:b.example! mx- ~all-"
		" | ip4:203.0.113.1 ip4:203.0.113.2"
		" | include:c.example! -all-"
		" | ip6:2001:db8::/32 ip4:192.0.2.0/24! -all-");
	assert_string_equal(result.mechanism, "include:b.example");
}

static void a_redirect_comes_after_all_terms_wherever_it_is_written(void **state)
{
	(void)state;
	evaluate_in("example.com TXT v=spf1 redirect=b.example a:c.example\n"
		    "c.example A 203.0.113.9\n"
		    "b.example TXT v=spf1 include:d.example -all\n"
		    "d.example TXT v=spf1 -all\n");
	assert_string_equal(
		terms(), "redirect=b.example! a:c.example | include:d.example -all! | -all");
}

static void a_macro_whose_name_does_not_exist_is_shown(void **state)
{
	(void)state;
	evaluate_in("example.com TXT v=spf1 exists:%{i}.no.example a:%{d}.no.example ?all\n");
	assert_string_equal(terms(), "exists:%{i}.no.example0 a:%{d}.no.example0 ?all!");
}

static void the_third_void_lookup_is_shown_as_one_too_many(void **state)
{
	(void)state;
	assert_int_equal(
		evaluate_in("example.com TXT v=spf1 a:x.example a:y.example a:z.example -all\n"),
		EDS_SPF_PERMERROR);
	assert_string_equal(terms(), "a:x.example0 a:y.example0 a:z.example0+ -all-");
}

static void the_eleventh_lookup_is_shown_as_one_too_many(void **state)
{
	struct rt_buffer lines;

	(void)state;
	rt_buffer_init(&lines, &ctx, 8192);
	rt_buffer_text(&lines,
		"example.com TXT v=spf1 include:i.example a:h9.example a:h10.example -all\n"
		"i.example TXT v=spf1");
	for (int i = 1; i <= 8; i++)
		rt_buffer_format(&lines, " a:h%d.example", i);
	rt_buffer_text(&lines, "\n");
	for (int i = 1; i <= 10; i++)
		rt_buffer_format(&lines, "h%d.example A 203.0.113.9\n", i);
	assert_int_equal(evaluate_in(lines.bytes), EDS_SPF_PERMERROR);
	assert_string_equal(terms(),
		"include:i.example a:h9.example a:h10.example+ -all-"
		" | a:h1.example a:h2.example a:h3.example a:h4.example a:h5.example a:h6.example"
		" a:h7.example a:h8.example");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(terms_after_the_match_are_shown_as_not_reached),
		TEST(a_record_without_a_match_is_shown_to_its_end),
		TEST(the_path_to_a_match_in_nested_includes_is_shown),
		TEST(a_redirect_comes_after_all_terms_wherever_it_is_written),
		TEST(a_macro_whose_name_does_not_exist_is_shown),
		TEST(the_third_void_lookup_is_shown_as_one_too_many),
		TEST(the_eleventh_lookup_is_shown_as_one_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
