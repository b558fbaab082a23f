/* Reports as lines of the log. */
#include "tests/support/test-event.h"
#include "tests/unit/reports_line_fixture.h"

static const struct rt_mail_event mail = {
	.message_id = "m1", .received_at_ms = 5000, .mail_from = "noreply@receiver.example"};

/* A sender that has proved to be receiver.example. */
static struct report_sender sender = {.domain = "receiver.example",
	.proved = true,
	.spf = "pass",
	.dkim = "none",
	.dmarc = "pass"};
static struct report_log receiver_log = {.domain = &domain,
	.org_domain = "example.com",
	.mail = &mail,
	.sender = &sender,
	.known = {.standing = ""}};

static const struct eds_report_line *line_of(struct rt_ctx *ctx, const struct eds_report *report)
{
	return report_line(ctx, &receiver_log, report, 0);
}

static void assert_taken(struct rt_ctx *ctx, const char *monitored, const char *policy, bool taken)
{
	const struct eds_domain of = {.name = monitored};
	struct report_log log = receiver_log;
	struct eds_report report = aggregate();
	const struct eds_report_line *line;

	report.domain = policy;
	log.domain = &of;
	line = report_line(ctx, &log, &report, 0);
	assert_string_equal(line->state, taken ? "read" : "refused");
	if (!taken)
		assert_string_equal(line->reason_code, "report-other-domain");
}

static void a_report_is_accepted_for_its_policy_domain_and_names_below_it(void **state)
{
	struct rt_ctx *ctx = *state;

	assert_taken(ctx, "example.com", "example.com", true);
	assert_taken(ctx, "example.com", "EXAMPLE.com.", true);
	assert_taken(ctx, "a.mail.example.com", "example.com", true);
	assert_taken(ctx, "a.mail.example.com", "mail.example.com", true);
	assert_taken(ctx, "a.mail.example.com", "com", false);
	assert_taken(ctx, "xn--bcher-kva.example", "bücher.example", true);
	assert_taken(ctx, "example.com", "mail.example.com", false);
	assert_taken(ctx, "notexample.com", "example.com", false);
	assert_taken(ctx, "example.com", "example.com.evil.example", false);
	assert_taken(ctx, "example.com", "", false);
	assert_taken(ctx, "example.com", "..", false);
}

static void a_report_sums_passed_and_failed_messages(void **state)
{
	struct rt_ctx *ctx = *state;
	struct eds_report report = aggregate();
	const struct eds_report_line *line = line_of(ctx, &report);

	assert_string_equal(line->kind, "dmarc");
	assert_int_equal(line->records, 2);
	assert_int_equal(line->total, 5);
	assert_int_equal(line->passed, 3);
	assert_int_equal(line->failed, 2);
	assert_int_equal(line->begins_at_ms, 1769731200000);
	assert_int_equal(line->ends_at_ms, 1769817599000);
	assert_int_equal(line->received_at_ms, 5000);
}

static void impossible_counts_and_times_are_bounded(void **state)
{
	struct rt_ctx *ctx = *state;
	struct eds_report report = aggregate();
	const struct eds_report_line *line;

	report.row_count = 3;
	report.messages = UINT64_MAX;
	report.passed = UINT64_MAX;
	report.begin_s = INT64_MIN;
	report.end_s = INT64_MAX;
	line = line_of(ctx, &report);
	assert_int_equal(line->total, 1000000000000);
	assert_int_equal(line->passed, 1000000000000);
	assert_int_equal(line->begins_at_ms, 0);
	assert_int_equal(line->ends_at_ms, 0);
}

static void a_report_has_the_same_identity_whatever_brings_it(void **state)
{
	struct rt_ctx *ctx = *state;
	struct eds_report one = aggregate();
	struct eds_report two = aggregate();
	const char *identity = line_of(ctx, &one)->identity;

	two.file = "another.xml";
	two.org = "RECEIVER";
	assert_string_equal(identity, report_line(ctx, &receiver_log, &two, 7)->identity);
	two.report_id = "r2";
	assert_string_not_equal(identity, line_of(ctx, &two)->identity);
	sender.domain = "another.example";
	two = aggregate();
	assert_string_not_equal(identity, line_of(ctx, &two)->identity);
	sender.domain = "receiver.example";
	sender.proved = false;
	two = aggregate();
	assert_string_not_equal(identity, line_of(ctx, &two)->identity);
	sender.proved = true;
}

