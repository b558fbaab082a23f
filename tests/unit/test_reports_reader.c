/* Reading a mail in the sandbox: with the real program, and with children that misbehave
 * (tests/support/hostile-reader.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "functions/lib/reports/reader.h"
#include "functions/lib/sandbox/helper.h"
#include "runtime/time.h"
#include "tests/unit/careless_helper.h"

enum {
	EVENT_MS = 10000,
	SILENCE_MS = 300,
	PATH_BYTES = 4096,
	MAILS = 200,
};

/* Sanitizer builds run the children without confinement: a sanitizer needs system calls that a
 * confined child may not make, and it turns a crash into a report and an exit. */
#ifdef __SANITIZE_ADDRESS__
static const bool confined = false;
#else
static const bool confined = true;
#endif

static struct rt_ctx ctx;
static struct eds_helper_spec spec;
static char path[PATH_BYTES];

static void use(const char *program, int silence_ms)
{
	ssize_t length = readlink("/proc/self/exe", path, sizeof path / 2);

	while (length > 0 && path[length - 1] != '/')
		length--;
	snprintf(path + length, sizeof path - (size_t)length, "../../%s", program);
	spec = (struct eds_helper_spec){.path = path,
		.sandbox = confined ? RT_SANDBOX_REQUIRED : RT_SANDBOX_OFF,
		.silence_ms = silence_ms};
	eds_helper_use(EDS_HELPER_REPORT_READER, &spec);
}

static int set_up(void **state)
{
	(void)state;
	memset(&ctx, 0, sizeof ctx);
	ctx.arena = rt_arena_new();
	ctx.deadline_ms = rt_monotonic_ms() + EVENT_MS;
	use("tests/support/hostile-reader", EVENT_MS);
	return 0;
}

static int set_up_real(void **state)
{
	set_up(state);
	use("libexec/eds-report-reader", EVENT_MS);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	eds_helper_use(EDS_HELPER_REPORT_READER, NULL);
	rt_arena_free(ctx.arena);
	return 0;
}

static rt_status read_mail(const char *mail, struct eds_reports *reports)
{
	int fd = memfd_create("mail", MFD_CLOEXEC);
	rt_status status;

	assert_int_equal(write(fd, mail, strlen(mail)), strlen(mail));
	status = eds_report_read(&ctx, fd, strlen(mail), reports);
	close(fd);
	return status;
}

static void assert_reason(const char *mail, const char *code, const char *what)
{
	struct eds_reports reports;

	assert_int_equal(read_mail(mail, &reports), RT_OK);
	assert_int_equal(reports.count, 1);
	assert_string_equal(reports.items[0].fault_code, code);
	assert_non_null(strstr(reports.items[0].fault, what));
	assert_string_equal(reports.items[0].domain, "");
	assert_int_equal(read_mail("honest", &reports), RT_OK);
	assert_null(reports.items[0].fault);
}

static void an_honest_child_is_believed(void **state)
{
	struct eds_reports reports;

	(void)state;
	assert_int_equal(read_mail("honest", &reports), RT_OK);
	assert_int_equal(reports.count, 1);
	assert_null(reports.items[0].fault);
	assert_string_equal(reports.items[0].domain, "sender.example");
	assert_int_equal(reports.items[0].messages, 3);
}

static void a_crashed_child_is_given_as_the_reason(void **state)
{
	(void)state;
	if (!confined)
		skip();
	assert_reason("crash", "reader-crashed", "ended before it was done");
	assert_reason("eat-memory", "reader-crashed", "ended before it was done");
}

static void a_child_that_exits_early_is_given_as_the_reason(void **state)
{
	(void)state;
	assert_reason("leave", "reader-crashed", "ended before it was done");
}

static void reports_read_before_a_crash_are_kept(void **state)
{
	struct eds_reports reports;

	(void)state;
	if (!confined)
		skip();
	assert_int_equal(read_mail("crash-after-a-report", &reports), RT_OK);
	assert_int_equal(reports.count, 2);
	assert_null(reports.items[0].fault);
	assert_string_equal(reports.items[1].fault_code, "reader-crashed");
}

static void a_child_that_hangs_is_killed(void **state)
{
	(void)state;
	use("tests/support/hostile-reader", SILENCE_MS);
	assert_reason("hang", "reader-hung", "stopped answering");
}

static void the_deadline_of_the_event_holds(void **state)
{
	struct eds_reports reports;

	(void)state;
	ctx.deadline_ms = rt_monotonic_ms() + SILENCE_MS;
	assert_int_equal(read_mail("hang", &reports), RT_OK);
	assert_string_equal(reports.items[0].fault_code, "out-of-time");
}

static void a_flood_of_reports_is_cut(void **state)
{
	struct eds_reports reports;

	(void)state;
	assert_int_equal(read_mail("flood", &reports), RT_OK);
	assert_int_equal(reports.count, 20);
	assert_true(reports.cut);
}

