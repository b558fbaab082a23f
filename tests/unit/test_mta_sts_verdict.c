#include "tests/support/test-event.h"

#include "functions/lib/mta-sts/evidence.h"
#include "functions/lib/mta-sts/verdict.h"

static struct eds_mta_sts_seen seen;

static void assert_errors(const char *expected)
{
	const char *found = "";

	for (size_t i = 0; i < seen.errors.count; i++)
		found = rt_printf(
			&test_event, "%s%s%s", found, i > 0 ? " " : "", seen.errors.items[i].code);
	assert_string_equal(found, expected);
}

static void judge_host(enum eds_dns_state a, enum eds_dns_state aaaa, bool aliased, bool forbidden)
{
	struct eds_mta_sts_host host = {
		.a = a, .aaaa = aaaa, .aliased = aliased, .forbidden = forbidden};

	memset(&seen, 0, sizeof seen);
	eds_mta_sts_judge_host(&test_event, &host, &seen);
}

static void a_policy_host_without_an_address_gives_the_reason(void **state)
{
	(void)state;
	judge_host(EDS_DNS_NO_NAME, EDS_DNS_NO_NAME, false, false);
	assert_errors("host-missing");
	judge_host(EDS_DNS_NO_NAME, EDS_DNS_NO_NAME, true, false);
	assert_errors("host-alias-dangling");
	judge_host(EDS_DNS_NO_DATA, EDS_DNS_NO_DATA, true, false);
	assert_errors("host-no-address");
	judge_host(EDS_DNS_FOUND, EDS_DNS_NO_DATA, false, true);
	assert_errors("host-address-forbidden");
	assert_false(seen.temporary);
	judge_host(EDS_DNS_FOUND, EDS_DNS_TEMPORARY, false, true);
	assert_errors("host-address-forbidden");
	judge_host(EDS_DNS_TEMPORARY, EDS_DNS_NO_DATA, false, false);
	assert_errors("host-temporary");
	assert_true(seen.temporary);
}

static bool judge(struct eds_fetched fetched)
{
	memset(&seen, 0, sizeof seen);
	return eds_mta_sts_judge_fetched(&test_event, &fetched, &seen);
}

static void only_text_plain_with_status_200_is_a_policy(void **state)
{
	struct eds_fetched good = {.status = 200, .content_type = "text/plain"};
	struct eds_fetched fetched = good;

	(void)state;
	assert_true(judge(good));
	assert_errors("");
	fetched.content_type = "TEXT/Plain ; charset=utf-8";
	assert_true(judge(fetched));
	fetched.content_type = "text/plainer";
	assert_false(judge(fetched));
	assert_errors("fetch-media-type");
	fetched.content_type = "text/html\x1b[31m";
	assert_false(judge(fetched));
	assert_null(strchr(seen.errors.items[0].message, '\x1b'));
	fetched.content_type = NULL;
	assert_false(judge(fetched));
	assert_errors("fetch-media-type");
	fetched = good;
	fetched.encoded = true;
	assert_false(judge(fetched));
	assert_errors("fetch-encoding");
	fetched.status = 302;
	assert_false(judge(fetched));
	assert_errors("fetch-redirect");
	fetched.status = 204;
	assert_false(judge(fetched));
	assert_errors("fetch-status");
}

static void every_failure_has_a_code_and_only_our_own_is_temporary(void **state)
{
	(void)state;
	for (enum eds_fetch_outcome outcome = EDS_FETCH_REFUSED; outcome <= EDS_FETCH_FAILED;
		outcome++) {
		const char *reason;

		assert_false(judge((struct eds_fetched){.outcome = outcome}));
		assert_int_equal(seen.errors.count, 1);
		assert_true(strlen(seen.errors.items[0].message) > 20);
		assert_int_equal(seen.temporary, outcome == EDS_FETCH_FAILED);
		assert_int_not_equal(
			eds_mta_sts_judge_starttls(outcome, &reason), EDS_STARTTLS_YES);
		assert_true(strlen(reason) > 10);
	}
}

static const char *const patterns[] = {"mx.example.com", "*.example.net"};
static const struct eds_mta_sts config = {.name = "example.com",
	.mode = EDS_POLICY_TESTING,
	.enabled = true,
	.max_age_s = 604800,
	.patterns = {.items = patterns, .count = 2}};

static void judge_policy(const struct eds_mta_sts *wanted, const char *text)
{
	memset(&seen, 0, sizeof seen);
	eds_mta_sts_judge_policy(&test_event, wanted, text, strlen(text), &seen);
}

static void a_policy_is_compared_with_the_configuration(void **state)
{
	struct eds_mta_sts off = config;

	(void)state;
	off.enabled = false;
	judge_policy(&config,
		"version: STSv1\nmode: testing\nmx: *.EXAMPLE.net\nmx: mx.example.com\n"
		"max_age: 604800\n");
	assert_errors("");
	judge_policy(&config, "version: STSv1\nmode: none\nmax_age: 86400\n\n");
	assert_errors("policy-mode-differs policy-max-age-differs policy-mx-differs");
	assert_int_equal(seen.warnings.count, 1);
	judge_policy(
		&config, "version: STSv1\nmode: testing\nmx: mx.example.com\nmax_age: 604800\n");
	assert_errors("policy-mx-differs");
	judge_policy(&config,
		"version: STSv1\nmode: testing\nmx: mx.example.com\nmx: *.example.net\n"
		"mx: a.b\nmax_age: 604800\n");
	assert_errors("policy-mx-differs");
	judge_policy(&off, "version: STSv1\nmode: none\nmax_age: 86400\n");
	assert_errors("");
	judge_policy(&config, "version: STSv1\nmode: testing\nmax_age: 604800\n");
	assert_errors("policy-mx-missing");
}

