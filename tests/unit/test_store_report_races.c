/* Several processes that add reports to one domain, fold its days and take them apart. The test's
 * own process never opens the store: an SQLite connection must not be carried over a fork.
 */
#include "functions/lib/store/schema/migrations.h"
#include "runtime/time.h"
#include "tests/unit/report_fixture.h"

#include <sys/wait.h>

#include "functions/lib/store/reports/report-fold.h"
#include "functions/lib/store/reports/report-sums.h"

enum {
	PROCESSES = 4,
	ROUNDS = 30,
	PASSED = 7,
	FAILED_TO_RUN = 255,
};

static const struct eds_report_row_sum told[] = {
	{"192.0.2.1", 1, 1, "example.com dkim+example.com", PASSED},
	{"198.51.100.7", 4, 0, "-", 2},
};

static int migrate(int process)
{
	int from;
	int to;

	(void)process;
	next_event(EVENT_MS);
	return eds_store_migrate(&event, &from, &to) == RT_OK ? 0 : FAILED_TO_RUN;
}

static rt_status add_told(const char *identity, const char *whole, const char *message_id)
{
	struct eds_report_line line = line_of(identity, message_id);
	struct eds_report_item item = {.line = &line, .sums = told, .sum_count = 2};

	line.whole_identity = whole;
	return eds_store_reports_add(&event, open_store(), &domain, &item, 1);
}

/* Each third report first comes in part, so that a day is taken apart, perhaps while another
 * process folds it. */
static int add_and_fold(int process)
{
	char whole[32];
	char part[40];

	for (int i = 0; i < ROUNDS; i++) {
		next_event(EVENT_MS);
		snprintf(whole, sizeof whole, "%d-%d", process, i);
		snprintf(part, sizeof part, "%s" EDS_REPORT_CUT_MARK, whole);
		if (i % 3 == 0 && add_told(part, whole, part) != RT_OK)
			return FAILED_TO_RUN;
		if (i % 2 == 0 && eds_store_report_fold(&event, open_store(), domain.id) != RT_OK)
			return FAILED_TO_RUN;
		if (add_told(whole, NULL, whole) != RT_OK)
			return FAILED_TO_RUN;
	}
	return 0;
}

static int sums_are_right(int process)
{
	const struct eds_report_sums_query query = {
		.by = EDS_SUM_BY_SOURCE, .to_day = INT32_MAX, .class = -1, .reporter = ""};
	struct eds_report_sum *sums;
	size_t count;

	(void)process;
	next_event(EVENT_MS);
	if (eds_store_report_sums(&event, open_store(), &domain, &query, &sums, &count) != RT_OK)
		return FAILED_TO_RUN;
	return count == 2 && sums[0].passed == PROCESSES * ROUNDS * PASSED &&
		sums[1].failed == PROCESSES * ROUNDS * 2;
}

static int run_at_once(int (*job)(int process), int processes)
{
	pid_t pids[PROCESSES];
	int sum = 0;

	for (int i = 0; i < processes; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			_exit(job(i));
		assert_true(pids[i] > 0);
	}
	for (int i = 0; i < processes; i++) {
		int status;

		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_true(WIFEXITED(status));
		assert_int_not_equal(WEXITSTATUS(status), FAILED_TO_RUN);
		sum += WEXITSTATUS(status);
	}
	return sum;
}

static int domain_made(void **state)
{
	no_database(state);
	run_at_once(migrate, 1);
	sql("INSERT INTO accounts (id, name, plan, created_at_ms) VALUES ('a1', 'a', 'paid', 1)");
	sql("INSERT INTO domains (id, account_id, name, created_at_ms) VALUES ('d1', 'a1', "
	    "'example.com', 1)");
	domain = (struct eds_domain){.id = "d1", .account_id = "a1", .name = "example.com"};
	now_ms = rt_wall_ms();
	return 0;
}

static void each_report_is_in_the_sums_once(void **state)
{
	(void)state;
	assert_int_equal(run_at_once(add_and_fold, PROCESSES), 0);
	assert_int_equal(sql("SELECT count(*) FROM report_packs"), PROCESSES * ROUNDS);
	assert_int_equal(sql("SELECT sum(reports) FROM report_day_packs"),
		PROCESSES * ROUNDS - sql("SELECT count(*) FROM report_unfolded"));
	assert_int_equal(run_at_once(sums_are_right, 1), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(each_report_is_in_the_sums_once, domain_made),
	};

	return cmocka_run_group_tests_name(
		"store: reports at once", tests, choose_database, remove_folder);
}
