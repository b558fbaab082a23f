/* Several processes at the store at once, and processes that are killed. The test's own process
 * never opens the store: an SQLite connection must not be carried over a fork.
 */
#include "functions/lib/mta-sts/change.h"
#include "functions/lib/store/schema/migrations.h"
#include "functions/lib/store/tester/session-create.h"
#include "functions/lib/store/tester/session-expiry.h"
#include "functions/lib/store/tester/session.h"
#include "tests/unit/store_fixture.h"

#include <signal.h>
#include <sys/wait.h>

#include "functions/lib/store/life/account-first.h"
#include "functions/lib/store/mta-sts/mta-sts.h"

#define RESULT "{\"verdict\":\"ham\"}"

enum {
	PROCESSES = 4,
	NEWEST = 33, /* version of the schema */
	OLDEST = 4,  /* program that works with it */
	CLIENT_LIMIT = 60,
};

/* the job's result, a small count, becomes the exit status of its process */
typedef int (*job)(int process);

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

/* Runs the job in several processes at once, and returns the sum of their counts. */
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
	if (eds_store_migrate(&event, &from, &to) != RT_OK || to != NEWEST)
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
		assert_int_equal(sql("SELECT sum(version) FROM schema_version"), OLDEST);
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

static void only_one_of_several_processes_makes_the_first_account(void **state)
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

static void a_limit_holds_across_all_processes(void **state)
{
	(void)state;
	assert_int_equal(run_at_once(create_30), CLIENT_LIMIT);
	assert_int_equal(sql("SELECT count(*) FROM tester_sessions"), CLIENT_LIMIT);
}

enum {
	NETWORK_LIMIT = 20,
};

static int create_30_in_a_network_each(int process)
{
	int made = 0;

	for (int i = 0; i < 30; i++) {
		struct eds_session session;
		struct eds_store *store;
		char client[32];
		rt_status status = start_event(&store);

		snprintf(client, sizeof client, "2001:db8:0:%x::/64", process);
		if (status == RT_OK)
			status = eds_store_session_create(
				&event, store, client, NETWORK_LIMIT, &session);
		if (status != RT_OK && status != RT_LIMIT)
			return 255;
		made += status == RT_OK;
	}
	return made;
}

/* A customer of a provider usually has a /48, so two shares limit all its /64 networks together. */
static void the_networks_of_one_site_have_two_shares_together(void **state)
{
	(void)state;
	assert_int_equal(run_at_once(create_30_in_a_network_each), 2 * NETWORK_LIMIT);
	assert_int_equal(sql("SELECT count(*) FROM tester_sessions"), 2 * NETWORK_LIMIT);
	assert_int_equal(sql("SELECT max(n) FROM (SELECT count(*) AS n FROM tester_sessions"
			     " GROUP BY client) AS each_client") <= NETWORK_LIMIT,
		1);
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

static void a_message_delivered_by_all_processes_at_once_counts_once(void **state)
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

static void acknowledged_changes_outlive_a_killed_process(void **state)
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

static const struct eds_domain shared_domain = {
	.id = "d1", .account_id = "a1", .name = "example.com"};

static rt_status add_a_second(struct rt_ctx *ctx, struct eds_mta_sts *config, void *arg)
{
	(void)ctx;
	(void)arg;
	config->max_age_s++;
	return RT_OK;
}

static int add_20_seconds(int process)
{
	(void)process;
	for (int i = 0; i < 20; i++) {
		struct eds_mta_sts after;
		struct eds_store *store;

		if (start_event(&store) != RT_OK ||
			eds_mta_sts_update(
				&event, store, &shared_domain, add_a_second, NULL, &after) != RT_OK)
			return 255;
	}
	return 0;
}

static int shared_domain_made(void **state)
{
	if (migrated_database(state) != 0)
		return -1;
	sql("INSERT INTO accounts (id, name, plan, created_at_ms) VALUES ('a1', 'a', 'paid', 1)");
	sql("INSERT INTO domains (id, account_id, name, created_at_ms) VALUES ('d1', 'a1', "
	    "'example.com', 1)");
	return 0;
}

static void updates_of_one_configuration_happen_one_after_another(void **state)
{
	(void)state;
	assert_int_equal(run_at_once(add_20_seconds), 0);
	assert_int_equal(sql("SELECT max_age_s FROM mta_sts"), 604800 + PROCESSES * 20);
	assert_int_equal(sql("SELECT count(*) FROM mta_sts_ids"), PROCESSES * 20 + 1);
	assert_int_equal(sql("SELECT count(*) FROM mta_sts_ids i JOIN mta_sts m ON m.policy_id = "
			     "i.policy_id"),
		1);
}

/* Each process changes a field of its own back and forth, so that it ends with a value other than
 * the first. */
static rt_status change_own_field(struct rt_ctx *ctx, struct eds_mta_sts *config, void *arg)
{
	static const char *const pattern = "mx.example.com";
	const int *turn = arg;

	(void)ctx;
	switch (turn[0]) {
	case 0:
		config->enabled = turn[1] % 2 == 0;
		break;
	case 1:
		config->max_age_s = 100000 + turn[1];
		break;
	case 2:
		config->hosted = turn[1] % 2 != 0;
		break;
	default:
		config->patterns = (struct eds_mx_patterns){&pattern, turn[1] % 2 == 0};
	}
	return RT_OK;
}

static int change_own_field_21_times(int process)
{
	for (int i = 0; i < 21; i++) {
		int turn[] = {process, i};
		struct eds_mta_sts after;
		struct eds_store *store;

		if (start_event(&store) != RT_OK ||
			eds_mta_sts_update(&event, store, &shared_domain, change_own_field, turn,
				&after) != RT_OK)
			return 255;
	}
	return 0;
}

static void simultaneous_updates_of_different_fields_lose_none(void **state)
{
	(void)state;
	assert_int_equal(run_at_once(change_own_field_21_times), 0);
	assert_int_equal(sql("SELECT count(*) FROM mta_sts WHERE enabled = 1 AND max_age_s = 100020"
			     " AND hosted = 0 AND mx_patterns = 'mx.example.com'"),
		1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(any_number_of_processes_may_migrate_at_once, no_database),
		cmocka_unit_test_setup(
			only_one_of_several_processes_makes_the_first_account, migrated_database),
		cmocka_unit_test_setup(a_limit_holds_across_all_processes, migrated_database),
		cmocka_unit_test_setup(
			the_networks_of_one_site_have_two_shares_together, migrated_database),
		cmocka_unit_test_setup(
			a_session_gets_20_messages_from_all_processes_together, migrated_database),
		cmocka_unit_test_setup(a_message_delivered_by_all_processes_at_once_counts_once,
			migrated_database),
		cmocka_unit_test_setup(
			expiry_may_run_in_several_processes_at_once, migrated_database),
		cmocka_unit_test_setup(
			acknowledged_changes_outlive_a_killed_process, migrated_database),
		cmocka_unit_test_setup(
			updates_of_one_configuration_happen_one_after_another, shared_domain_made),
		cmocka_unit_test_setup(
			simultaneous_updates_of_different_fields_lose_none, shared_domain_made),
	};

	return cmocka_run_group_tests(tests, choose_database, remove_folder);
}
