#include "functions/lib/mta-sts/policy-format.h"
#include "tests/support/test-event.h"

static void a_policy_lists_its_hosts_in_the_given_order(void **state)
{
	static const char *const hosts[] = {"mx2.example.com", "*.example.net", "mx1.example.com"};
	struct eds_mx_patterns patterns = {hosts, 3};
	const char *policy;
	size_t length;

	(void)state;
	policy = eds_policy_format(&test_event, EDS_POLICY_ENFORCE, 31557600, &patterns, &length);
	assert_string_equal(policy,
		"version: STSv1\nmode: enforce\nmx: mx2.example.com\nmx: *.example.net\n"
		"mx: mx1.example.com\nmax_age: 31557600\n");
	assert_int_equal(length, strlen(policy));
}

static void the_longest_policy_is_written_whole(void **state)
{
	static const char *hosts[EDS_MX_PATTERNS_MAX];
	char longest[256];
	struct eds_mx_patterns patterns = {hosts, EDS_MX_PATTERNS_MAX};
	const char *policy;
	size_t length;

	(void)state;
	memset(longest, 'a', 255);
	longest[255] = '\0';
	for (size_t i = 0; i < EDS_MX_PATTERNS_MAX; i++)
		hosts[i] = longest;
	policy = eds_policy_format(&test_event, EDS_POLICY_TESTING, 86400, &patterns, &length);
	assert_int_equal(length, strlen(policy));
	assert_int_equal(length,
		strlen("version: STSv1\nmode: testing\nmax_age: 86400\n") +
			EDS_MX_PATTERNS_MAX * strlen("mx: \n") + EDS_MX_PATTERNS_MAX * 255);
	assert_string_equal(policy + length - strlen("\nmax_age: 86400\n"), "\nmax_age: 86400\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_policy_lists_its_hosts_in_the_given_order),
		TEST(the_longest_policy_is_written_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
