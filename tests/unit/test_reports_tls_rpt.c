/* SMTP TLS reports (RFC 8460). */
#include "tests/unit/reports_fixture.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define TLS_HEAD                                                                                   \
	"{\"organization-name\":\"Company-X\",\"date-range\":{\"start-datetime\":"                 \
	"\"2026-04-01T00:00:00Z\",\"end-datetime\":\"2026-04-01T23:59:59Z\"},"                     \
	"\"contact-info\":\"sts@company-x.example\",\"report-id\":\"5065427c\",\"policies\":["
#define TLS_POLICY(type, domain, good, bad, details)                                               \
	"{\"policy\":{\"policy-type\":\"" type "\",\"policy-string\":[\"version: STSv1\"],"        \
	"\"policy-domain\":\"" domain "\"},\"summary\":{\"total-successful-session-count\":" good  \
	",\"total-failure-session-count\":" bad "},\"failure-details\":[" details "]}"
#define TLS_FAILURE(type, count)                                                                   \
	"{\"result-type\":\"" type "\",\"sending-mta-ip\":\"192.0.2.1\","                          \
	"\"receiving-mx-hostname\":\"mx1.company-y.example\",\"failed-session-count\":" count      \
	",\"failure-reason-code\":\"0x81\"}"
#define TLS_FAILURE_OF(sender, server)                                                             \
	"{\"result-type\":\"certificate-expired\",\"sending-mta-ip\":\"" sender                    \
	"\",\"receiving-mx-hostname\":\"mx1.company-y.example\",\"receiving-mx-helo\":"            \
	"\"mx.company-y.example\",\"receiving-ip\":\"" server                                      \
	"\",\"failed-session-count\":2,\"additional-information\":"                                \
	"\"https://company-x.example/why\"}"
#define TLS_TAIL "]}"

static void a_report_is_read(void **state)
{
	const struct eds_report *report = read_text(TLS_HEAD TLS_POLICY("sts", "Company-Y.example",
		"5326", "303",
		TLS_FAILURE("certificate-expired", "100") "," TLS_FAILURE("starttls-not-supported",
			"200") "," TLS_FAILURE("certificate-expired", "3")) TLS_TAIL);

	(void)state;
	assert_read(report);
	assert_int_equal(report->kind, EDS_REPORT_TLS);
	assert_string_equal(report->org, "Company-X");
	assert_string_equal(report->email, "sts@company-x.example");
	assert_string_equal(report->report_id, "5065427c");
	assert_string_equal(report->domain, "company-y.example");
	assert_int_equal(report->begin_s, 1775001600);
	assert_int_equal(report->end_s, 1775087999);
	assert_int_equal(report->tls_policy_count, 1);
	assert_string_equal(report->tls_policies[0].type, "sts");
	assert_int_equal(report->tls_policies[0].successful, 5326);
	assert_int_equal(report->tls_policies[0].failed, 303);
	assert_int_equal(report->tls_failure_count, 2);
	assert_string_equal(report->tls_failures[0].type, "certificate-expired");
	assert_int_equal(report->tls_failures[0].sessions, 103);
	assert_string_equal(report->tls_failures[0].receiving_mx, "mx1.company-y.example");
	assert_string_equal(report->tls_failures[0].reason, "0x81");
	assert_int_equal(report->tls_failures[1].sessions, 200);
	assert_int_equal(report->tls_policies[0].strings.count, 1);
	assert_string_equal(report->tls_policies[0].strings.items[0], "version: STSv1");
}

static void failures_of_different_servers_are_kept_apart_with_every_detail(void **state)
{
	const struct eds_report *report = read_text(TLS_HEAD TLS_POLICY("sts", "a.example", "0",
		"8",
		TLS_FAILURE_OF("192.0.2.1", "2001:db8::25") "," TLS_FAILURE_OF(
			"192.0.2.2", "2001:db8::25") "," TLS_FAILURE_OF("192.0.2.1",
			"2001:db8::26") "," TLS_FAILURE_OF("192.0.2.1", "2001:db8::25")) TLS_TAIL);
	const struct eds_report_tls_failure *failure;

	(void)state;
	assert_read(report);
	assert_int_equal(report->tls_failure_count, 3);
	failure = report->tls_failures;
	assert_int_equal(failure->sessions, 4);
	assert_string_equal(failure->sending_ip, "192.0.2.1");
	assert_string_equal(failure->receiving_mx, "mx1.company-y.example");
	assert_string_equal(failure->receiving_helo, "mx.company-y.example");
	assert_string_equal(failure->receiving_ip, "2001:db8::25");
	assert_string_equal(failure->information, "https://company-x.example/why");
	assert_string_equal(failure->reason, "");
	assert_string_equal(failure[1].sending_ip, "192.0.2.2");
	assert_string_equal(failure[2].receiving_ip, "2001:db8::26");
}