static void a_live_mail_server_without_a_pattern_is_an_error_in_testing_too(void **state)
{
	struct eds_mta_sts enforced = config;
	struct eds_mta_sts off = config;

	(void)state;
	enforced.mode = EDS_POLICY_ENFORCE;
	off.enabled = false;
	memset(&seen, 0, sizeof seen);
	seen.mx_state = EDS_MX_FOUND;
	seen.mx[0].host = "mx1.example.net";
	seen.mx[1].host = "a.mx1.example.net";
	seen.mx[2].host = "example.net";
	seen.mx_count = 3;
	eds_mta_sts_judge_mx(&test_event, &config, &seen);
	assert_errors("mx-uncovered mx-uncovered");
	assert_non_null(strstr(seen.errors.items[0].message, "would not deliver to it under"));
	seen.errors.count = 0;
	eds_mta_sts_judge_mx(&test_event, &enforced, &seen);
	assert_errors("mx-uncovered mx-uncovered");
	assert_non_null(strstr(seen.errors.items[0].message, "do not deliver to it"));
	seen.errors.count = 0;
	eds_mta_sts_judge_mx(&test_event, &off, &seen);
	assert_errors("");
	seen.mx_count = 0;
	seen.mx_state = EDS_MX_UNKNOWN;
	eds_mta_sts_judge_mx(&test_event, &config, &seen);
	assert_errors("");
	eds_mta_sts_judge_mx(&test_event, &enforced, &seen);
	assert_errors("mx-temporary");
}

static void evidence_is_stored_and_read_back(void **state)
{
	struct eds_mta_sts_seen again;

	(void)state;
	memset(&seen, 0, sizeof seen);
	seen.alias = EDS_ALIAS_OTHER;
	seen.alias_target = "elsewhere.example";
	seen.max_age_s = 86400;
	seen.tlsrpt = EDS_TLSRPT_PRESENT;
	seen.mx_state = EDS_MX_IMPLICIT;
	seen.mx[0] = (struct eds_mta_sts_mx){.host = "mx.example.com",
		.starttls = EDS_STARTTLS_NO,
		.reason = "It \"does not\".",
		.checked_at_ms = 1700000000000};
	seen.mx_count = 1;
	eds_finding_add(&test_event, &seen.warnings, "policy-blank-line", "%s", "A line.");
	assert_int_equal(eds_mta_sts_evidence_read(&test_event,
				 eds_mta_sts_evidence_format(&test_event, &seen), &again),
		RT_OK);
	assert_int_equal(again.alias, EDS_ALIAS_OTHER);
	assert_string_equal(again.alias_target, "elsewhere.example");
	assert_int_equal(again.max_age_s, 86400);
	assert_int_equal(again.tlsrpt, EDS_TLSRPT_PRESENT);
	assert_int_equal(again.mx_state, EDS_MX_IMPLICIT);
	assert_int_equal(again.mx_count, 1);
	assert_string_equal(again.mx[0].reason, "It \"does not\".");
	assert_int_equal(again.mx[0].starttls, EDS_STARTTLS_NO);
	assert_true(again.mx[0].checked_at_ms == 1700000000000);
	assert_string_equal(again.warnings.items[0].code, "policy-blank-line");
}

static void members_missing_from_the_evidence_are_unknown(void **state)
{
	(void)state;
	assert_int_equal(eds_mta_sts_evidence_read(&test_event, "{}", &seen), RT_OK);
	assert_int_equal(seen.alias, EDS_ALIAS_UNKNOWN);
	assert_int_equal(seen.mx_state, EDS_MX_UNKNOWN);
	assert_int_equal(seen.tlsrpt, EDS_TLSRPT_UNKNOWN);
	assert_int_equal(seen.max_age_s, -1);
	assert_int_equal(
		eds_mta_sts_evidence_read(&test_event,
			"{\"alias\":1,\"mx\":[{}],\"mxState\":\"new\",\"tlsrpt\":\"x\"}", &seen),
		RT_OK);
	assert_int_equal(seen.mx[0].starttls, EDS_STARTTLS_UNKNOWN);
	assert_int_not_equal(eds_mta_sts_evidence_read(&test_event, "{", &seen), RT_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_policy_host_without_an_address_gives_the_reason),
		TEST(only_text_plain_with_status_200_is_a_policy),
		TEST(every_failure_has_a_code_and_only_our_own_is_temporary),
		TEST(a_policy_is_compared_with_the_configuration),
		TEST(a_live_mail_server_without_a_pattern_is_an_error_in_testing_too),
		TEST(evidence_is_stored_and_read_back),
		TEST(members_missing_from_the_evidence_are_unknown),
	};

	return cmocka_run_group_tests_name("mtasts verdict", tests, NULL, NULL);
}
