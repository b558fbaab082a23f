/* Alerts: their owners, the deliveries that the transaction of a change adds, and the times when
 * they are switched off. */
#include "functions/lib/store/alerts/alert.h"
#include "functions/lib/store/alerts/outbox-due.h"
#include "functions/lib/store/posture/posture-due.h"
#include "functions/lib/store/posture/posture.h"
#include "tests/unit/mta_sts_fixture.h"

#define URL "https://hooks.example/"
#define ALERT_ROWS "SELECT count(*) FROM outbox"

static struct eds_alert_scope of_domain(void)
{
	return (struct eds_alert_scope){domain.account_id, domain.id};
}

static struct eds_alert_scope of_account(void)
{
	return (struct eds_alert_scope){domain.account_id, NULL};
}

static rt_status try_alert(
	const struct eds_alert_scope *scope, int64_t events, char id[EDS_TEST_ID_LENGTH + 1])
{
	struct eds_alert alert = {.url = URL, .secret = "whsec_x", .events = events};
	rt_status status = eds_store_alert_create(&event, open_store(), scope, &alert);

	if (status == RT_OK)
		snprintf(id, EDS_TEST_ID_LENGTH + 1, "%s", alert.id);
	return status;
}

static void make_alert(
	const struct eds_alert_scope *scope, int64_t events, char id[EDS_TEST_ID_LENGTH + 1])
{
	assert_int_equal(try_alert(scope, events, id), RT_OK);
}

static struct eds_alert_news news_of(enum eds_alert_event kind, const char *change)
{
	return (struct eds_alert_news){
		.event = kind, .subject = "selector s1", .change = change, .body = "{}"};
}

/* Writes the outcome of a look at a domain, with this news, under this lease; returns whether it
 * was written. */
static bool tell_under(int64_t lease, struct eds_alert_news news)
{
	struct eds_posture_due done = {
		.domain_id = domain.id,
		.lease = lease,
		.outcome = EDS_POSTURE_SEEN,
		.next_at_ms = 1,
		.after = {.state = "ok", .checked_at_ms = 1, .items = "[]", .records = "[]"},
		.news = {.items = &news, .count = 1},
	};
	struct eds_posture_due *none;
	size_t written;
	size_t count;

	assert_int_equal(
		eds_store_posture_turn(&event, open_store(), &done, 1, &written, 0, &none, &count),
		RT_OK);
	return written == 1;
}

static void tell(enum eds_alert_event kind, const char *change)
{
	struct eds_posture_due due;

	assert_int_equal(eds_store_posture_claim(&event, open_store(), &domain, &due), RT_OK);
	assert_true(tell_under(due.lease, news_of(kind, change)));
}

static struct eds_outbox_due claim_one(void)
{
	struct eds_outbox_due *items;
	size_t count;

	assert_int_equal(
		eds_store_outbox_turn(&event, open_store(), NULL, 0, "", 1, &items, &count), RT_OK);
	assert_int_equal(count, 1);
	return items[0];
}

/* Opens the store again within the same event, so that the memory of earlier calls stays valid. */
static struct eds_store *store_again(void)
{
	struct eds_store *store;

	assert_int_equal(eds_store_open(&event, &store), RT_OK);
	return store;
}

/* Runs within the event of the claim, whose memory has the claimed delivery. */
static void settle(
	struct eds_outbox_due due, enum eds_outbox_outcome outcome, const char *reason_code)
{
	struct eds_outbox_due *none;
	size_t count;

	due.outcome = outcome;
	due.reason_code = reason_code;
	due.reason = reason_code;
	assert_int_equal(
		eds_store_outbox_turn(&event, store_again(), &due, 1, "", 0, &none, &count), RT_OK);
}

static void a_change_is_sent_to_the_alerts_of_domain_and_account_that_ask_for_it(void **state)
{
	struct eds_alert_scope scopes[] = {of_domain(), of_account()};
	char id[EDS_TEST_ID_LENGTH + 1];

	(void)state;
	make_alert(&scopes[0], EDS_ALERT_ALL, id);
	make_alert(&scopes[1], INT64_C(1) << EDS_ALERT_KEY_CHANGED, id);
	make_alert(&scopes[1], INT64_C(1) << EDS_ALERT_DMARC_WEAKENED, id);
	tell(EDS_ALERT_KEY_CHANGED, "1");
	assert_int_equal(sql(ALERT_ROWS), 2);
	tell(EDS_ALERT_DMARC_WEAKENED, "2");
	assert_int_equal(sql(ALERT_ROWS), 4);
}

