#include "tests/support/test-event.h"

#include "functions/lib/mta-sts/policy.h"

#define GOOD "version: STSv1\nmode: testing\nmx: mx1.example.com\nmax_age: 604800\n"

static struct eds_policy policy;

static void read_text(const char *text)
{
	eds_policy_read(&test_event, text, strlen(text), &policy);
}

static void assert_error(const char *text, const char *code)
{
	read_text(text);
	if (policy.errors.count != 1 || !eds_finding_has(&policy.errors, code))
		fail_msg("not %s alone but %zu, the first %s, for %s", code, policy.errors.count,
			policy.errors.count > 0 ? policy.errors.items[0].code : "none", text);
	assert_true(strlen(policy.errors.items[0].message) > 20);
}

static void assert_warning(const char *text, const char *code)
{
	read_text(text);
	assert_int_equal(policy.errors.count, 0);
	assert_int_equal(policy.warnings.count, 1);
	assert_string_equal(policy.warnings.items[0].code, code);
}

static void assert_good(const char *text)
{
	read_text(text);
	if (policy.errors.count + policy.warnings.count > 0)
		fail_msg("%s for %s",
			policy.errors.count > 0 ? policy.errors.items[0].message
						: policy.warnings.items[0].message,
			text);
}

static void a_policy_is_read_with_any_line_ends_and_order(void **state)
{
	(void)state;
	assert_good(GOOD);
	assert_int_equal(policy.mode, EDS_POLICY_TESTING);
	assert_int_equal(policy.max_age_s, 604800);
	assert_int_equal(policy.mx_count, 1);
	assert_string_equal(policy.mx[0], "mx1.example.com");
	assert_good("max_age:86400\r\nmx:\t*.example.com \r\nmode: enforce\r\nversion: STSv1");
	assert_int_equal(policy.mode, EDS_POLICY_ENFORCE);
	assert_string_equal(policy.mx[0], "*.example.com");
	assert_good("version: STSv1\nmode: none\nmax_age: 604800\n");
	assert_int_equal(policy.mx_count, 0);
	assert_good(GOOD "x-note.2_b: caf\xc3\xa9 a:b\n");
}

static void each_missing_or_wrong_key_has_its_own_error(void **state)
{
	(void)state;
	assert_error("mode: testing\nmx: a.b\nmax_age: 604800\n", "policy-version");
	assert_error("version: STSv2\nmode: testing\nmx: a.b\nmax_age: 604800\n", "policy-version");
	assert_error("version: STSv1\nmx: a.b\nmax_age: 604800\n", "policy-mode");
	assert_error("version: STSv1\nmode: Testing\nmx: a.b\nmax_age: 604800\n", "policy-mode");
	assert_error("version: STSv1\nmode: testing\nmx: a.b\n", "policy-max-age");
	assert_error("version: STSv1\nmode: testing\nmx: a.b\nmax_age: -1\n", "policy-max-age");
	assert_error(
		"version: STSv1\nmode: testing\nmx: a.b\nmax_age: 31557601\n", "policy-max-age");
	assert_error(
		"version: STSv1\nmode: testing\nmx: a.b\nmax_age: 00000000001\n", "policy-max-age");
	assert_error("version: STSv1\nmode: enforce\nmax_age: 604800\n", "policy-mx-missing");
	assert_error("version: STSv1\nmode: enforce\nmax_age: 604800\nmx: a_b.c\n", "policy-mx");
}

static void a_line_that_is_not_key_and_value_is_named_by_number(void **state)
{
	static const char *const lines[] = {"garbage", " a: b", "a : b", "a:", "a: b\tc", "a: \xff",
		"\xef\xbb\xbf", "a: b\rc: d", ": b", "_a: b"};

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		assert_error(rt_printf(&test_event, "%s%s\n", GOOD, lines[i]), "policy-syntax");
		assert_non_null(strstr(policy.errors.items[0].message, "Line 5"));
	}
	assert_error(
		"version: STSv1\n\nmode: testing\nmx: a.b\nmax_age: 604800\n", "policy-syntax");
	assert_non_null(strstr(policy.errors.items[0].message, "Line 2"));
}

static void octets_of_the_policy_do_not_reach_a_sentence(void **state)
{
	(void)state;
	read_text("version: STSv1\nmode: \x1b[31m\nmx: a.b\nmax_age: 604800\n");
	assert_true(eds_finding_has(&policy.errors, "policy-mode"));
	for (size_t i = 0; i < policy.errors.count; i++)
		assert_null(strchr(policy.errors.items[i].message, '\x1b'));
}

static void oddities_that_senders_tolerate_are_warnings(void **state)
{
	(void)state;
	assert_warning(GOOD "\n", "policy-blank-line");
	assert_warning(GOOD "\r\n\r\n", "policy-blank-line");
	assert_warning(GOOD "mode: enforce\n", "policy-key-repeated");
	assert_int_equal(policy.mode, EDS_POLICY_TESTING);
	assert_warning(GOOD "mx: MX1.example.com\n", "policy-mx-repeated");
	assert_int_equal(policy.mx_count, 1);
	assert_warning(
		"version: STSv1\nmode: testing\nmx: a.b\nmax_age: 86399\n", "policy-max-age-short");
}

static void a_policy_is_read_up_to_exactly_its_maximum_size(void **state)
{
	char *text = rt_alloc(&test_event, EDS_POLICY_BYTES_MAX + 2);
	size_t length = strlen(GOOD "note: ");

	(void)state;
	memset(text, 'a', EDS_POLICY_BYTES_MAX + 1);
	memcpy(text, GOOD "note: ", length);
	eds_policy_read(&test_event, text, EDS_POLICY_BYTES_MAX, &policy);
	assert_int_equal(policy.errors.count, 0);
	eds_policy_read(&test_event, text, EDS_POLICY_BYTES_MAX + 1, &policy);
	assert_true(eds_finding_has(&policy.errors, "policy-too-large"));
	eds_policy_read(&test_event, "", 0, &policy);
	assert_int_equal(policy.errors.count, 4);
}

static void more_mx_lines_than_are_examined_give_a_warning(void **state)
{
	const char *text = GOOD;

	(void)state;
	for (int i = 1; i < EDS_POLICY_MX_MAX; i++)
		text = rt_printf(&test_event, "%smx: a%d.b\n", text, i);
	assert_good(text);
	assert_int_equal(policy.mx_count, 500);
	assert_warning(rt_printf(&test_event, "%smx: z.b\n", text), "policy-mx-many");
}

static void a_nul_does_not_end_the_policy(void **state)
{
	static const char text[] = "version: STSv1\nmode: testing\nmx: a.b\0.c\nmax_age: 604800\n";

	(void)state;
	eds_policy_read(&test_event, text, sizeof text - 1, &policy);
	assert_true(eds_finding_has(&policy.errors, "policy-mx"));
	assert_true(eds_finding_has(&policy.errors, "policy-syntax"));
	assert_int_equal(policy.max_age_s, 604800);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_policy_is_read_with_any_line_ends_and_order),
		TEST(each_missing_or_wrong_key_has_its_own_error),
		TEST(a_line_that_is_not_key_and_value_is_named_by_number),
		TEST(octets_of_the_policy_do_not_reach_a_sentence),
		TEST(oddities_that_senders_tolerate_are_warnings),
		TEST(a_policy_is_read_up_to_exactly_its_maximum_size),
		TEST(more_mx_lines_than_are_examined_give_a_warning),
		TEST(a_nul_does_not_end_the_policy),
	};

	return cmocka_run_group_tests_name("mtasts policy", tests, NULL, NULL);
}
