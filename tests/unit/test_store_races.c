/* Several processes at the store at once, and processes that are killed. The test's own process
 * never opens the store: an SQLite connection must not be carried over a fork.
 */
#include "tests/unit/store_fixture.h"

#include <signal.h>
#include <sys/wait.h>

#include "functions/lib/store/account.h"

#define RESULT "{\"verdict\":\"ham\"}"

enum {
	PROCESSES = 4,
	CLIENT_LIMIT = 60,
};

typedef int (*job)(int process); /* its exit status: a small count */

static rt_status start_event(struct eds_store **store)
{
	next_event(EVENT_MS);
	return eds_store_open(&event, store);
}

static pid_t start(job run, int process)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(run(process));
	assert_true(pid > 0);
	return pid;
}

/* The sum of what the processes counted. */
static int run_at_once(job run)
{
	pid_t pids[PROCESSES];
	int sum = 0;

	for (int i = 0; i < PROCESSES; i++)
		pids[i] = start(run, i);
	for (int i = 0; i < PROCESSES; i++) {
		int status;

		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_true(WIFEXITED(status));
		assert_int_not_equal(WEXITSTATUS(status), 255);
		sum += WEXITSTATUS(status);
	}
	return sum;
}

static int migrate(int process)
{
	int from;
	int to;

	(void)process;
	next_event(EVENT_MS);
	if (eds_store_migrate(&event, &from, &to) != RT_OK || to != 2)
		return 255;
	return 1;
}

static int migrated_database(void **state)
{
	int status;

	no_database(state);
	waitpid(start(migrate, 0), &status, 0);
	return status == 1 << 8 ? 0 : -1;
}

static void any_number_of_processes_may_migrate_at_once(void **state)
{
	(void)state;
	for (int round = 0; round < 10; round++) {
		remove_database();
		assert_int_equal(run_at_once(migrate), PROCESSES);
		assert_int_equal(sql("SELECT sum(version) FROM schema_version"), 2);
	}
}

static int make_the_first_account(int process)
{
	char digest[EDS_TOKEN_DIGEST_LENGTH + 1];
	struct eds_store *store;
	bool made;

	memset(digest, 'a' + process, EDS_TOKEN_DIGEST_LENGTH);
	digest[EDS_TOKEN_DIGEST_LENGTH] = '\0';
	if (start_event(&store) != RT_OK ||
		eds_store_account_create_first(
			&event, store, "dev", EDS_PLAN_PAID, digest, &made) != RT_OK)
		return 255;
	return made;
}

static void of_several_that_make_the_first_account_one_does(void **state)
{
	(void)state;
	for (int round = 0; round < 10; round++) {
		assert_int_equal(run_at_once(make_the_first_account), 1);
		assert_int_equal(sql("SELECT count(*) FROM tokens"), 1);
		assert_int_equal(sql("SELECT count(*) FROM accounts"), 1);
		sql("DELETE FROM tokens");
		sql("DELETE FROM accounts");
	}
}

static int create_30(int process)
{
	int made = 0;

	(void)process;
	for (int i = 0; i < 30; i++) {
		struct eds_session session;
		struct eds_store *store;
		rt_status status = start_event(&store);

		if (status == RT_OK)
			status = eds_store_session_create(
				&event, store, "192.0.2.1", CLIENT_LIMIT, &session);
		if (status != RT_OK && status != RT_LIMIT)
			return 255;
		made += status == RT_OK;
	}
	return made;
}

static void a_limit_holds_over_all_processes(void **state)
{
	(void)state;
	assert_int_equal(run_at_once(create_30), CLIENT_LIMIT);
	assert_int_equal(sql("SELECT count(*) FROM tester_sessions"), CLIENT_LIMIT);
}

#define SESSION "aaaaaaaaaaaaaaaaaaaaaaaaaa"

static int complete_10(int process)
{
	int kept = 0;

	for (int i = 0; i < 10; i++) {
		struct eds_store *store;
		char message_id[32];
		struct eds_session_message message = {.message_id = message_id};
		rt_status status = start_event(&store);

		snprintf(message_id, sizeof message_id, "m-%d-%d", process, i);
		message.received_at_ms = i * 10 + process;
		if (status == RT_OK)
			status = eds_store_session_complete(
				&event, store, SESSION, &message, RESULT);
		if (status != RT_OK && status != RT_LIMIT)
			return 255;
		kept += status == RT_OK;
	}
	return kept;
}

