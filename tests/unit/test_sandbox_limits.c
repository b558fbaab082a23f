/* The sandbox at the level `limits`, without a filter, as on kernels that refuse one: a child that
 * was taken over tries each act that this level promises to refuse, and fails.
 *
 * Limits do not bind root, so the test first gives up root's rights, and copies its programs with
 * the modes that they have in packages. */
#include "tests/unit/sandbox_fixture.h"

#include <grp.h>
#include <sys/stat.h>

#include "functions/lib/reports/reader.h"
#include "runtime/kernel.h"

enum {
	USER = 61043,
	PROGRAM_MODE = 0711,
	COPY_BYTES = 64 * 1024,
};

static const char *const acts[] = {"open-file", "open-environment", "open-socket", "make-pipe",
	"make-memory-file", "fork", "trace-helper", "trace-function", "read-helper",
	"read-function", "write-function", "take-descriptor", "raise-limit"};

enum { ACTS = sizeof acts / sizeof acts[0] };

static char folder[64];
static char reader_path[4096];

static void copy(char path[4096], const char *name)
{
	char bytes[COPY_BYTES];
	ssize_t got;
	int from = open(path, O_RDONLY);
	int to;

	snprintf(path, 4096, "%s/%s", folder, name);
	to = open(path, O_WRONLY | O_CREAT | O_EXCL, PROGRAM_MODE);
	assert_true(from >= 0 && to >= 0);
	while ((got = read(from, bytes, sizeof bytes)) > 0)
		assert_int_equal(write(to, bytes, (size_t)got), got);
	assert_int_equal(fchmod(to, PROGRAM_MODE), 0);
	close(from);
	close(to);
}

static void leave_root(void)
{
	assert_int_equal(mkdir(folder, 0755), 0);
	assert_int_equal(chmod(folder, 0755), 0);
	copy(hostile_path, "hostile-verifier");
	copy(reader_path, "hostile-reader");
	assert_int_equal(setgroups(0, NULL), 0);
	assert_int_equal(setresgid(USER, USER, USER), 0);
	assert_int_equal(setresuid(USER, USER, USER), 0);
}

/* Deletes the copied programs; called by the parent process, which still has root's rights. */
static void remove_programs(void)
{
	char path[4096];

	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof path, "%s/%s", folder,
			i == 0 ? "hostile-verifier" : "hostile-reader");
		unlink(path);
	}
	rmdir(folder);
}

static int set_up_limits(void **state)
{
	set_up(state);
	spec.sandbox = RT_SANDBOX_LIMITS;
	spec.silence_ms = EVENT_MS;
	return 0;
}

static void the_level_of_confinement_is_proven_and_reported(void **state)
{
	(void)state;
	assert_unharmed();
	assert_int_equal(eds_helper_level(EDS_HELPER_VERIFIER), EDS_LEVEL_LIMITS);
}

static void a_system_call_filter_is_used_where_the_kernel_has_it(void **state)
{
	(void)state;
	spec.sandbox = RT_SANDBOX_REQUIRED;
	assert_unharmed();
	assert_int_equal(eds_helper_level(EDS_HELPER_VERIFIER), EDS_LEVEL_FILTER);
}

static void a_verifier_that_was_taken_over_is_refused_each_act(void **state)
{
	(void)state;
	for (size_t i = 0; i < ACTS; i++) {
		struct eds_verify_output output;

		assert_int_equal(verify(acts[i], &output), RT_OK);
		if (output.spf.code != EDS_SPF_FAIL)
			fail_msg("%s succeeds", acts[i]);
		assert_honest(&output);
	}
}

static void a_reader_that_was_taken_over_is_refused_each_act(void **state)
{
	struct eds_helper_spec reader = {
		.path = reader_path, .sandbox = RT_SANDBOX_LIMITS, .silence_ms = EVENT_MS};

	(void)state;
	eds_helper_use(EDS_HELPER_REPORT_READER, &reader);
	for (size_t i = 0; i < ACTS; i++) {
		struct eds_reports reports;
		int fd = memfd_create("mail", MFD_CLOEXEC);

		assert_int_equal(write(fd, acts[i], strlen(acts[i])), strlen(acts[i]));
		assert_int_equal(eds_report_read(&ctx, fd, strlen(acts[i]), &reports), RT_OK);
		assert_int_equal(reports.count, 1);
		if (reports.items[0].fault != NULL)
			fail_msg("%s succeeds: %s", acts[i], reports.items[0].fault);
		close(fd);
	}
	eds_helper_use(EDS_HELPER_REPORT_READER, NULL);
}

static void memory_is_limited_even_without_a_filter(void **state)
{
	struct eds_verify_output output;

	(void)state;
	assert_int_equal(verify("eat-memory", &output), RT_OK);
	assert_string_equal(output.spf.reason_code, "verifier-crashed");
	assert_unharmed();
}

static int test_limits(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			the_level_of_confinement_is_proven_and_reported, set_up_limits, tear_down),
		cmocka_unit_test_setup_teardown(
			a_system_call_filter_is_used_where_the_kernel_has_it, set_up_limits,
			tear_down),
		cmocka_unit_test_setup_teardown(a_verifier_that_was_taken_over_is_refused_each_act,
			set_up_limits, tear_down),
		cmocka_unit_test_setup_teardown(
			a_reader_that_was_taken_over_is_refused_each_act, set_up_limits, tear_down),
		cmocka_unit_test_setup_teardown(
			memory_is_limited_even_without_a_filter, set_up_limits, tear_down),
	};

	rt_hide_memory();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

static void resource_limits_alone_are_not_accepted_for_root(void **state)
{
	struct eds_verify_output output;

	(void)state;
	assert_int_equal(verify("honest", &output), RT_TEMPORARY);
	assert_string_equal(ctx.failure.code, "sandbox-unavailable");
}

static void each_level_of_confinement_has_its_name(void **state)
{
	(void)state;
	assert_string_equal(eds_level_word(EDS_LEVEL_NONE), "none");
	assert_string_equal(eds_level_word(EDS_LEVEL_LIMITS), "limits");
	assert_string_equal(eds_level_word(EDS_LEVEL_FILTER), "filter");
}

int main(void)
{
	const struct CMUnitTest words[] = {
		cmocka_unit_test(each_level_of_confinement_has_its_name)};
	const struct CMUnitTest root_tests[] = {
		cmocka_unit_test_setup_teardown(
			resource_limits_alone_are_not_accepted_for_root, set_up_limits, tear_down),
	};
	int failed;
	int status = 0;
	pid_t child;

	find_helpers();
	snprintf(reader_path, sizeof reader_path, "%s", hostile_path);
	snprintf(strrchr(reader_path, '/'), 32, "/hostile-reader");
	failed = cmocka_run_group_tests(words, NULL, NULL);
	if (!confined || geteuid() != 0)
		return failed;
	failed += cmocka_run_group_tests(root_tests, NULL, NULL);
	snprintf(folder, sizeof folder, "/tmp/eds-limits-%d", (int)getpid());
	fflush(stdout);
	child = fork();
	if (child == 0) {
		leave_root();
		return test_limits();
	}
	waitpid(child, &status, 0);
	remove_programs();
	return failed + (status != 0);
}
