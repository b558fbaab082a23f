/* The location of a mail store in S3. */
#include "runtime/s3/location.h"
#include "tests/support/test-event.h"

static void set(const char *name, const char *value)
{
	if (value == NULL)
		unsetenv(name);
	else
		setenv(name, value, 1);
}

static struct s3_location read_with(
	struct rt_ctx *ctx, const char *url, const char *region, const char *endpoint)
{
	struct s3_location location;

	set("AWS_REGION", region);
	set("AWS_DEFAULT_REGION", NULL);
	set("AWS_ENDPOINT_URL", NULL);
	set("AWS_ENDPOINT_URL_S3", endpoint);
	assert_int_equal(s3_location_read(ctx, url, &location), RT_OK);
	return location;
}

static void a_bucket_at_amazon_is_part_of_the_host_name(void **state)
{
	struct s3_location location = read_with(*state, "s3://mail/in", "eu-central-1", NULL);

	assert_string_equal(location.endpoint.scheme, "https://");
	assert_string_equal(location.endpoint.host, "mail.s3.eu-central-1.amazonaws.com");
	assert_string_equal(location.base, "/");
	assert_string_equal(location.prefix, "in/");
	location = read_with(*state, "s3://mail", "cn-north-1", NULL);
	assert_string_equal(location.endpoint.host, "mail.s3.cn-north-1.amazonaws.com.cn");
	assert_string_equal(location.prefix, "");
	location = read_with(*state, "s3://mail.example.com/", NULL, NULL);
	assert_string_equal(location.endpoint.host, "s3.us-east-1.amazonaws.com");
	assert_string_equal(location.base, "/mail.example.com/");
	assert_string_equal(location.prefix, "");
}

static void a_bucket_on_another_server_is_part_of_the_path(void **state)
{
	struct s3_location location = read_with(
		*state, "s3://mail/a/b/", NULL, "http://127.0.0.1:9000/");

	assert_string_equal(location.endpoint.scheme, "http://");
	assert_string_equal(location.endpoint.host, "127.0.0.1:9000");
	assert_string_equal(location.base, "/mail/");
	assert_string_equal(location.prefix, "a/b/");
	set("AWS_ENDPOINT_URL", "https://other.example");
	assert_int_equal(s3_location_read(*state, "s3://mail", &location), RT_OK);
	assert_string_equal(location.endpoint.host, "127.0.0.1:9000");
	set("AWS_ENDPOINT_URL_S3", "");
	assert_int_equal(s3_location_read(*state, "s3://mail", &location), RT_OK);
	assert_string_equal(location.endpoint.host, "other.example");
}

static void a_wrong_endpoint_or_region_is_refused_with_a_sentence(void **state)
{
	static const char *const bad[] = {"s3.example.com", "ftp://s3.example.com", "https://",
		"https://s3.example.com/path", "https://a@b", "https://a\nb"};
	struct s3_location location = read_with(*state, "s3://mail", NULL, NULL);
	struct rt_ctx *ctx = *state;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		rt_fail_clear(ctx);
		set("AWS_ENDPOINT_URL_S3", bad[i]);
		assert_int_equal(s3_location_read(ctx, "s3://mail", &location), RT_INTERNAL);
		assert_string_equal(ctx->failure.code, "mail-store-misconfigured");
	}
	set("AWS_ENDPOINT_URL_S3", NULL);
	set("AWS_REGION", "eu-central-1/x");
	rt_fail_clear(ctx);
	assert_int_equal(s3_location_read(ctx, "s3://mail", &location), RT_INTERNAL);
}

static void a_store_is_a_bucket_with_an_optional_prefix(void **state)
{
	static const char *const good[] = {"s3://abc", "s3://a-b.c1/", "s3://abc/x/y=z"};
	static const char *const bad[] = {"s3://", "s3://ab", "s3://Abc", "s3://abc-", "s3://a_c",
		"s3:///x", "s3://abc//x", "s3://abc/a b", "s3://abc/\xc3\xa4", "S3://abc", "abc"};

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		assert_true(s3_location_is_valid(good[i]));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (s3_location_is_valid(bad[i]))
			fail_msg("taken: %s", bad[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_bucket_at_amazon_is_part_of_the_host_name),
		TEST(a_bucket_on_another_server_is_part_of_the_path),
		TEST(a_wrong_endpoint_or_region_is_refused_with_a_sentence),
		TEST(a_store_is_a_bucket_with_an_optional_prefix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
