/* Dispatch: mail waits while a part that its function needs does not work, such as the database,
 * and is not given up. */
#include "local/dispatch/dispatch-wait.h"
#include "local/dispatch/dispatch.h"
#include "local/spool/spool-replay.h"
#include "runtime/host/metrics.h"
#include "runtime/time.h"
#include "tests/unit/dispatch_fixture.h"

#define AWAY                                                                                       \
	"{\"errorType\":\"temporary.store-unavailable\",\"errorMessage\":\"the database does not answer\"}"
#define BROKEN "{\"errorType\":\"internal.oops\",\"errorMessage\":\"because\"}"

enum {
	HOUR_MS = 3600 * 1000,
	LONG_PAUSE_MS = 60000, /* longer than a test waits */
};

static void a_service_that_is_away_costs_no_try(void **state)
{
	struct fixture *fixture = *state;

	add_message(fixture, "id-1", "tester");
	for (size_t i = 0; i < 5; i++) {
		run_until(fixture, i + 1);
		answer(i, POOL_ANSWERED, AWAY);
		assert_int_equal(dispatch_queued(fixture->dispatch), 1);
	}
	assert_false(exists(fixture, "spool/failed/id-1.eml"));
	run_until(fixture, 6);
	answer(5, POOL_ANSWERED, "{}");
	assert_int_equal(dispatch_queued(fixture->dispatch), 0);
}

static void pauses_double_and_vary_by_at_most_half(void **state)
{
	static const int at_least_ms[] = {10, 20, 40, 80, 160};
	struct fixture *fixture = *state;

	add_message(fixture, "id-2", "tester");
	run_until(fixture, 1);
	for (size_t i = 0; i < 5; i++) {
		int64_t answered_ms = rt_monotonic_ms();

		answer(i, POOL_ANSWERED, AWAY);
		run_until(fixture, i + 2);
		assert_true(rt_monotonic_ms() - answered_ms >= at_least_ms[i]);
	}
	answer(5, POOL_ANSWERED, "{}");
}

static void three_failures_of_the_function_count_even_with_waits_between_them(void **state)
{
	static const char *const answers[] = {AWAY, BROKEN, AWAY, BROKEN, AWAY, BROKEN};
	struct fixture *fixture = *state;

	add_message(fixture, "id-3", "tester");
	for (size_t i = 0; i < 6; i++) {
		assert_false(exists(fixture, "spool/failed/id-3.eml"));
		run_until(fixture, i + 1);
		answer(i, POOL_ANSWERED, answers[i]);
	}
	assert_int_equal(dispatch_queued(fixture->dispatch), 0);
	assert_true(exists(fixture, "spool/failed/id-3.eml"));
}

static void mail_gives_up_after_48_hours_and_names_what_it_waited_for(void **state)
{
	struct fixture *fixture = *state;
	char path[160];
	json_t *report;

	received_at_ms = rt_wall_ms() - 48LL * HOUR_MS + 60000;
	add_message(fixture, "id-young", "tester");
	run_until(fixture, 1);
	answer(0, POOL_ANSWERED, AWAY);
	assert_int_equal(dispatch_queued(fixture->dispatch), 1);
	run_until(fixture, 2);
	answer(1, POOL_ANSWERED, "{}");

	received_at_ms = rt_wall_ms() - 48LL * HOUR_MS;
	add_message(fixture, "id-old", "tester");
	run_until(fixture, 3);
	answer(2, POOL_ANSWERED, AWAY);
	assert_int_equal(dispatch_queued(fixture->dispatch), 0);
	assert_null(dispatch_absence(fixture->dispatch));
	snprintf(path, sizeof path, "%s/failed/id-old.json", fixture->spool_folder);
	report = json_load_file(path, 0, NULL);
	assert_string_equal(json_string_value(json_object_get(report, "reason")),
		"it waited 48 hours: temporary.store-unavailable: the database does not answer");
	json_decref(report);
}

static void add_left(void *arg, const struct spool_place *place, const struct spool_mail *mail)
{
	struct fixture *fixture = arg;

	dispatch_add(fixture->dispatch, place, mail->targets[place->target].function,
		mail->client_ip, 0, rt_wall_ms());
}

/* The runner closes its spool before it frees the dispatch. */
static void mail_older_than_48_hours_stays_in_the_spool_when_a_stop_cuts_it_off(void **state)
{
	struct fixture *fixture = *state;

	received_at_ms = rt_wall_ms() - 48LL * HOUR_MS;
	add_message(fixture, "id-cut-off", "tester");
	dispatch_stop(fixture->dispatch);
	spool_close(fixture->spool);
	dispatch_free(fixture->dispatch);
	assert_false(exists(fixture, "spool/failed/id-cut-off.eml"));
	start(fixture);
	assert_int_equal(spool_replay(fixture->spool, add_left, fixture), 0);
	run_until(fixture, 1);
	assert_string_equal(submitted_id(0), "id-cut-off");
	answer(0, POOL_ANSWERED, "{}");
}

static void the_service_that_mail_waits_for_is_reported_until_it_is_back(void **state)
{
	struct fixture *fixture = *state;

	assert_null(dispatch_absence(fixture->dispatch));
	add_message(fixture, "id-4", "tester");
	run_until(fixture, 1);
	assert_null(dispatch_absence(fixture->dispatch));
	answer(0, POOL_ANSWERED, AWAY);
	assert_string_equal(dispatch_absence(fixture->dispatch),
		"temporary.store-unavailable: the database does not answer");
	run_until(fixture, 2);
	/* the second try is submitted but not answered yet, so the database still counts as away */
	assert_non_null(dispatch_absence(fixture->dispatch));
	answer(1, POOL_ANSWERED, "{}");
	assert_null(dispatch_absence(fixture->dispatch));
}