static void an_alert_of_the_account_reports_each_domain_that_changes_at_the_same_moment(
	void **state)
{
	struct eds_alert_scope scope = of_account();
	struct eds_account owner = {.id = domain.account_id, .plan = EDS_PLAN_PAID};
	struct eds_domain first = domain;
	struct eds_domain other;
	char id[EDS_TEST_ID_LENGTH + 1];
	static char kept[ID_MAX];

	(void)state;
	make_alert(&scope, EDS_ALERT_ALL, id);
	tell(EDS_ALERT_KEY_CHANGED, "1");
	assert_int_equal(
		eds_store_domain_create(&event, open_store(), &owner, "example.net", &other),
		RT_OK);
	domain = (struct eds_domain){
		.id = keep(kept, other.id), .account_id = first.account_id, .name = "example.net"};
	tell(EDS_ALERT_KEY_CHANGED, "1");
	assert_int_equal(sql(ALERT_ROWS), 2);
	domain = first;
	tell(EDS_ALERT_KEY_CHANGED, "1");
	assert_int_equal(sql(ALERT_ROWS), 2);
}

static void an_alert_of_another_account_gets_nothing(void **state)
{
	struct eds_alert_scope scope;
	struct eds_account other;
	char id[EDS_TEST_ID_LENGTH + 1];
	static char account_id[64];

	(void)state;
	assert_int_equal(
		eds_store_account_create(&event, open_store(), "other", EDS_PLAN_FREE, &other),
		RT_OK);
	snprintf(account_id, sizeof account_id, "%s", other.id);
	scope = (struct eds_alert_scope){account_id, NULL};
	make_alert(&scope, EDS_ALERT_ALL, id);
	tell(EDS_ALERT_KEY_CHANGED, "1");
	assert_int_equal(sql(ALERT_ROWS), 0);
}

static void news_found_after_the_lease_is_not_reported(void **state)
{
	struct eds_alert_scope scope = of_domain();
	struct eds_posture_due first;
	struct eds_posture_due second;
	char id[EDS_TEST_ID_LENGTH + 1];

	(void)state;
	make_alert(&scope, EDS_ALERT_ALL, id);
	assert_int_equal(eds_store_posture_claim(&event, open_store(), &domain, &first), RT_OK);
	assert_int_equal(eds_store_posture_claim(&event, open_store(), &domain, &second), RT_OK);
	assert_false(tell_under(first.lease, news_of(EDS_ALERT_KEY_CHANGED, "1")));
	assert_int_equal(sql(ALERT_ROWS), 0);
	assert_true(tell_under(second.lease, news_of(EDS_ALERT_KEY_CHANGED, "1")));
	assert_int_equal(sql(ALERT_ROWS), 1);
}

static void trouble_is_reported_once_and_its_recovery_once(void **state)
{
	struct eds_alert_scope scope = of_domain();
	char id[EDS_TEST_ID_LENGTH + 1];

	(void)state;
	make_alert(&scope, EDS_ALERT_ALL, id);
	tell(EDS_ALERT_SELECTOR_RECOVERED, "1");
	assert_int_equal(sql(ALERT_ROWS), 0);
	tell(EDS_ALERT_SELECTOR_BROKEN, "2");
	tell(EDS_ALERT_SELECTOR_RECOVERED, "3");
	tell(EDS_ALERT_SELECTOR_RECOVERED, "4");
	assert_int_equal(sql(ALERT_ROWS), 2);
	tell(EDS_ALERT_SELECTOR_BROKEN, "5");
	tell(EDS_ALERT_SELECTOR_BROKEN, "6");
	assert_int_equal(sql(ALERT_ROWS), 3);
}

