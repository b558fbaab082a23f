/* The rows of a report for the sums: the report that was just read and its stored body give the
 * same rows. */
#include "tests/support/test-event.h"

#include <arpa/inet.h>

#include "functions/reports/detail-json.h"
#include "functions/reports/rows/rows-of.h"

static const struct eds_report_auth_item signers[] = {{"Example.com", "s1", "pass", ""},
	{"example.com", "s2", "pass", ""}, {"<x>", "s", "pass", ""}, {"", "", "", ""},
	{"mailer.example", "x", "fail", "why"}, {"third.example", "x", "pass", ""},
	{"fourth.example", "x", "pass", ""}};
static const struct eds_report_auth_item senders[] = {
	{"helo.example", "helo", "pass", ""}, {"bounce.example", "mfrom", "softfail", ""}};
static const struct eds_report_auth auths[] = {
	{.header_from = "example.com",
		.envelope_from = "",
		.envelope_to = "",
		.dkim = signers,
		.dkim_count = sizeof signers / sizeof signers[0],
		.spf = senders,
		.spf_count = 2},
	{.header_from = "", .envelope_from = "", .envelope_to = "", .spf = senders, .spf_count = 1},
	{.header_from = "two words", .envelope_from = "", .envelope_to = ""},
};
static struct eds_report_row rows[] = {
	{.disposition = EDS_DISPOSITION_NONE, .class = EDS_CLASS_PASSED, .messages = 3},
	{.disposition = EDS_DISPOSITION_NONE, .class = EDS_CLASS_PASSED, .messages = 4},
	{.disposition = EDS_DISPOSITION_REJECT, .auth = 1, .messages = 2},
	{.class = EDS_CLASS_FORWARDED, .auth = 2, .messages = UINT64_MAX},
	{.auth = 1, .messages = 0},
};

static struct eds_report report_of_all(void)
{
	static const struct eds_report report = {.kind = EDS_REPORT_DMARC,
		.file = "",
		.org = "Receiver",
		.email = "dmarc@receiver.example",
		.report_id = "r1",
		.domain = "example.com",
		.version = "",
		.extra_contact = "",
		.generator = "",
		.policy = {"", "", "", "", "", "", "", "", -1},
		.messages = 20,
		.passed = 9,
		.forwarded = 1,
		.rows = rows,
		.row_count = sizeof rows / sizeof rows[0],
		.auths = auths,
		.auth_count = sizeof auths / sizeof auths[0]};

	rows[0].source.family = rows[1].source.family = AF_INET;
	rows[2].source.family = AF_INET6;
	return report;
}

static void assert_same(const struct eds_report_row_sum *a, const struct eds_report_row_sum *b)
{
	assert_string_equal(a->source, b->source);
	assert_string_equal(a->auth, b->auth);
	assert_int_equal(a->disposition, b->disposition);
	assert_int_equal(a->class, b->class);
	assert_int_equal(a->messages, b->messages);
}

static void rows_from_a_report_and_from_its_stored_text_are_the_same(void **state)
{
	const struct eds_report report = report_of_all();
	const struct report_totals totals = {20, 9, 1};
	struct rt_ctx *ctx = *state;
	struct eds_report_row_sum *read;
	struct eds_report_row_sum *kept;
	size_t read_count;
	size_t kept_count;

	report_rows_read(ctx, &report, &read, &read_count);
	assert_int_equal(
		report_rows_of(ctx, report_body_text(ctx, &report), &totals, &kept, &kept_count),
		RT_OK);
	assert_int_equal(read_count, kept_count);
	for (size_t i = 0; i < read_count; i++)
		assert_same(&read[i], &kept[i]);
}

static void rows_name_the_signers_and_the_remaining_messages(void **state)
{
	struct eds_report report = report_of_all();
	struct eds_report_row_sum *sums;
	size_t count;

	report.row_count = 3;
	report_rows_read(*state, &report, &sums, &count);
	assert_int_equal(count, 6);
	assert_string_equal(sums[0].source, "0.0.0.0");
	assert_string_equal(sums[0].auth,
		"example.com dkim+example.com dkim-mailer.example dkim+third.example "
		"spf-bounce.example");
	assert_int_equal(sums[1].messages, 4);
	assert_string_equal(sums[2].source, "::");
	assert_string_equal(sums[2].auth, "- spf+helo.example");
	assert_string_equal(sums[3].source, "");
	assert_string_equal(sums[3].auth, "-");
	assert_int_equal(sums[3].class, EDS_CLASS_FAILED);
	assert_int_equal(sums[3].messages, 8);
	assert_int_equal(sums[4].class, EDS_CLASS_PASSED);
	assert_int_equal(sums[4].messages, 2);
	assert_int_equal(sums[5].class, EDS_CLASS_FORWARDED);
	assert_int_equal(sums[5].messages, 1);
}

/* One row claims 2^64 - 1 messages, although the report has 20. */
static void rows_count_no_more_messages_than_the_report(void **state)
{
	const struct eds_report report = report_of_all();
	struct eds_report_row_sum *sums;
	int64_t messages = 0;
	size_t count;

	report_rows_read(*state, &report, &sums, &count);
	for (size_t i = 0; i < count; i++)
		messages += sums[i].messages;
	assert_int_equal(messages, 20);
	assert_int_equal(sums[3].messages, 11);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rows_from_a_report_and_from_its_stored_text_are_the_same),
		TEST(rows_name_the_signers_and_the_remaining_messages),
		TEST(rows_count_no_more_messages_than_the_report),
	};

	return cmocka_run_group_tests_name("reports: rows for the sums", tests, NULL, NULL);
}
