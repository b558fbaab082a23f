/* A mail store in a bucket that is configured wrong: each use of it says so. */
#include "runtime/config/config.h"
#include "runtime/mail-store/mailstore.h"
#include "tests/support/test-event.h"

#define WRONG                                                                                      \
	"AWS_ENDPOINT_URL_S3 must be an address like https://s3.example.com, without path or credentials"

static void assert_misconfigured(struct rt_ctx *ctx, rt_status status)
{
	assert_int_equal(status, RT_INTERNAL);
	assert_string_equal(ctx->failure.code, "mail-store-misconfigured");
	assert_string_equal(ctx->failure.detail, WRONG);
	rt_fail_clear(ctx);
}

static void each_use_of_a_misconfigured_bucket_says_what_is_wrong(void **state)
{
	static struct rt_mailstore_names names;
	char text[] = "Subject: x\r\n\r\n";
	struct iovec part = {text, strlen(text)};
	struct rt_ctx *ctx = *state;
	size_t bytes;
	int fd;

	setenv("AWS_ENDPOINT_URL_S3", "https://s3.example.com/path", 1);
	assert_misconfigured(ctx, rt_mailstore_put(ctx, "id-1", &part, 1, false));
	assert_misconfigured(ctx, rt_mailstore_open(ctx, "id-1", &fd, &bytes));
	assert_misconfigured(ctx, rt_mailstore_delete(ctx, "id-1"));
	assert_misconfigured(ctx, rt_mailstore_list(ctx, 0, &names));
	assert_int_equal(names.count, 0);
	rt_mailstore_thread_done();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			each_use_of_a_misconfigured_bucket_says_what_is_wrong, test_event_begin,
			test_event_end),
	};

	setenv("EDS_MAIL_STORE", "s3://bucket/mail", 1);
	setenv("AWS_REGION", "eu-central-1", 1);
	setenv("AWS_ACCESS_KEY_ID", "id", 1);
	setenv("AWS_SECRET_ACCESS_KEY", "key", 1);
	rt_config_require();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