static void past_sixty_an_hour_the_rest_is_summed_in_one_message_after_the_hour(void **state)
{
	struct eds_alert_scope scope = of_domain();
	char id[EDS_TEST_ID_LENGTH + 1];
	char change[16];

	(void)state;
	make_alert(&scope, EDS_ALERT_ALL, id);
	for (int i = 0; i < 75; i++) {
		snprintf(change, sizeof change, "%d", i);
		tell(EDS_ALERT_KEY_CHANGED, change);
	}
	assert_int_equal(sql(ALERT_ROWS), 61);
	assert_int_equal(sql(ALERT_ROWS " WHERE event LIKE 'alerts-left-out %'"
					" AND body LIKE '%\"count\":15,%'"),
		1);
	assert_int_equal(sql(ALERT_ROWS " WHERE event LIKE 'alerts-left-out %'"
					" AND due_at_ms > created_at_ms + 3000000"),
		1);
	sql("UPDATE account_uses SET began_at_ms = began_at_ms - 3600001");
	tell(EDS_ALERT_KEY_CHANGED, "75");
	assert_int_equal(sql(ALERT_ROWS), 62);
}

static void one_domain_leaves_a_quarter_of_the_hour_to_the_others(void **state)
{
	struct eds_alert_scope scope = of_account();
	struct eds_account owner = {.id = domain.account_id, .plan = EDS_PLAN_PAID};
	struct eds_domain first = domain;
	struct eds_domain other;
	char id[EDS_TEST_ID_LENGTH + 1];
	char change[16];
	static char kept[ID_MAX];

	(void)state;
	make_alert(&scope, EDS_ALERT_ALL, id);
	assert_int_equal(
		eds_store_domain_create(&event, open_store(), &owner, "example.net", &other),
		RT_OK);
	keep(kept, other.id);
	for (int i = 0; i < 60; i++) {
		snprintf(change, sizeof change, "%d", i);
		tell(EDS_ALERT_KEY_CHANGED, change);
	}
	assert_int_equal(sql(ALERT_ROWS " WHERE event LIKE 'key-changed %'"), 45);
	assert_int_equal(sql(ALERT_ROWS " WHERE event LIKE 'alerts-left-out %'"
					" AND body LIKE '%\"count\":15,%'"),
		1);
	domain = (struct eds_domain){
		.id = kept, .account_id = first.account_id, .name = "example.net"};
	tell(EDS_ALERT_KEY_CHANGED, "60");
	assert_int_equal(sql(ALERT_ROWS " WHERE event LIKE 'key-changed %'"), 46);
	assert_int_equal(eds_store_domain_delete(&event, open_store(), &domain), RT_OK);
	assert_int_equal(sql("SELECT count(*) FROM account_uses WHERE kind LIKE 'alert %'"), 1);
	domain = first;
}

static void a_receiver_that_accepted_nothing_for_a_day_is_switched_off(void **state)
{
	struct eds_alert_scope scope = of_domain();
	struct eds_alert alert;
	char id[EDS_TEST_ID_LENGTH + 1];

	(void)state;
	make_alert(&scope, EDS_ALERT_ALL, id);
	tell(EDS_ALERT_KEY_CHANGED, "1");
	tell(EDS_ALERT_KEY_CHANGED, "2");
	settle(claim_one(), EDS_OUTBOX_FAILED, "receiver-status");
	assert_int_equal(eds_store_alert_get(&event, open_store(), &scope, id, &alert), RT_OK);
	assert_false(alert.active);
	assert_string_equal(alert.reason_code, "receiver-status");
	assert_int_equal(sql(ALERT_ROWS " WHERE state = 'waiting'"), 0);
	tell(EDS_ALERT_KEY_CHANGED, "3");
	assert_int_equal(sql(ALERT_ROWS), 2);
}

static void a_receiver_that_accepted_something_since_stays_on(void **state)
{
	struct eds_alert_scope scope = of_domain();
	struct eds_alert alert;
	char id[EDS_TEST_ID_LENGTH + 1];

	(void)state;
	make_alert(&scope, EDS_ALERT_ALL, id);
	tell(EDS_ALERT_KEY_CHANGED, "1");
	settle(claim_one(), EDS_OUTBOX_DELIVERED, NULL);
	tell(EDS_ALERT_KEY_CHANGED, "2");
	sql("UPDATE outbox SET created_at_ms = 1 WHERE state = 'waiting'");
	settle(claim_one(), EDS_OUTBOX_FAILED, "receiver-status");
	assert_int_equal(eds_store_alert_get(&event, open_store(), &scope, id, &alert), RT_OK);
	assert_true(alert.active);
}