static void a_mail_store_that_is_away_is_reported_too(void **state)
{
	struct fixture *fixture = *state;
	char store[160];

	snprintf(store, sizeof store, "%s/mail", fixture->folder);
	fclose(fopen(store, "w")); /* with a file in place of its folder the mail store fails */
	add_message(fixture, "id-5", "tester");
	RUN_UNTIL(fixture, dispatch_absence(fixture->dispatch) != NULL);
	assert_non_null(strstr(dispatch_absence(fixture->dispatch), "the mail store cannot"));
	assert_int_equal(remove(store), 0);
	run_until(fixture, 1);
	assert_null(dispatch_absence(fixture->dispatch));
	answer(0, POOL_ANSWERED, "{}");
}

static void add_messages(struct fixture *fixture, int count)
{
	char id[16];

	for (int i = 0; i < count; i++) {
		snprintf(id, sizeof id, "id-%d", i);
		add_message(fixture, id, "tester");
	}
}

static void after_three_failures_in_a_row_only_probes_are_sent(void **state)
{
	struct fixture *fixture = *state;

	first_pause_ms = LONG_PAUSE_MS;
	stop(fixture);
	start(fixture);
	add_messages(fixture, 12);
	stays_at(fixture, 2); /* one client alone gets two of the four places */
	answer(0, POOL_ANSWERED, AWAY);
	answer(1, POOL_ANSWERED, AWAY);
	stays_at(fixture, 4);
	answer(2, POOL_ANSWERED, AWAY);
	answer(3, POOL_ANSWERED, AWAY);
	stays_at(fixture, 4);
	add_message(fixture, "id-probe", "tester");
	stays_at(fixture, 5);
	answer(4, POOL_ANSWERED, AWAY);
	stays_at(fixture, 5);
	assert_int_equal(dispatch_queued(fixture->dispatch), 13);
}

static void the_first_success_lets_all_waiting_mail_go(void **state)
{
	struct fixture *fixture = *state;

	first_pause_ms = LONG_PAUSE_MS;
	stop(fixture);
	start(fixture);
	add_messages(fixture, 12);
	for (size_t i = 0; i < 4; i++) {
		RUN_UNTIL(fixture, submitted_count > i);
		answer(i, POOL_ANSWERED, AWAY);
	}
	add_message(fixture, "id-probe", "tester");
	run_until(fixture, 5);
	answer_all(fixture, 4, 4 + 13); /* the messages that paused are now submitted too */
}

static void a_message_that_alone_cannot_be_handled_holds_up_no_other(void **state)
{
	struct fixture *fixture = *state;

	first_pause_ms = LONG_PAUSE_MS;
	stop(fixture);
	start(fixture);
	add_message(fixture, "id-never", "tester");
	run_until(fixture, 1);
	answer(0, POOL_ANSWERED, AWAY);
	for (size_t i = 1; i <= 8; i++) {
		add_message(fixture, "id-well", "tester");
		run_until(fixture, i + 1 + (i > 1));
		if (i == 1) { /* after the first success the failing message is tried once more */
			answer(1, POOL_ANSWERED, "{}");
			run_until(fixture, 3);
			answer(2, POOL_ANSWERED, AWAY);
		} else {
			answer(i + 1, POOL_ANSWERED, "{}");
		}
	}
	assert_int_equal(dispatch_queued(fixture->dispatch), 1);
}

static void the_age_of_the_oldest_mail_is_counted(void **state)
{
	struct fixture *fixture = *state;

	dispatch_look_at_clock(fixture->dispatch);
	assert_int_equal(metric("eds_mail_oldest_seconds"), 0);
	received_at_ms = rt_wall_ms() - HOUR_MS;
	add_message(fixture, "id-hour", "tester");
	received_at_ms = rt_wall_ms() - 60000;
	add_message(fixture, "id-minute", "reports");
	run_until(fixture, 2);
	dispatch_look_at_clock(fixture->dispatch);
	assert_in_range(metric("eds_mail_oldest_seconds"), 3600, 3610);
	answer(0, POOL_ANSWERED, AWAY);
	assert_int_equal(metric("eds_mail_waiting"), 1);
	answer(1, POOL_ANSWERED, "{}");
	run_until(fixture, 3);
	answer(2, POOL_ANSWERED, "{}");
	dispatch_look_at_clock(fixture->dispatch);
	assert_int_equal(metric("eds_mail_oldest_seconds"), 0);
	assert_int_equal(metric("eds_mail_waiting"), 0);
}

static int usual_pauses(void **state)
{
	first_pause_ms = 20;
	return teardown(state);
}

#define WAITS(test) cmocka_unit_test_setup_teardown(test, setup, usual_pauses)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WAITS(a_service_that_is_away_costs_no_try),
		WAITS(pauses_double_and_vary_by_at_most_half),
		WAITS(three_failures_of_the_function_count_even_with_waits_between_them),
		WAITS(mail_gives_up_after_48_hours_and_names_what_it_waited_for),
		WAITS(mail_older_than_48_hours_stays_in_the_spool_when_a_stop_cuts_it_off),
		WAITS(the_service_that_mail_waits_for_is_reported_until_it_is_back),
		WAITS(a_mail_store_that_is_away_is_reported_too),
		WAITS(after_three_failures_in_a_row_only_probes_are_sent),
		WAITS(the_first_success_lets_all_waiting_mail_go),
		WAITS(a_message_that_alone_cannot_be_handled_holds_up_no_other),
		WAITS(the_age_of_the_oldest_mail_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
