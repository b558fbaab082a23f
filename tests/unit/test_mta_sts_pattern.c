#include "functions/lib/mta-sts/pattern.h"
#include "tests/support/test-event.h"

#define LABEL_63 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define LABEL_61 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define NAME_253 LABEL_63 "." LABEL_63 "." LABEL_63 "." LABEL_61

struct match_case {
	const char *pattern;
	const char *host;
	bool matches;
};

static void check_valid(const char *const *patterns, bool expected)
{
	for (; *patterns != NULL; patterns++)
		if (eds_mta_sts_pattern_valid(*patterns) != expected)
			fail_msg("\"%s\" is %svalid", *patterns, expected ? "not " : "");
}

static void patterns_are_host_names_with_or_without_a_leading_wildcard(void **state)
{
	static const char *const patterns[] = {"mx.example.com", "MX.Example.COM", "*.example.com",
		"mail", "*.com", "1.example.com", "1and1.com", "a--b.example",
		"xn--bcher-kva.example", LABEL_63 ".example", NAME_253, "*." NAME_253, NULL};

	(void)state;
	check_valid(patterns, true);
}

static void all_other_text_is_refused_as_a_pattern(void **state)
{
	static const char *const patterns[] = {"", "*", "*.", "*.*.example.com", "mx.*.example.com",
		"mx*.example.com", "**.example.com", "*example.com", ".example.com",
		"mx..example.com", "mx.example.com.", "mx_1.example.com", "-mx.example.com",
		"mx-.example.com", "192.0.2.1", "mx.1", "::1", "[192.0.2.1]", "mx.example.com:25",
		"mx example.com", " mx.example.com", "mx.example.com\n",
		"b\xc3\xbc"
		"cher.example",
		"a" LABEL_63 ".example", "a" NAME_253, "a." NAME_253, NULL};

	(void)state;
	check_valid(patterns, false);
}

static void check_normalized(const char *given, const char *expected)
{
	const char *pattern = eds_mta_sts_pattern_normalize(&test_event, given, strlen(given));

	if (expected == NULL)
		assert_null(pattern);
	else
		assert_string_equal(pattern, expected);
}

static void patterns_become_lower_case_a_labels(void **state)
{
	(void)state;
	check_normalized("MX.Example.COM.", "mx.example.com");
	check_normalized("*.Example.NET", "*.example.net");
	check_normalized("*.B\xc3\x9c"
			 "cher.example",
		"*.xn--bcher-kva.example");
	check_normalized("mx\xe3\x80\x82"
			 "example.com",
		"mx.example.com");
	check_normalized("*\xe3\x80\x82"
			 "example.com",
		NULL);
	check_normalized("mx_1.example.com", NULL);
	check_normalized("", NULL);
	check_normalized("*.", NULL);
}

static void a_nul_in_a_pattern_does_not_end_it(void **state)
{
	(void)state;
	assert_null(eds_mta_sts_pattern_normalize(&test_event, "mx.example.com\0.example.net", 27));
}

static void a_wildcard_stands_for_exactly_one_label(void **state)
{
	static const struct match_case cases[] = {
		{"mx.example.com", "mx.example.com", true},
		{"mx.example.com", "MX.EXAMPLE.COM", true},
		{"mx.example.com", "mx2.example.com", false},
		{"mx.example.com", "a.mx.example.com", false},
		{"mx.example.com", "example.com", false},
		{"*.example.com", "mx.example.com", true},
		{"*.EXAMPLE.com", "mx.example.COM", true},
		{"*.example.com", "example.com", false},
		{"*.example.com", ".example.com", false},
		{"*.example.com", "a.b.example.com", false},
		{"*.example.com", "mxexample.com", false},
		{"*.com", "example.com", true},
		{"*.example.com", "com", false},
		{"*.example.com", "", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (eds_mta_sts_pattern_matches(cases[i].pattern, cases[i].host) !=
			cases[i].matches)
			fail_msg("%s and %s", cases[i].pattern, cases[i].host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(patterns_are_host_names_with_or_without_a_leading_wildcard),
		TEST(all_other_text_is_refused_as_a_pattern),
		TEST(patterns_become_lower_case_a_labels),
		TEST(a_nul_in_a_pattern_does_not_end_it),
		TEST(a_wildcard_stands_for_exactly_one_label),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