static void a_receiver_that_asks_to_stop_is_switched_off_whatever_it_accepted(void **state)
{
	struct eds_alert_scope scope = of_domain();
	struct eds_alert alert;
	char id[EDS_TEST_ID_LENGTH + 1];

	(void)state;
	make_alert(&scope, EDS_ALERT_ALL, id);
	tell(EDS_ALERT_KEY_CHANGED, "1");
	settle(claim_one(), EDS_OUTBOX_DELIVERED, NULL);
	tell(EDS_ALERT_KEY_CHANGED, "2");
	sql("UPDATE outbox SET created_at_ms = 1 WHERE state = 'waiting'");
	settle(claim_one(), EDS_OUTBOX_FAILED, "receiver-gone");
	assert_int_equal(eds_store_alert_get(&event, open_store(), &scope, id, &alert), RT_OK);
	assert_false(alert.active);
}

static void a_delivery_that_we_tried_too_late_does_not_count_against_the_receiver(void **state)
{
	struct eds_alert_scope scope = of_domain();
	struct eds_alert alert;
	char id[EDS_TEST_ID_LENGTH + 1];

	(void)state;
	make_alert(&scope, EDS_ALERT_ALL, id);
	tell(EDS_ALERT_KEY_CHANGED, "1");
	settle(claim_one(), EDS_OUTBOX_FAILED, "delivery-late");
	assert_int_equal(eds_store_alert_get(&event, open_store(), &scope, id, &alert), RT_OK);
	assert_true(alert.active);
}

static void waiting_messages_go_to_a_new_address_and_a_switched_off_alert_has_none(void **state)
{
	struct eds_alert_scope scope = of_domain();
	struct eds_alert_edit edit = {.url = "https://new.example/"};
	struct eds_alert alert;
	const bool off = false;
	const bool on = true;
	char id[EDS_TEST_ID_LENGTH + 1];

	(void)state;
	make_alert(&scope, EDS_ALERT_ALL, id);
	tell(EDS_ALERT_KEY_CHANGED, "1");
	assert_int_equal(
		eds_store_alert_update(&event, open_store(), &scope, id, &edit, &alert), RT_OK);
	assert_string_equal(alert.url, "https://new.example/");
	assert_int_equal(sql(ALERT_ROWS " WHERE url = 'https://new.example/'"), 1);
	edit = (struct eds_alert_edit){.active = &off};
	assert_int_equal(
		eds_store_alert_update(&event, open_store(), &scope, id, &edit, &alert), RT_OK);
	assert_false(alert.active);
	assert_string_equal(alert.url, "https://new.example/");
	assert_int_equal(sql(ALERT_ROWS " WHERE reason_code = 'alert-off'"), 1);
	edit = (struct eds_alert_edit){.active = &on, .events = 1};
	assert_int_equal(
		eds_store_alert_update(&event, open_store(), &scope, id, &edit, &alert), RT_OK);
	assert_true(alert.active);
	assert_int_equal(alert.events, 1);
}

static void an_alert_is_found_only_in_its_own_scope(void **state)
{
	struct eds_alert_scope scopes[] = {of_domain(), of_account(), {"nobody", NULL}};
	struct eds_alert alert;
	char id[EDS_TEST_ID_LENGTH + 1];

	(void)state;
	make_alert(&scopes[0], EDS_ALERT_ALL, id);
	for (int i = 1; i < 3; i++) {
		assert_int_equal(eds_store_alert_get(&event, open_store(), &scopes[i], id, &alert),
			RT_NOT_FOUND);
		assert_int_equal(
			eds_store_alert_delete(&event, open_store(), &scopes[i], id), RT_NOT_FOUND);
	}
	assert_int_equal(eds_store_alert_delete(&event, open_store(), &scopes[0], id), RT_OK);
	assert_int_equal(
		eds_store_alert_get(&event, open_store(), &scopes[0], id, &alert), RT_NOT_FOUND);
}