static void a_policy_is_kept_line_by_line(void **state)
{
	const struct eds_report *report = read_text(
		TLS_HEAD "{\"policy\":{\"policy-type\":\"sts\",\"policy-domain\":\"a.example\","
			 "\"policy-string\":[\"version: STSv1\",7,\"mode: enforce\"],\"mx-host\":"
			 "\"*.mx.a.example\"}}" TLS_TAIL);
	const struct eds_report_tls_policy *policy;

	(void)state;
	assert_read(report);
	policy = report->tls_policies;
	assert_int_equal(policy->strings.count, 2);
	assert_string_equal(policy->strings.items[1], "mode: enforce");
	assert_int_equal(policy->mx_hosts.count, 1);
	assert_string_equal(policy->mx_hosts.items[0], "*.mx.a.example");
}

/* All texts have the maximum length and there are as many as possible; the result must still fit in
 * one frame. */
static void the_longest_details_are_cut_to_fit_in_one_frame(void **state)
{
	const char *x = repeated("x", 1000);
	const struct eds_report *report;
	struct rt_buffer text;

	(void)state;
	rt_buffer_init(&text, &ctx, EDS_REPORT_JSON_MAX);
	rt_buffer_text(&text,
		TLS_HEAD "{\"policy\":{\"policy-type\":\"sts\",\"policy-domain\":"
			 "\"a.example\"},\"failure-details\":[");
	for (unsigned i = 0; i < 200; i++)
		rt_buffer_text(&text,
			rt_printf(&ctx,
				"%s{\"result-type\":\"t\",\"sending-mta-ip\":\"%u%s\","
				"\"receiving-mx-hostname\":\"%s\",\"receiving-mx-helo\":\"%s\","
				"\"additional-information\":\"%s\",\"failure-reason-code\":\"%s\","
				"\"failed-session-count\":1}",
				i == 0 ? "" : ",", i, x, x, x, x, x));
	rt_buffer_text(&text, "]}" TLS_TAIL);
	report = read_bytes(text.bytes, text.length);
	assert_read(report);
	assert_int_equal(report->tls_failure_count, 200);
	assert_int_equal(strlen(report->tls_failures[199].sending_ip), 45);
	assert_int_equal(strlen(report->tls_failures[199].receiving_mx), 253);
	assert_int_equal(strlen(report->tls_failures[199].information), 512);
	assert_int_equal(strlen(report->tls_failures[199].reason), 200);
}

static void a_policy_listed_twice_counts_once(void **state)
{
	const struct eds_report *report = read_text(TLS_HEAD TLS_POLICY(
		"sts", "a.example", "1", "\"2\"", "") "," TLS_POLICY("tlsa", "a.example", "5", "-1",
		"") "," TLS_POLICY("sts", "a.example", "10", "20", TLS_FAILURE("x", "1")) TLS_TAIL);

	(void)state;
	assert_read(report);
	assert_int_equal(report->tls_policy_count, 2);
	assert_int_equal(report->tls_policies[0].successful, 11);
	assert_int_equal(report->tls_policies[0].failed, 22);
	assert_int_equal(report->tls_policies[1].failed, 0);
	assert_int_equal(report->tls_failures[0].policy, 0);
}

static void a_tls_report_may_come_in_a_gzip(void **state)
{
	static const char text[] = "\xef\xbb\xbf " TLS_HEAD TLS_POLICY(
		"sts", "a.example", "1", "0", "") TLS_TAIL "\n";
	const struct eds_report *report = read_made(gzip(text, sizeof text - 1));

	(void)state;
	assert_read(report);
	assert_string_equal(report->domain, "a.example");
}

static void failures_beyond_the_limits_are_counted(void **state)
{
	const struct eds_report *report;
	struct rt_buffer text;

	(void)state;
	rt_buffer_init(&text, &ctx, EDS_REPORT_JSON_MAX);
	rt_buffer_text(&text, TLS_HEAD);
	for (unsigned i = 0; i < 50; i++)
		rt_buffer_format(&text,
			TLS_POLICY("sts", "d%u.example", "1", "1", TLS_FAILURE("x", "2")) ",", i);
	rt_buffer_text(&text,
		"{\"policy\":{\"policy-type\":\"sts\",\"policy-domain\":\"d0.example\"},"
		"\"failure-details\":[");
	for (unsigned i = 0; i < 600; i++)
		rt_buffer_format(&text, "%s" TLS_FAILURE("t%u", "3"), i == 0 ? "" : ",", i);
	rt_buffer_text(&text, "]}" TLS_TAIL);
	report = read_bytes(text.bytes, text.length);
	assert_read(report);
	assert_int_equal(report->tls_policy_count, 32);
	assert_int_equal(report->other_tls_policies, 50 - 32);
	/* 300 failures with details, 32 of which belong to other policies, and 100 failure types
	 * without details */
	assert_int_equal(report->tls_failure_count, 400);
	assert_string_equal(report->tls_failures[299].receiving_mx, "mx1.company-y.example");
	assert_string_equal(report->tls_failures[300].receiving_mx, "");
	assert_int_equal(report->other_tls_failures, 3 * (600 - (300 - 32) - 100));
}

