/* Pages of ListObjectsV2. */
#include "runtime/s3/list.h"
#include "tests/support/test-event.h"

#define HEAD                                                                                       \
	"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListBucketResult "                           \
	"xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>b</Name><KeyCount>2</KeyCount>"
#define OBJECT(key, time)                                                                          \
	"<Contents><Key>" key "</Key><LastModified>" time "</LastModified>"                        \
	"<ETag>&quot;x&quot;</ETag><Size>5</Size></Contents>"

static struct s3_page page;

static bool parse(struct rt_ctx *ctx, const char *xml)
{
	return s3_list_parse(ctx, xml, strlen(xml), &page);
}

static void names_and_times_are_read(void **state)
{
	assert_true(parse(*state,
		HEAD "<IsTruncated>false</IsTruncated>" OBJECT("in/m1", "2026-01-31T23:59:59.000Z")
			OBJECT("in%2Fa+b%C3%A4", "1970-01-01T00:00:01Z")
				OBJECT("in%2f%7E", "1970-01-01T00:00:01Z") "</ListBucketResult>"));
	assert_int_equal(page.count, 3);
	assert_string_equal(page.objects[2].key, "in/~");
	assert_string_equal(page.objects[0].key, "in/m1");
	assert_int_equal(page.objects[0].modified_at_ms, 1769903999000);
	assert_string_equal(page.objects[1].key, "in/a b\xc3\xa4");
	assert_int_equal(page.objects[1].modified_at_ms, 1000);
	assert_null(page.next);
}

static void an_empty_list_is_valid(void **state)
{
	assert_true(parse(*state, HEAD "<IsTruncated>false</IsTruncated></ListBucketResult>"));
	assert_int_equal(page.count, 0);
}

static void a_truncated_list_gives_the_token_of_the_next_page(void **state)
{
	assert_true(parse(*state,
		HEAD "<IsTruncated>true</IsTruncated>"
		     "<NextContinuationToken>1ueGcxLPRx1Tr/XYExHnhbYLgveDs2J/wm36Hy4vbOwM="
		     "</NextContinuationToken></ListBucketResult>"));
	assert_string_equal(page.next, "1ueGcxLPRx1Tr/XYExHnhbYLgveDs2J/wm36Hy4vbOwM=");
}

static void a_name_has_at_most_3072_octets(void **state)
{
	char name[3074];
	char *xml;

	memset(name, 'a', sizeof name - 1);
	name[3073] = '\0';
	xml = rt_printf(*state,
		HEAD "<IsTruncated>false</IsTruncated>" OBJECT(
			"%s", "1970-01-01T00:00:01Z") "</ListBucketResult>",
		name);
	assert_false(parse(*state, xml));
	name[3072] = '\0';
	xml = rt_printf(*state,
		HEAD "<IsTruncated>false</IsTruncated>" OBJECT(
			"%s", "1970-01-01T00:00:01Z") "</ListBucketResult>",
		name);
	assert_true(parse(*state, xml));
	assert_string_equal(page.objects[0].key, name);
}

static void a_token_of_other_signs_or_of_4097_octets_is_refused(void **state)
{
	char token[4098] = "";
	const char *const bad[] = {"a b", "a\tb", "a\x7f", "a\xc3\xa9", "a&amp;b", token};

	memset(token, 'x', sizeof token - 1);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (parse(*state,
			    rt_printf(*state,
				    HEAD "<IsTruncated>true</IsTruncated><NextContinuationToken>%s"
					 "</NextContinuationToken></ListBucketResult>",
				    bad[i])))
			fail_msg("read: %s", bad[i]);
}

static void an_answer_that_is_not_a_list_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"<html></html>",
		HEAD,
		HEAD "<IsTruncated>true</IsTruncated></ListBucketResult>",
		HEAD
		"<IsTruncated>true</IsTruncated><NextContinuationToken></NextContinuationToken>",
		HEAD "<IsTruncated>false</IsTruncated><Contents><Key>a</Key></Contents>",
		HEAD "<IsTruncated>false</IsTruncated>" OBJECT("a", "yesterday"),
		HEAD "<IsTruncated>false</IsTruncated>" OBJECT("a%0", "1970-01-01T00:00:01Z"),
		HEAD "<IsTruncated>false</IsTruncated>" OBJECT("a%zz", "1970-01-01T00:00:01Z"),
		HEAD "<IsTruncated>false</IsTruncated>" OBJECT("a%00b", "1970-01-01T00:00:01Z"),
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (parse(*state, bad[i]))
			fail_msg("read: %s", bad[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(names_and_times_are_read),
		TEST(an_empty_list_is_valid),
		TEST(a_truncated_list_gives_the_token_of_the_next_page),
		TEST(a_name_has_at_most_3072_octets),
		TEST(a_token_of_other_signs_or_of_4097_octets_is_refused),
		TEST(an_answer_that_is_not_a_list_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