static void an_account_has_at_most_twenty_alerts_including_its_domains(void **state)
{
	struct eds_alert_scope scopes[] = {of_domain(), of_account()};
	char id[EDS_TEST_ID_LENGTH + 1];

	(void)state;
	for (int i = 0; i < 20; i++)
		make_alert(&scopes[i % 2], EDS_ALERT_ALL, id);
	assert_int_equal(try_alert(&scopes[0], EDS_ALERT_ALL, id), RT_FORBIDDEN);
	assert_int_equal(sql("SELECT count(*) FROM alerts"), 20);
}

static void a_test_message_is_sent_and_counts_towards_the_hourly_limit(void **state)
{
	struct eds_alert_scope scope = of_domain();
	struct eds_alert_delivery *log;
	struct eds_alert alert;
	char id[EDS_TEST_ID_LENGTH + 1];
	size_t count;

	(void)state;
	make_alert(&scope, EDS_ALERT_ALL, id);
	for (int i = 0; i < 60; i++) {
		assert_int_equal(
			eds_store_alert_get(&event, open_store(), &scope, id, &alert), RT_OK);
		assert_int_equal(
			eds_store_alert_test(&event, store_again(), &scope, &alert, "{}"), RT_OK);
	}
	assert_int_equal(eds_store_alert_get(&event, open_store(), &scope, id, &alert), RT_OK);
	assert_int_equal(
		eds_store_alert_test(&event, store_again(), &scope, &alert, "{}"), RT_LIMIT);
	assert_int_equal(
		eds_store_alert_deliveries(&event, store_again(), &alert, &log, &count), RT_OK);
	assert_int_equal(count, 50);
	assert_string_equal(log[0].type, "test");
	assert_string_equal(log[0].seen.state, "waiting");
}

static void a_deleted_domain_leaves_no_alert_and_nothing_to_send(void **state)
{
	struct eds_alert_scope scope = of_domain();
	char id[EDS_TEST_ID_LENGTH + 1];

	(void)state;
	make_alert(&scope, EDS_ALERT_ALL, id);
	tell(EDS_ALERT_SELECTOR_BROKEN, "1");
	delete_domain();
	assert_int_equal(sql("SELECT count(*) FROM alerts"), 0);
	assert_int_equal(sql("SELECT count(*) FROM alert_troubles"), 0);
	assert_int_equal(sql(ALERT_ROWS), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			a_change_is_sent_to_the_alerts_of_domain_and_account_that_ask_for_it,
			one_domain),
		cmocka_unit_test_setup(
			an_alert_of_the_account_reports_each_domain_that_changes_at_the_same_moment,
			one_domain),
		cmocka_unit_test_setup(an_alert_of_another_account_gets_nothing, one_domain),
		cmocka_unit_test_setup(news_found_after_the_lease_is_not_reported, one_domain),
		cmocka_unit_test_setup(trouble_is_reported_once_and_its_recovery_once, one_domain),
		cmocka_unit_test_setup(
			past_sixty_an_hour_the_rest_is_summed_in_one_message_after_the_hour,
			one_domain),
		cmocka_unit_test_setup(
			one_domain_leaves_a_quarter_of_the_hour_to_the_others, one_domain),
		cmocka_unit_test_setup(
			a_receiver_that_accepted_nothing_for_a_day_is_switched_off, one_domain),
		cmocka_unit_test_setup(
			a_receiver_that_accepted_something_since_stays_on, one_domain),
		cmocka_unit_test_setup(
			a_receiver_that_asks_to_stop_is_switched_off_whatever_it_accepted,
			one_domain),
		cmocka_unit_test_setup(
			a_delivery_that_we_tried_too_late_does_not_count_against_the_receiver,
			one_domain),
		cmocka_unit_test_setup(
			waiting_messages_go_to_a_new_address_and_a_switched_off_alert_has_none,
			one_domain),
		cmocka_unit_test_setup(an_alert_is_found_only_in_its_own_scope, one_domain),
		cmocka_unit_test_setup(
			an_account_has_at_most_twenty_alerts_including_its_domains, one_domain),
		cmocka_unit_test_setup(
			a_test_message_is_sent_and_counts_towards_the_hourly_limit, one_domain),
		cmocka_unit_test_setup(
			a_deleted_domain_leaves_no_alert_and_nothing_to_send, one_domain),
	};

	return cmocka_run_group_tests(tests, choose_database, remove_folder);
}
