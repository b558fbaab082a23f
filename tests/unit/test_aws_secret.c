/* ARNs of secrets, and answers of Secrets Manager. */
#include "runtime/aws/secret-parse.h"
#include "runtime/aws/secret.h"
#include "tests/support/test-event.h"

#define ACCOUNT "arn:aws:secretsmanager:eu-central-1:111122223333"

static void a_name_is_a_whole_arn_of_a_secret(void **state)
{
	static const char *const right[] = {ACCOUNT ":secret:eds-a1B2c3",
		ACCOUNT ":secret:rds!db-0f/x_+=.@-a1B2c3",
		"arn:aws-cn:secretsmanager:cn-north-1:1:secret:x"};
	static const char *const wrong[] = {"", "arn:", "eds-a1B2c3", ACCOUNT,
		ACCOUNT ":secret:", ACCOUNT ":secret:a b", ACCOUNT ":secret:a\"b",
		ACCOUNT ":secret:a:b", "arn:aws:s3:eu-central-1:111122223333:secret:x",
		"arn:aws:secretsmanager::111122223333:secret:x",
		"arn:aws:secretsmanager:eu/central:111122223333:secret:x",
		"arn:aws:secretsmanager:eu-central-1::secret:x",
		"arn:aws:secretsmanager:eu-central-1:x:secret:x",
		"arn::secretsmanager:eu-central-1:1:secret:x"};

	(void)state;
	for (size_t i = 0; i < sizeof right / sizeof right[0]; i++)
		assert_true(aws_secret_arn_is_valid(right[i], strlen(right[i])));
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
		if (aws_secret_arn_is_valid(wrong[i], strlen(wrong[i])))
			fail_msg("\"%s\" was accepted", wrong[i]);
}

static void text_after_a_name_is_not_part_of_it(void **state)
{
	static const char text[] = ACCOUNT ":secret:eds-a1B2c3#url";

	(void)state;
	assert_true(aws_secret_arn_is_valid(text, strlen(text) - 4));
	assert_false(aws_secret_arn_is_valid(text, strlen(text)));
	assert_false(aws_secret_arn_is_valid(text, strlen(text) - 5));
}

static void a_name_longer_than_640_octets_is_refused(void **state)
{
	char text[642] = ACCOUNT ":secret:";

	(void)state;
	memset(text + strlen(text), 'x', 640 - strlen(text));
	assert_true(aws_secret_arn_is_valid(text, 640));
	text[640] = 'x';
	assert_false(aws_secret_arn_is_valid(text, 641));
}

static void the_region_is_the_one_in_the_name_of_the_secret(void **state)
{
	assert_string_equal(
		aws_secret_region(*state, ACCOUNT ":secret:eds-a1B2c3"), "eu-central-1");
}

static char *text_of(struct rt_ctx *ctx, const char *answer)
{
	return aws_secret_text(ctx, answer, strlen(answer));
}

static void the_text_of_an_answer_is_read(void **state)
{
	assert_string_equal(
		text_of(*state, "{\"Name\":\"eds\",\"SecretString\":\"{\\\"a\\\":1}\"}"),
		"{\"a\":1}");
	assert_null(text_of(*state, "{\"Name\":\"eds\",\"SecretBinary\":\"AAAA\"}"));
	assert_null(text_of(*state, "{\"SecretString\":5}"));
	assert_null(text_of(*state, "{\"SecretString\":\"a\",\"SecretString\":\"b\"}"));
	assert_null(text_of(*state, "[]"));
	assert_null(text_of(*state, "<html>"));
	assert_null(text_of(*state, ""));
}

static void the_name_of_an_error_is_read_as_letters_alone(void **state)
{
	static const char *const cases[][2] = {
		{"{\"__type\":\"AccessDeniedException\",\"Message\":\"x\"}",
			"AccessDeniedException"},
		{"{\"__type\":\"com.amazonaws.secretsmanager#DecryptionFailure\"}",
			"DecryptionFailure"},
		{"{\"__type\":\"Odd\\nline\"}", "Odd"},
		{"{\"__type\":5}", ""},
		{"{\"Message\":\"x\"}", ""},
		{"<html>", ""},
	};
	char type[AWS_SECRET_ERROR_MAX + 1];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		aws_secret_error(cases[i][0], strlen(cases[i][0]), type);
		assert_string_equal(type, cases[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_name_is_a_whole_arn_of_a_secret),
		TEST(text_after_a_name_is_not_part_of_it),
		TEST(a_name_longer_than_640_octets_is_refused),
		TEST(the_region_is_the_one_in_the_name_of_the_secret),
		TEST(the_text_of_an_answer_is_read),
		TEST(the_name_of_an_error_is_read_as_letters_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
