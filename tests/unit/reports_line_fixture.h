/* Code shared by the tests of reports as lines of the log and of their stored content: an aggregate
 * report about example.com, and a TLS report about it and another domain.
 */
#ifndef TESTS_REPORTS_LINE_FIXTURE_H
#define TESTS_REPORTS_LINE_FIXTURE_H

#include "functions/reports/line.h"

static const struct eds_domain domain = {.id = "d1", .account_id = "a1", .name = "example.com"};

static struct eds_report_row rows[] = {
	{.disposition = EDS_DISPOSITION_NONE,
		.dkim = EDS_ALIGNMENT_PASS,
		.spf = EDS_ALIGNMENT_FAIL,
		.class = EDS_CLASS_FORWARDED,
		.messages = 3},
	{.disposition = EDS_DISPOSITION_REJECT,
		.dkim = EDS_ALIGNMENT_FAIL,
		.spf = EDS_ALIGNMENT_UNKNOWN,
		.auth = 1,
		.messages = 2},
	{.dkim = EDS_ALIGNMENT_FAIL, .spf = EDS_ALIGNMENT_PASS, .messages = UINT64_MAX},
};

static const struct eds_report_auth_item mailing_list = {"mailing_list", "", "", "by \"arc\""};
static const struct eds_report_auth_item signature_item = {"example.com", "s1", "pass", ""};
static const struct eds_report_auth_item spf_item = {"list.example", "mfrom", "fail", ""};
static const struct eds_report_auth auths[] = {
	{.header_from = "example.com",
		.envelope_from = "list.example",
		.envelope_to = "",
		.reasons = &mailing_list,
		.reason_count = 1,
		.dkim = &signature_item,
		.dkim_count = 1,
		.spf = &spf_item,
		.spf_count = 1},
	{.header_from = "", .envelope_from = "", .envelope_to = "", .left_out = 7},
};

static const char *const policy_lines[] = {"version: STSv1", "mode: enforce"};
static const char *const policy_hosts[] = {"*.example.com"};

static const struct eds_report_tls_policy policies[] = {
	{.type = "sts",
		.domain = "Example.COM",
		.successful = 100,
		.failed = 3,
		.strings = {policy_lines, 2},
		.mx_hosts = {policy_hosts, 1}},
	{.type = "sts", .domain = "other.example", .successful = 7, .failed = 9},
};

static const struct eds_report_tls_failure failures[] = {
	{.policy = 1,
		.type = "validation-failure",
		.sessions = 9,
		.receiving_mx = "",
		.reason = ""},
	{.policy = 0,
		.type = "certificate-expired",
		.sessions = 3,
		.sending_ip = "192.0.2.7",
		.receiving_mx = "mx1.example.com",
		.receiving_helo = "mx.example.com",
		.receiving_ip = "2001:db8::25",
		.information = "https://receiver.example/why",
		.reason = "X509_V_ERR"},
	{.policy = 0,
		.type = "certificate-expired",
		.sessions = 4,
		.sending_ip = "192.0.2.8",
		.receiving_mx = "mx2.example.com",
		.reason = ""},
};

static inline struct eds_report aggregate(void)
{
	struct eds_report report = {.kind = EDS_REPORT_DMARC,
		.file = "",
		.org = "Receiver",
		.email = "dmarc@receiver.example",
		.report_id = "r1",
		.domain = "example.com",
		.begin_s = 1769731200,
		.end_s = 1769817599,
		.policy = {.adkim = "r",
			.aspf = "r",
			.p = "none",
			.sp = "",
			.np = "",
			.testing = "",
			.pct = -1},
		.records = 2,
		.messages = 5,
		.passed = 3,
		.rows = rows,
		.row_count = 2,
		.auths = auths,
		.auth_count = 2};

	assert_true(rt_ip_parse("192.0.2.1", &rows[0].source));
	return report;
}

static inline struct eds_report tls(void)
{
	struct eds_report report = aggregate();

	report.kind = EDS_REPORT_TLS;
	report.row_count = 0;
	report.tls_policies = policies;
	report.tls_policy_count = 2;
	report.tls_failures = failures;
	report.tls_failure_count = 3;
	return report;
}

#endif