static bool is_verified(
	struct rt_ctx *ctx, const char *domain_name, const char *org, const char *email)
{
	struct eds_report report = aggregate();
	const struct eds_report_line *line;

	report.org = org;
	report.email = email;
	sender.domain = domain_name;
	line = line_of(ctx, &report);
	sender.domain = "receiver.example";
	assert_true(line->counts == line->origin.verified);
	return line->origin.verified;
}

static void a_report_is_verified_only_for_the_domain_that_sent_it(void **state)
{
	struct rt_ctx *ctx = *state;

	assert_true(
		is_verified(ctx, "google.com", "google.com", "noreply-dmarc-support@google.com"));
	assert_true(is_verified(ctx, "google.com", "mail.google.com", ""));
	assert_true(is_verified(
		ctx, "microsoft.com", "Enterprise Outlook", "dmarcreport@microsoft.com"));
	assert_true(is_verified(ctx, "microsoft.com", "Outlook.com", "dmarcreport@microsoft.com"));
	assert_true(is_verified(ctx, "yahoo.com", "Yahoo", "dmarchelp@yahooinc.com"));
	assert_true(is_verified(ctx, "amazonses.com", "AMAZON-SES", "postmaster@other.example"));
	assert_true(is_verified(ctx, "mail.ru", "Mail.Ru", "dmarc_support@corp.mail.ru"));
	assert_false(is_verified(ctx, "evil.example", "google.com", "x@evil.example"));
	assert_false(is_verified(ctx, "evil.example", "Outlook.com", "x@evil.example"));
	assert_false(is_verified(ctx, "evil.example", "Yahoo", "dmarchelp@yahooinc.com"));
	assert_false(is_verified(ctx, "yahoo.com", "", ""));
	assert_false(is_verified(ctx, "yahoogroups.com", "Yahoo", ""));
	assert_false(is_verified(ctx, "notgoogle.com", "google.com", ""));
	assert_false(is_verified(ctx, "", "google.com", "x@google.com"));
}

static void a_known_reporter_may_have_any_name_but_proves_its_domain_each_time(void **state)
{
	struct rt_ctx *ctx = *state;

	receiver_log.known.verified_ms = 1;
	assert_true(is_verified(ctx, "evil.example", "google.com", ""));
	sender.proved = false;
	assert_false(is_verified(ctx, "google.com", "google.com", ""));
	sender.proved = true;
	receiver_log.known.verified_ms = 0;
}

static void the_owners_decision_about_a_reporter_prevails(void **state)
{
	struct rt_ctx *ctx = *state;
	struct eds_report report = aggregate();
	const struct eds_report_line *line;

	sender.proved = false;
	receiver_log.known.standing = "accepted";
	line = line_of(ctx, &report);
	assert_true(line->counts);
	assert_false(line->origin.verified);
	sender.proved = true;
	receiver_log.known.standing = "blocked";
	line = line_of(ctx, &report);
	assert_false(line->counts);
	assert_string_equal(line->state, "refused");
	assert_string_equal(line->reason_code, "reporter-blocked");
	receiver_log.known.standing = "";
}

static void reports_without_an_id_are_distinguished_by_their_period(void **state)
{
	struct rt_ctx *ctx = *state;
	struct eds_report one = aggregate();
	struct eds_report two = aggregate();

	one.report_id = two.report_id = "";
	one.org = two.org = "";
	assert_string_equal(line_of(ctx, &one)->identity, line_of(ctx, &two)->identity);
	two.begin_s++;
	assert_string_not_equal(line_of(ctx, &one)->identity, line_of(ctx, &two)->identity);
	assert_null(line_of(ctx, &one)->organization);
}