static void json_that_is_not_a_report_is_skipped(void **state)
{
	(void)state;
	assert_fault(read_text("{\"hello\": 1}"), "no-report");
	assert_fault(read_text("{"), "no-report");
}

static void broken_reports_are_refused(void **state)
{
	(void)state;
	assert_fault(read_text(TLS_HEAD), "report-truncated");
	assert_fault(read_text(TLS_HEAD "}}"), "report-malformed");
	assert_fault(read_text(TLS_HEAD TLS_TAIL), "report-no-domain");
	assert_fault(read_text("{\"policies\": 1}"), "report-no-domain");
	assert_fault(read_text("{\"policies\":[1,{\"policy\":2},{\"failure-details\":{}}]}"),
		"report-no-domain");
	assert_fault(read_text("{\"policies\":[],\"policies\":[]}"), "report-malformed");
	assert_fault(read_text(rt_printf(&ctx, "{\"policies\":%s%s}", repeated("[", 1000),
			     repeated("]", 1000))),
		"report-malformed");
}

static void too_much_json_is_refused(void **state)
{
	const struct eds_report *report = read_text(
		rt_printf(&ctx, "{\"policies\":[%s]}", repeated("{},", EDS_REPORT_JSON_MAX / 3)));

	(void)state;
	assert_fault(report, "report-too-large");
	assert_non_null(strstr(report->fault, "1 MiB"));
}

#ifndef __SANITIZE_ADDRESS__
/* The peak memory in MiB of a child process that reads the text. */
static int peak_of(const char *text)
{
	struct rusage before;
	struct rusage after;
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		getrusage(RUSAGE_SELF, &before);
		read_text(text);
		getrusage(RUSAGE_SELF, &after);
		_exit((int)((after.ru_maxrss - before.ru_maxrss) / 1024));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}
#endif

static const char *with_details(const char *details)
{
	return rt_printf(&ctx,
		TLS_HEAD "{\"policy\":{\"policy-type\":\"sts\",\"policy-domain\":"
			 "\"a.example\"},\"failure-details\":[%s{}]}" TLS_TAIL,
		details);
}

static void empty_details_take_no_memory(void **state)
{
	const char *few = with_details(repeated("{},", 30000));
	const char *many = with_details(repeated("{},", 340000));

	(void)state;
#ifndef __SANITIZE_ADDRESS__
	assert_in_range(peak_of(few), 0, 15);
	assert_in_range(peak_of(many), 0, 15);
#endif
	assert_read(read_text(few));
	assert_int_equal(found[0].tls_failure_count, 1);
	assert_fault(read_text(many), "report-too-large");
	assert_non_null(strstr(found[1].fault, "32768"));
}

static void a_very_long_report_id_stays_unique(void **state)
{
	const char *start = repeated("x", 1000);
	const char *one = rt_printf(&ctx,
		"{\"report-id\":\"%s1\",\"policies\":[" TLS_POLICY(
			"sts", "a.example", "1", "0", "") "]}",
		start);
	const char *two = rt_printf(&ctx,
		"{\"report-id\":\"%s2\",\"policies\":[" TLS_POLICY(
			"sts", "a.example", "1", "0", "") "]}",
		start);

	(void)state;
	assert_read(read_text(one));
	assert_read(read_text(two));
	assert_int_equal(strlen(found[0].report_id), 256);
	assert_string_not_equal(found[0].report_id, found[1].report_id);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_report_is_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_policy_listed_twice_counts_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			failures_of_different_servers_are_kept_apart_with_every_detail, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(a_policy_is_kept_line_by_line, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			the_longest_details_are_cut_to_fit_in_one_frame, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_tls_report_may_come_in_a_gzip, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			failures_beyond_the_limits_are_counted, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			json_that_is_not_a_report_is_skipped, set_up, tear_down),
		cmocka_unit_test_setup_teardown(broken_reports_are_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(too_much_json_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(empty_details_take_no_memory, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_very_long_report_id_stays_unique, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