static void impossible_results_are_given_as_the_reason(void **state)
{
	static const char *const lies[] = {"unknown-frame", "huge-frame", "unknown-fault",
		"no-domain", "wrong-sum", "too-many-rows", "huge-count", "unknown-auth", "cut-auth",
		"wrong-class", "unknown-flaw", "done-without-a-report"};

	(void)state;
	for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++)
		assert_reason(lies[i], "reader-lied", "gave an invalid answer");
}

static void a_violation_of_the_filter_is_an_internal_error(void **state)
{
	struct eds_reports reports;

	(void)state;
	if (!confined)
		skip();
	assert_int_equal(read_mail("open-file", &reports), RT_INTERNAL);
	assert_string_equal(ctx.failure.code, "sandbox-violation");
}

static void without_the_reader_program_reading_is_unavailable(void **state)
{
	struct eds_reports reports;

	(void)state;
	use("libexec/no-such-program", EVENT_MS);
	assert_int_equal(read_mail("honest", &reports), RT_TEMPORARY);
	assert_string_equal(ctx.failure.code, "sandbox-unavailable");
}

#define SMALL_REPORT                                                                               \
	"<feedback><policy_published><domain>a.example</domain></policy_published></feedback>"

static void the_real_program_reads_in_its_confinement(void **state)
{
	struct eds_reports reports;

	(void)state;
	assert_int_equal(read_mail(SMALL_REPORT, &reports), RT_OK);
	assert_null(reports.items[0].fault);
	assert_string_equal(reports.items[0].domain, "a.example");
	assert_int_equal(
		read_mail("From: =?koi8-r?B?xQ==?= <a@b.example>\r\n"
			  "Content-Type: text/xml; charset=koi8-r; name*=koi8-r''%C5.xml\r\n"
			  "\r\n" SMALL_REPORT,
			&reports),
		RT_OK);
	assert_null(reports.items[0].fault);
}

static void the_real_program_says_when_there_is_no_report(void **state)
{
	struct eds_reports reports;

	(void)state;
	assert_int_equal(read_mail("From: a@b.example\r\n\r\nHello.\r\n", &reports), RT_OK);
	assert_int_equal(reports.count, 1);
	assert_int_equal(reports.items[0].kind, EDS_REPORT_UNKNOWN);
	assert_string_equal(reports.items[0].fault_code, "no-report");
}

static void only_the_octets_of_the_mail_count(void **state)
{
	static const char two[] = SMALL_REPORT "\n";
	struct eds_reports reports;
	int fd = memfd_create("mail", MFD_CLOEXEC);

	(void)state;
	assert_int_equal(write(fd, two, strlen(two)), strlen(two));
	assert_int_equal(eds_report_read(&ctx, fd, 30, &reports), RT_OK);
	assert_string_equal(reports.items[0].fault_code, "report-truncated");
	close(fd);
}

static void one_helper_process_reads_many_mails(void **state)
{
	struct eds_reports reports;

	(void)state;
	eds_report_reader_warm();
	for (int i = 0; i < MAILS; i++) {
		ctx.deadline_ms = rt_monotonic_ms() + EVENT_MS;
		assert_int_equal(read_mail(SMALL_REPORT, &reports), RT_OK);
		assert_null(reports.items[0].fault);
	}
}

static void a_reader_without_confinement_is_not_believed(void **state)
{
	struct eds_reports reports;
	char careless[CARELESS_PATH_MAX];

	(void)state;
	write_careless(careless, path);
	spec.path = careless;
	spec.sandbox = RT_SANDBOX_REQUIRED;
	assert_int_equal(read_mail("honest", &reports), RT_TEMPORARY);
	assert_string_equal(ctx.failure.code, "sandbox-unavailable");
	assert_int_equal(reports.count, 0);
	eds_helper_end(EDS_HELPER_REPORT_READER);
	unlink(careless);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(an_honest_child_is_believed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_crashed_child_is_given_as_the_reason, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_child_that_exits_early_is_given_as_the_reason, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			reports_read_before_a_crash_are_kept, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_child_that_hangs_is_killed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_deadline_of_the_event_holds, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_flood_of_reports_is_cut, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			impossible_results_are_given_as_the_reason, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_violation_of_the_filter_is_an_internal_error, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_reader_without_confinement_is_not_believed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			without_the_reader_program_reading_is_unavailable, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			the_real_program_reads_in_its_confinement, set_up_real, tear_down),
		cmocka_unit_test_setup_teardown(
			the_real_program_says_when_there_is_no_report, set_up_real, tear_down),
		cmocka_unit_test_setup_teardown(
			only_the_octets_of_the_mail_count, set_up_real, tear_down),
		cmocka_unit_test_setup_teardown(
			one_helper_process_reads_many_mails, set_up_real, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
