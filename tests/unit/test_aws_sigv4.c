/* Signature Version 4, tested with the examples that AWS publishes: the four requests of the S3
 * reference and the plain one of the general test suite. */
#include <sys/uio.h>

#include "runtime/aws/sigv4.h"
#include "tests/support/test-event.h"

#define S3_HOST "examplebucket.s3.amazonaws.com"

static const struct sigv4_key s3_key = {
	"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"};
static const struct sigv4_scope s3_scope = {"us-east-1", "s3", "20130524T000000Z"};

static void assert_signature(struct rt_ctx *ctx, const struct sigv4_request *request,
	const char *signed_headers, const char *signature)
{
	const char *expected = rt_printf(ctx,
		"AWS4-HMAC-SHA256 "
		"Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
		"SignedHeaders=%s,Signature=%s",
		signed_headers, signature);

	assert_string_equal(sigv4_authorization(ctx, request, &s3_scope, &s3_key), expected);
}

static void a_get_of_a_range_is_signed_as_published(void **state)
{
	const struct sigv4_request request = {
		.method = "GET",
		.path = "/test.txt",
		.query = "",
		.headers = {{"host", S3_HOST}, {"range", "bytes=0-9"},
			{"x-amz-content-sha256", sigv4_empty_hash},
			{"x-amz-date", "20130524T000000Z"}},
		.header_count = 4,
		.payload_hash = sigv4_empty_hash,
	};

	assert_signature(*state, &request, "host;range;x-amz-content-sha256;x-amz-date",
		"f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

static void a_put_with_a_body_and_an_encoded_name_is_signed_as_published(void **state)
{
	char text[] = "Welcome to Amazon S3.";
	const struct iovec parts[] = {{text, 10}, {text + 10, 0}, {text + 10, strlen(text) - 10}};
	char hash[SIGV4_HASH_TEXT_BYTES];
	struct sigv4_request request = {
		.method = "PUT",
		.path = rt_printf(*state, "/%s", sigv4_encode(*state, "test$file.text", true)),
		.query = "",
		.headers = {{"date", "Fri, 24 May 2013 00:00:00 GMT"}, {"host", S3_HOST},
			{"x-amz-content-sha256", hash}, {"x-amz-date", "20130524T000000Z"},
			{"x-amz-storage-class", "REDUCED_REDUNDANCY"}},
		.header_count = 5,
		.payload_hash = hash,
	};

	sigv4_hash(parts, 3, hash);
	assert_string_equal(
		hash, "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072");
	assert_signature(*state, &request,
		"date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
		"98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
}

static void lists_and_settings_are_signed_as_published(void **state)
{
	static const struct {
		const char *query;
		const char *signature;
	} cases[] = {
		{"lifecycle=", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"},
		{"max-keys=2&prefix=J",
			"34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct sigv4_request request = {
			.method = "GET",
			.path = "/",
			.query = cases[i].query,
			.headers = {{"host", S3_HOST}, {"x-amz-content-sha256", sigv4_empty_hash},
				{"x-amz-date", "20130524T000000Z"}},
			.header_count = 3,
			.payload_hash = sigv4_empty_hash,
		};

		assert_signature(*state, &request, "host;x-amz-content-sha256;x-amz-date",
			cases[i].signature);
	}
}

static void the_plain_request_of_the_test_suite_is_signed_as_published(void **state)
{
	const struct sigv4_key key = {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"};
	const struct sigv4_scope scope = {"us-east-1", "service", "20150830T123600Z"};
	const struct sigv4_request request = {
		.method = "GET",
		.path = "/",
		.query = "",
		.headers = {{"host", "example.amazonaws.com"}, {"x-amz-date", "20150830T123600Z"}},
		.header_count = 2,
		.payload_hash = sigv4_empty_hash,
	};

	assert_string_equal(sigv4_authorization(*state, &request, &scope, &key),
		"AWS4-HMAC-SHA256 "
		"Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request,"
		"SignedHeaders=host;x-amz-date,"
		"Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");
}

/* Temporary credentials have tokens of a thousand octets and more. The expected signature comes
 * from Python's hmac. */
static void a_request_with_a_long_session_token_is_signed_in_full(void **state)
{
	char token[1300 + 1] = "";
	const struct sigv4_request request = {
		.method = "GET",
		.path = "/test.txt",
		.query = "",
		.headers = {{"host", S3_HOST}, {"x-amz-content-sha256", sigv4_empty_hash},
			{"x-amz-date", "20130524T000000Z"}, {"x-amz-security-token", token}},
		.header_count = 4,
		.payload_hash = sigv4_empty_hash,
	};

	memset(token, 'T', sizeof token - 1);
	assert_signature(*state, &request,
		"host;x-amz-content-sha256;x-amz-date;x-amz-security-token",
		"ecf4755040d9cf2896fb3e7619bcace819ac36b86e134824a83184d75d500ac4");
}

static void names_are_encoded_octet_by_octet(void **state)
{
	assert_string_equal(sigv4_encode(*state, "AZaz09-_.~", false), "AZaz09-_.~");
	assert_string_equal(sigv4_encode(*state, "a/b c+%\xc3\xa4", true), "a/b%20c%2B%25%C3%A4");
	assert_string_equal(sigv4_encode(*state, "a/b", false), "a%2Fb");
}

static void a_time_is_written_without_punctuation(void **state)
{
	char text[SIGV4_TIME_BYTES];

	(void)state;
	sigv4_time(1440938160999, text);
	assert_string_equal(text, "20150830T123600Z");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_get_of_a_range_is_signed_as_published),
		TEST(a_put_with_a_body_and_an_encoded_name_is_signed_as_published),
		TEST(lists_and_settings_are_signed_as_published),
		TEST(the_plain_request_of_the_test_suite_is_signed_as_published),
		TEST(a_request_with_a_long_session_token_is_signed_in_full),
		TEST(names_are_encoded_octet_by_octet),
		TEST(a_time_is_written_without_punctuation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