static void an_unread_report_is_logged_as_a_line_for_its_mail(void **state)
{
	struct rt_ctx *ctx = *state;
	struct eds_report report = aggregate();
	const struct eds_report_line *line;

	report.kind = EDS_REPORT_UNKNOWN;
	report.fault_code = "report-truncated";
	report.fault = "It ends in the middle.";
	line = report_line(ctx, &receiver_log, &report, 3);
	assert_string_equal(line->state, "refused");
	assert_string_equal(line->kind, "unknown");
	assert_string_equal(line->reason_code, "report-truncated");
	assert_string_equal(line->identity, "mail|m1|3");
	assert_string_equal(report_line_cut(ctx, &receiver_log)->reason_code, "reports-too-many");
	assert_string_not_equal(report_line_cut(ctx, &receiver_log)->identity, line->identity);
}

static void a_tls_report_counts_for_the_policies_of_the_domain(void **state)
{
	struct rt_ctx *ctx = *state;
	struct eds_report report = tls();
	const struct eds_report_line *line = line_of(ctx, &report);
	struct eds_report_failure_sum *sums;
	size_t count;

	assert_string_equal(line->state, "read");
	assert_string_equal(line->kind, "tls");
	assert_int_equal(line->records, 1);
	assert_int_equal(line->total, 103);
	assert_int_equal(line->passed, 100);
	assert_int_equal(line->failed, 3);
	sums = report_failures(ctx, &domain, &report, &count);
	assert_int_equal(count, 1);
	assert_string_equal(sums[0].type, "certificate-expired");
	assert_int_equal(sums[0].sessions, 7);
	report.tls_policies = &policies[1];
	report.tls_policy_count = 1;
	report.tls_failure_count = 0;
	assert_string_equal(line_of(ctx, &report)->state, "refused");
}

static void a_report_with_a_flaw_is_read_and_shows_the_flaw(void **state)
{
	struct rt_ctx *ctx = *state;
	struct eds_report report = aggregate();
	const struct eds_report_line *whole = line_of(ctx, &report);
	const struct eds_report_line *line;

	report.flaw_code = "report-truncated";
	report.flaw = "The report ends in the middle.";
	report.forwarded = 1;
	line = line_of(ctx, &report);
	assert_string_equal(line->state, "read");
	assert_string_equal(line->reason_code, "report-truncated");
	assert_string_equal(line->reason, "The report ends in the middle.");
	assert_string_not_equal(line->identity, whole->identity);
	assert_string_equal(line->whole_identity, whole->identity);
	assert_int_equal(line->passed, 3);
	assert_int_equal(line->forwarded, 1);
	assert_int_equal(line->failed, 1);
	report.flaw_code = "report-email-bare";
	assert_string_equal(line_of(ctx, &report)->identity, whole->identity);
}

static void only_tls_reports_are_accepted_over_https(void **state)
{
	struct rt_ctx *ctx = *state;
	struct report_log log = receiver_log;
	struct eds_report other = aggregate();
	struct eds_report report = tls();
	const struct eds_report_line *line;

	log.way = "https";
	log.tls_alone = true;
	line = report_line(ctx, &log, &other, 0);
	assert_string_equal(line->state, "refused");
	assert_string_equal(line->reason_code, "report-not-tls");
	line = report_line(ctx, &log, &report, 0);
	assert_string_equal(line->state, "read");
	assert_string_equal(line->origin.way, "https");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_report_is_accepted_for_its_policy_domain_and_names_below_it),
		TEST(a_report_sums_passed_and_failed_messages),
		TEST(impossible_counts_and_times_are_bounded),
		TEST(a_report_has_the_same_identity_whatever_brings_it),
		TEST(a_report_is_verified_only_for_the_domain_that_sent_it),
		TEST(a_known_reporter_may_have_any_name_but_proves_its_domain_each_time),
		TEST(the_owners_decision_about_a_reporter_prevails),
		TEST(reports_without_an_id_are_distinguished_by_their_period),
		TEST(an_unread_report_is_logged_as_a_line_for_its_mail),
		TEST(a_tls_report_counts_for_the_policies_of_the_domain),
		TEST(a_report_with_a_flaw_is_read_and_shows_the_flaw),
		TEST(only_tls_reports_are_accepted_over_https),
	};

	return cmocka_run_group_tests_name("reports: lines of the log", tests, NULL, NULL);
}
