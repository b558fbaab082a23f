/* Credentials from containers and instances: parsed strictly, and requested only at safe
 * addresses. */
#include "runtime/aws/credentials-parse.h"
#include "runtime/aws/credentials.h"
#include "tests/support/test-event.h"

static bool parse(const char *text, struct aws_credentials *credentials)
{
	return aws_credentials_parse(text, strlen(text), credentials);
}

static void credentials_of_an_instance_are_read(void **state)
{
	struct aws_credentials credentials;

	(void)state;
	assert_true(parse("{\"Code\":\"Success\",\"LastUpdated\":\"2026-01-31T17:00:00Z\","
			  "\"Type\":\"AWS-HMAC\",\"AccessKeyId\":\"ASIAEXAMPLE\","
			  "\"SecretAccessKey\":\"secret/+\",\"Token\":\"token==\","
			  "\"Expiration\":\"2026-01-31T23:59:59Z\"}",
		&credentials));
	assert_string_equal(credentials.id, "ASIAEXAMPLE");
	assert_string_equal(credentials.secret, "secret/+");
	assert_string_equal(credentials.token, "token==");
	assert_int_equal(credentials.expires_at_ms, 1769903999000);
}

static void credentials_without_a_token_or_an_expiry_never_end(void **state)
{
	struct aws_credentials credentials;

	(void)state;
	assert_true(parse("{\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"B\"}", &credentials));
	assert_string_equal(credentials.token, "");
	assert_int_equal(credentials.expires_at_ms, 0);
}

static void other_answers_hold_no_credentials(void **state)
{
	static const char *const bad[] = {
		"",
		"no json",
		"[]",
		"{}",
		"{\"AccessKeyId\":\"A\"}",
		"{\"AccessKeyId\":\"\",\"SecretAccessKey\":\"B\"}",
		"{\"AccessKeyId\":1,\"SecretAccessKey\":\"B\"}",
		"{\"AccessKeyId\":\"A\\r\\nX: y\",\"SecretAccessKey\":\"B\"}",
		"{\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"B\",\"Token\":\"\"}",
		"{\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"B\",\"Token\":\"a\\nb\"}",
		"{\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"B\",\"Expiration\":\"soon\"}",
		"{\"Code\":\"Failed\",\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"B\"}",
		"{\"AccessKeyId\":\"A\",\"AccessKeyId\":\"C\",\"SecretAccessKey\":\"B\"}",
	};
	struct aws_credentials credentials;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		if (parse(bad[i], &credentials))
			fail_msg("read: %s", bad[i]);
		assert_string_equal(credentials.secret, "");
	}
}

static void a_credential_that_is_too_long_is_refused(void **state)
{
	struct aws_credentials credentials;
	char *token = rt_alloc(*state, AWS_TOKEN_MAX + 2);

	memset(token, 't', AWS_TOKEN_MAX);
	assert_true(
		parse(rt_printf(*state,
			      "{\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"B\",\"Token\":\"%s\"}",
			      token),
			&credentials));
	token[AWS_TOKEN_MAX] = 't';
	assert_false(
		parse(rt_printf(*state,
			      "{\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"B\",\"Token\":\"%s\"}",
			      token),
			&credentials));
}

static void tokens_are_sent_only_over_https_or_to_this_machine(void **state)
{
	static const char *const safe[] = {"https://creds.example/x", "http://127.0.0.1/x",
		"http://127.0.0.1:51679/v2", "http://localhost:80/", "http://[::1]:80/x",
		"http://169.254.170.2/v2/x", "http://169.254.170.23/v1/credentials",
		"http://[fd00:ec2::23]/v1/credentials"};
	static const char *const unsafe[] = {"http://creds.example/x", "http://127.0.0.1.example/x",
		"http://127.0.0.1:80@creds.example/x", "http://localhost", "ftp://127.0.0.1/", "",
		"http://169.254.170.21/x", "/v2/x"};

	(void)state;
	for (size_t i = 0; i < sizeof safe / sizeof *safe; i++)
		if (!aws_credentials_url_is_safe(safe[i]))
			fail_msg("refused: %s", safe[i]);
	for (size_t i = 0; i < sizeof unsafe / sizeof *unsafe; i++)
		if (aws_credentials_url_is_safe(unsafe[i]))
			fail_msg("taken: %s", unsafe[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(credentials_of_an_instance_are_read),
		TEST(credentials_without_a_token_or_an_expiry_never_end),
		TEST(other_answers_hold_no_credentials),
		TEST(a_credential_that_is_too_long_is_refused),
		TEST(tokens_are_sent_only_over_https_or_to_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