static void a_session_gets_20_messages_from_all_processes_together(void **state)
{
	(void)state;
	sql("INSERT INTO tester_sessions (test_id, client, created_at_ms, expires_at_ms)"
	    " VALUES ('" SESSION "', 'c', 0, 99999999999999)");
	assert_int_equal(run_at_once(complete_10), EDS_SESSION_MESSAGES_MAX);
	assert_int_equal(sql("SELECT count(*) FROM tester_messages"), EDS_SESSION_MESSAGES_MAX);
}

static int complete_one_message(int process)
{
	for (int i = 0; i < 20; i++) {
		struct eds_session_message message = {.message_id = "m1", .received_at_ms = 1};
		struct eds_store *store;

		(void)process;
		if (start_event(&store) != RT_OK ||
			eds_store_session_complete(&event, store, SESSION, &message, RESULT) !=
				RT_OK)
			return 255;
	}
	return 0;
}

static void one_message_delivered_by_all_at_once_is_one_message(void **state)
{
	(void)state;
	sql("INSERT INTO tester_sessions (test_id, client, created_at_ms, expires_at_ms)"
	    " VALUES ('" SESSION "', 'c', 0, 99999999999999)");
	run_at_once(complete_one_message);
	assert_int_equal(sql("SELECT count(*) FROM tester_messages"), 1);
}

static int purge_all(int process)
{
	size_t count = 1;
	size_t removed = 0;

	(void)process;
	while (count > 0 || removed > 0) {
		struct eds_store *store;
		const char **ids;

		if (start_event(&store) != RT_OK ||
			eds_store_messages_expired(&event, store, &ids, &count) != RT_OK ||
			eds_store_sessions_purge(&event, store, ids, count, &removed) != RT_OK)
			return 255;
	}
	return 0;
}

static void expiry_may_run_in_several_processes_at_once(void **state)
{
	(void)state;
	sql("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)"
	    " INSERT INTO tester_sessions (test_id, client, created_at_ms, expires_at_ms)"
	    " SELECT 'dead' || i, 'c', 0, i FROM n");
	sql("INSERT INTO tester_messages"
	    " SELECT test_id, 'm' || test_id, 1, '', '', '', '', '{}' FROM tester_sessions");
	run_at_once(purge_all);
	assert_int_equal(sql("SELECT count(*) FROM tester_sessions"), 0);
	assert_int_equal(sql("SELECT count(*) FROM tester_messages"), 0);
}

static int acknowledge[2];

static int create_for_ever(int process)
{
	(void)process;
	for (;;) {
		struct eds_session session;
		struct eds_store *store;

		if (start_event(&store) != RT_OK ||
			eds_store_session_create(&event, store, "192.0.2.1", 0, &session) != RT_OK)
			return 255;
		if (write(acknowledge[1], "x", 1) != 1)
			return 255;
	}
}

static void what_was_acknowledged_outlives_a_killed_process(void **state)
{
	char seen[4096];
	int64_t acknowledged = 0;

	(void)state;
	for (int round = 0; round < 5; round++) {
		ssize_t got;
		int status;
		pid_t pid;

		assert_int_equal(pipe(acknowledge), 0);
		pid = start(create_for_ever, 0);
		close(acknowledge[1]);
		for (int i = 0; i < 4; i++)
			acknowledged += read(acknowledge[0], seen, 1);
		usleep(5000);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status));
		while ((got = read(acknowledge[0], seen, sizeof seen)) > 0)
			acknowledged += got;
		close(acknowledge[0]);
		assert_in_range(sql("SELECT count(*) FROM tester_sessions"), acknowledged,
			acknowledged + round + 1);
	}
	assert_true(acknowledged >= 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(any_number_of_processes_may_migrate_at_once, no_database),
		cmocka_unit_test_setup(
			of_several_that_make_the_first_account_one_does, migrated_database),
		cmocka_unit_test_setup(a_limit_holds_over_all_processes, migrated_database),
		cmocka_unit_test_setup(
			a_session_gets_20_messages_from_all_processes_together, migrated_database),
		cmocka_unit_test_setup(
			one_message_delivered_by_all_at_once_is_one_message, migrated_database),
		cmocka_unit_test_setup(
			expiry_may_run_in_several_processes_at_once, migrated_database),
		cmocka_unit_test_setup(
			what_was_acknowledged_outlives_a_killed_process, migrated_database),
	};

	return cmocka_run_group_tests(tests, choose_database, remove_folder);
}
