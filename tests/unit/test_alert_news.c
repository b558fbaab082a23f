/* The alerts that follow from a check of MTA-STS, a check of a selector, and a look at a domain. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "functions/lib/selector/outcome.h"
#include "functions/mta-sts/news.h"
#include "functions/posture/news.h"
#include "runtime/json-format.h"
#include "runtime/json.h"

static struct rt_ctx ctx;

static int begin(void **state)
{
	(void)state;
	if (ctx.arena == NULL)
		ctx.arena = rt_arena_new();
	rt_arena_reset(ctx.arena);
	rt_json_use_arena(ctx.arena);
	return 0;
}

static int end_all(void **state)
{
	(void)state;
	rt_json_use_arena(NULL);
	rt_arena_free(ctx.arena);
	return 0;
}

/* A domain whose MTA-STS was switched on at 100 and found in order at 200. */
static struct eds_mta_sts_due in_order(void)
{
	return (struct eds_mta_sts_due){
		.config = {.domain_id = "1",
			.name = "example.com",
			.enabled = true,
			.mode = EDS_POLICY_ENFORCE,
			.updated_at_ms = 100,
			.observed = {.checked_at_ms = 200,
				.valid = true,
				.policy_fetched = true,
				.policy_mode = "enforce",
				.dns_id = "a",
				.errors = "[]"}},
		.seen = {.checked_at_ms = 300,
			.valid = true,
			.policy_fetched = true,
			.dns_id = "a"},
	};
}

static const struct eds_mta_sts_seen WELL;

/* The type of the only piece of news, "" for none. */
static const char *type_of(const struct eds_alert_all_news *news)
{
	assert_true(news->count <= 1);
	return news->count == 1 ? eds_alert_event_name(news->items[0].event) : "";
}

static const char *mta_sts_type(
	const struct eds_mta_sts_due *due, const struct eds_mta_sts_seen *seen)
{
	struct eds_alert_all_news news = mta_sts_news(&ctx, due, NULL, seen);

	return type_of(&news);
}

static void a_domain_that_stays_in_order_causes_no_alert(void **state)
{
	struct eds_mta_sts_due due = in_order();

	(void)state;
	assert_string_equal(mta_sts_type(&due, &WELL), "");
}

static void a_domain_that_was_in_order_and_breaks_is_reported_with_the_first_error(void **state)
{
	struct eds_mta_sts_due due = in_order();
	struct eds_mta_sts_seen seen = {
		.errors = {.items = {{"policy-missing", "The host answers 404."}}, .count = 1}};
	struct eds_alert_all_news news;

	(void)state;
	due.seen.valid = false;
	news = mta_sts_news(&ctx, &due, NULL, &seen);
	assert_string_equal(type_of(&news), "mta-sts-broken");
	assert_non_null(strstr(news.items[0].body,
		"\"what\":\"MTA-STS of example.com no longer works: The host answers "
		"404.\""));
	assert_non_null(strstr(news.items[0].body, "\"before\":{\"valid\":true,"));
	assert_non_null(strstr(news.items[0].body, "\"after\":{\"valid\":false,"));
	assert_non_null(strstr(news.items[0].body, "senders do not deliver to a server"));
}

static void a_change_that_the_owner_has_just_made_is_not_reported_as_trouble(void **state)
{
	struct eds_mta_sts_due due = in_order();

	(void)state;
	due.seen.valid = false;
	due.config.updated_at_ms = 250;
	assert_string_equal(mta_sts_type(&due, &WELL), "");
	due.config.updated_at_ms = 100;
	due.config.enabled = false;
	assert_string_equal(mta_sts_type(&due, &WELL), "");
}

static void nothing_is_reported_until_dns_answers(void **state)
{
	struct eds_mta_sts_due due = in_order();
	struct eds_mta_sts_seen unanswered = {.temporary = true};

	(void)state;
	due.seen.valid = false;
	assert_string_equal(mta_sts_type(&due, &unanswered), "");
	due.config.observed.valid = false;
	due.config.observed.errors = "[{\"code\":\"txt-temporary\",\"message\":\"None.\"}]";
	assert_string_equal(mta_sts_type(&due, &WELL), "mta-sts-broken");
	due.seen.valid = true;
	assert_string_equal(mta_sts_type(&due, &WELL), "mta-sts-recovered");
}

static void trouble_that_lasts_is_not_reported_again(void **state)
{
	struct eds_mta_sts_due due = in_order();

	(void)state;
	due.config.observed.valid = false;
	due.seen.valid = false;
	assert_string_equal(mta_sts_type(&due, &WELL), "");
}

/* The types of all news, each followed by a space. */
static const char *types_of(const struct eds_alert_all_news *news)
{
	static char types[64];

	types[0] = '\0';
	for (size_t i = 0; i < news->count; i++) {
		strncat(types, eds_alert_event_name(news->items[i].event),
			sizeof types - strlen(types) - 2);
		strncat(types, " ", sizeof types - strlen(types) - 1);
	}
	return types;
}

#define DAY_MS (INT64_C(24) * 3600 * 1000)

/* A check that found one mail server, whose certificate is valid for this many days until
 * until_ms. */
static struct eds_mta_sts_seen with_server(int64_t days, int64_t until_ms)
{
	return (struct eds_mta_sts_seen){
		.mx_state = EDS_MX_FOUND,
		.mx = {{.host = "mx.example.com",
			.starttls = EDS_STARTTLS_YES,
			.certificate = {300 - days * DAY_MS, until_ms}}},
		.mx_count = 1,
	};
}

static const char *certificate_types(
	const struct eds_mta_sts_seen *before, const struct eds_mta_sts_seen *seen)
{
	struct eds_mta_sts_due due = in_order();
	struct eds_alert_all_news news = mta_sts_news(&ctx, &due, before, seen);

	return types_of(&news);
}

static void a_certificate_is_reported_14_days_before_its_end_and_when_it_is_renewed(void **state)
{
	struct eds_mta_sts_seen early = with_server(76, 250 + 14 * DAY_MS);
	struct eds_mta_sts_seen late = with_server(80, 300 + 10 * DAY_MS);
	struct eds_mta_sts_seen fresh = with_server(0, 300 + 90 * DAY_MS);
	struct eds_mta_sts_seen brief = with_server(3, 300 + 3 * DAY_MS);

	(void)state;
	assert_string_equal(certificate_types(&fresh, &fresh), "");
	assert_string_equal(certificate_types(&fresh, &late), "certificate-expiring ");
	assert_string_equal(certificate_types(&early, &early), "certificate-expiring ");
	assert_string_equal(certificate_types(&late, &late), "");
	assert_string_equal(certificate_types(&late, &fresh), "certificate-renewed ");
	assert_string_equal(certificate_types(&fresh, &brief), "");
}

static void trouble_with_a_certificate_ends_when_its_server_is_no_longer_a_mail_server(void **state)
{
	struct eds_mta_sts_seen late = with_server(80, 300 + 10 * DAY_MS);
	struct eds_mta_sts_seen none = {.mx_state = EDS_MX_NULL};
	struct eds_mta_sts_seen unanswered = {.mx_state = EDS_MX_UNKNOWN};

	(void)state;
	assert_string_equal(certificate_types(&late, &none), "certificate-renewed ");
	assert_string_equal(certificate_types(&late, &unanswered), "");
}

static void a_mail_server_outside_the_policy_is_reported_beside_other_errors(void **state)
{
	struct eds_mta_sts_due due = in_order();
	struct eds_mta_sts_seen well = {.mx_state = EDS_MX_FOUND};
	struct eds_mta_sts_seen seen = {.mx_state = EDS_MX_FOUND,
		.errors = {.items = {{"mx-uncovered", "No pattern covers mx2.example.com."}},
			.count = 1}};
	struct eds_alert_all_news news;

	(void)state;
	due.seen.valid = false;
	news = mta_sts_news(&ctx, &due, NULL, &seen);
	assert_string_equal(types_of(&news), "mta-sts-broken mx-uncovered ");
	assert_non_null(strstr(news.items[1].body, "No pattern covers mx2.example.com."));
	due.config.observed.valid = false;
	due.config.observed.errors = "[{\"code\":\"mx-uncovered\",\"message\":\"m\"}]";
	news = mta_sts_news(&ctx, &due, NULL, &seen);
	assert_string_equal(types_of(&news), "");
	due.seen.valid = true;
	news = mta_sts_news(&ctx, &due, NULL, &well);
	assert_string_equal(types_of(&news), "mta-sts-recovered mx-covered ");
}

/* An earlier result with this key, identified by its digest, or only by its hash. */
static struct eds_selector_due selector_was(const char *state, int64_t key_digest, const char *hash)
{
	return (struct eds_selector_due){.domain_id = "1",
		.name = "s1",
		.domain = "example.com",
		.state = state,
		.digest = 5,
		.record_digest = 5,
		.key_digest = key_digest,
		.key_hash = hash};
}

static const char *selector_types(
	struct eds_selector_due due, enum eds_selector_state state, int64_t key_digest)
{
	struct eds_dkim_check check = {.state = state,
		.digest = 6,
		.key_digest = key_digest,
		.key_hash = key_digest == 7 ? "77" : NULL};

	eds_outcome_settle(&ctx, &due, &check);
	return types_of(&due.news);
}

static void a_selector_breaks_recovers_and_changes_its_key(void **state)
{
	(void)state;
	assert_string_equal(selector_types(selector_was("valid", 7, "77"), EDS_SELECTOR_REVOKED, 0),
		"selector-broken ");
	assert_string_equal(selector_types(selector_was("revoked", 0, "77"), EDS_SELECTOR_VALID, 7),
		"selector-recovered ");
	assert_string_equal(selector_types(selector_was("valid", 8, "88"), EDS_SELECTOR_VALID, 7),
		"key-changed ");
	assert_string_equal(/* the record has changed, and the key has not */
		selector_types(selector_was("valid", 7, "77"), EDS_SELECTOR_VALID, 7), "");
	assert_string_equal(
		selector_types(selector_was("invalid", 0, "77"), EDS_SELECTOR_REVOKED, 0), "");
}

static void a_key_that_returns_changed_after_an_absence_is_reported(void **state)
{
	(void)state;
	assert_string_equal(selector_types(selector_was("revoked", 0, "88"), EDS_SELECTOR_VALID, 7),
		"selector-recovered key-changed ");
}

static void a_row_without_a_stored_key_reports_no_change_of_the_key(void **state)
{
	(void)state;
	assert_string_equal(
		selector_types(selector_was("valid", 0, NULL), EDS_SELECTOR_VALID, 7), "");
}

static void a_row_of_an_earlier_release_is_completed_without_an_alert(void **state)
{
	struct eds_selector_due due = selector_was("valid", 0, NULL);
	struct eds_dkim_check check = {.state = EDS_SELECTOR_VALID,
		.digest = 5,
		.key_digest = 7,
		.key_hash = "77",
		.record = "v=DKIM1; p=k"};

	(void)state;
	due.record_digest = 0;
	eds_outcome_settle(&ctx, &due, &check);
	assert_int_equal(due.outcome, EDS_DUE_FILLED);
	assert_string_equal(due.check->record, "v=DKIM1; p=k");
	assert_string_equal(due.check->key_hash, "77");
	assert_int_equal(due.check->key_digest, 7);
	assert_int_equal(due.news.count, 0);
	due.record_digest = 5;
	eds_outcome_settle(&ctx, &due, &check);
	assert_int_equal(due.outcome, EDS_DUE_SAME);
}

/* The types of the news about a changed DMARC record, each followed by a space. */
static const char *dmarc_types(const char *old, const char *now, const char *policy_now)
{
	struct eds_posture look = {0};
	struct eds_posture_due due = {
		.domain_id = "1",
		.name = "mail.example.com",
		.before.items = "[{\"name\":\"dmarc\",\"details\":{\"policy\":\"reject\"}}]",
		.changes = {{.id = "1",
			.item = "dmarc",
			.old = {.state = "ok", .record = old, .findings = ""},
			.now = {.state = "ok", .record = now, .findings = ""}}},
		.change_count = 1,
	};
	struct eds_alert_all_news news;

	look.items[EDS_POSTURE_DMARC].details = json_object();
	rt_json_set_text(&ctx, look.items[EDS_POSTURE_DMARC].details, "policy", policy_now);
	news = posture_news(&ctx, &due, &look);
	return types_of(&news);
}

static void dmarc_is_weaker_with_a_weaker_p_or_sp_tag_or_without_a_record(void **state)
{
	static const char weaker[] = "posture-changed dmarc-weakened ";
	static const char changed[] = "posture-changed ";
	const char *reject = "v=DMARC1; p=reject";

	(void)state;
	assert_string_equal(dmarc_types(reject, "v=DMARC1; p=quarantine", "quarantine"), weaker);
	assert_string_equal(dmarc_types(reject, "v=DMARC1; p=reject; sp=none", "reject"), weaker);
	assert_string_equal(dmarc_types(reject, NULL, NULL), weaker);
	assert_string_equal(dmarc_types(reject, "v=DMARC1", NULL), weaker);
	assert_string_equal(dmarc_types(reject, "v=DMARC1; p=reject; aspf=s", "reject"), changed);
	assert_string_equal(dmarc_types("v=DMARC1; p=none", reject, "reject"), changed);
	assert_string_equal(dmarc_types(NULL, "v=DMARC1; p=none", "none"), changed);
}

static void a_weaker_sp_tag_in_the_parent_domains_record_is_weaker(void **state)
{
	(void)state;
	assert_string_equal(
		dmarc_types("v=DMARC1; p=reject; sp=none", "v=DMARC1; p=reject; sp=none", "none"),
		"posture-changed dmarc-weakened ");
}

/* The text of one piece of news. */
static void assert_says(const struct eds_alert_all_news *news, size_t i, const char *sentence)
{
	const char *expected = rt_printf(&ctx, "\"what\":\"%s\"", sentence);

	if (strstr(news->items[i].body, expected) == NULL)
		fail_msg("%s lacks %s", news->items[i].body, expected);
}

static void alerts_of_certificates_and_mail_servers_are_whole_sentences(void **state)
{
	struct eds_mta_sts_seen late = with_server(80, 300 + 10 * DAY_MS);
	struct eds_mta_sts_seen fresh = with_server(0, 300 + 90 * DAY_MS);
	struct eds_mta_sts_seen well = {.mx_state = EDS_MX_FOUND};
	struct eds_mta_sts_due due = in_order();
	struct eds_alert_all_news news = mta_sts_news(&ctx, &due, &fresh, &late);

	(void)state;
	assert_says(&news, 0,
		"The certificate of mx.example.com, for mail to example.com, expires at "
		"1970-01-11T00:00:00Z.");
	news = mta_sts_news(&ctx, &due, &late, &fresh);
	assert_says(&news, 0,
		"The certificate of mx.example.com, for mail to example.com, is no longer about to "
		"expire.");
	due.config.observed.valid = false;
	due.config.observed.errors = "[{\"code\":\"mx-uncovered\",\"message\":\"m\"}]";
	news = mta_sts_news(&ctx, &due, NULL, &well);
	assert_says(&news, 0, "MTA-STS of example.com works again.");
	assert_says(
		&news, 1, "The MTA-STS policy of example.com covers all its mail servers again.");
}

static void alerts_of_selectors_are_whole_sentences(void **state)
{
	struct eds_selector_due due = selector_was("valid", 7, "77");
	struct eds_dkim_check check = {.state = EDS_SELECTOR_REVOKED, .digest = 6};

	(void)state;
	eds_outcome_settle(&ctx, &due, &check);
	assert_says(
		&due.news, 0, "The DKIM selector s1 of example.com was valid and is now revoked.");
	assert_non_null(strstr(due.news.items[0].body,
		"\"advice\":\"If mail is still signed with this selector, publish its key at "
		"s1._domainkey.example.com again: until then, the signatures do not verify.\""));
	due = selector_was("revoked", 0, "88");
	check = (struct eds_dkim_check){
		.state = EDS_SELECTOR_VALID, .digest = 6, .key_digest = 7, .key_hash = "77"};
	eds_outcome_settle(&ctx, &due, &check);
	assert_says(&due.news, 0, "The DKIM selector s1 of example.com is valid again.");
	assert_says(&due.news, 1, "The key of the DKIM selector s1 of example.com has changed.");
}

/* The news about a change of this subject from one state to another. */
static void assert_change_says(
	const char *item, const char *old, const char *now, const char *sentence)
{
	struct eds_posture look = {0};
	struct eds_posture_due due = {.domain_id = "1",
		.name = "example.com",
		.changes = {{.id = "1",
			.item = item,
			.old = {.state = old, .findings = ""},
			.now = {.state = now, .findings = ""}}},
		.change_count = 1};
	struct eds_alert_all_news news = posture_news(&ctx, &due, &look);

	assert_says(&news, 0, sentence);
}

static void a_change_in_dns_is_reported_with_the_name_of_the_record_and_its_state(void **state)
{
	(void)state;
	assert_change_says("spf", "warning", "warning",
		"The SPF record of example.com changed; the state is still warning.");
	assert_change_says("mx", "ok", "error",
		"The MX records of example.com changed; the state was ok and is now error.");
	assert_change_says("dnssec", "ok", "error",
		"The DNSSEC setup of example.com changed; the state was ok and is now error.");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_domain_that_stays_in_order_causes_no_alert, begin),
		cmocka_unit_test_setup(
			a_domain_that_was_in_order_and_breaks_is_reported_with_the_first_error,
			begin),
		cmocka_unit_test_setup(
			a_change_that_the_owner_has_just_made_is_not_reported_as_trouble, begin),
		cmocka_unit_test_setup(nothing_is_reported_until_dns_answers, begin),
		cmocka_unit_test_setup(trouble_that_lasts_is_not_reported_again, begin),
		cmocka_unit_test_setup(
			a_certificate_is_reported_14_days_before_its_end_and_when_it_is_renewed,
			begin),
		cmocka_unit_test_setup(
			trouble_with_a_certificate_ends_when_its_server_is_no_longer_a_mail_server,
			begin),
		cmocka_unit_test_setup(
			a_mail_server_outside_the_policy_is_reported_beside_other_errors, begin),
		cmocka_unit_test_setup(a_selector_breaks_recovers_and_changes_its_key, begin),
		cmocka_unit_test_setup(
			a_key_that_returns_changed_after_an_absence_is_reported, begin),
		cmocka_unit_test_setup(
			a_row_without_a_stored_key_reports_no_change_of_the_key, begin),
		cmocka_unit_test_setup(
			a_row_of_an_earlier_release_is_completed_without_an_alert, begin),
		cmocka_unit_test_setup(
			dmarc_is_weaker_with_a_weaker_p_or_sp_tag_or_without_a_record, begin),
		cmocka_unit_test_setup(
			a_weaker_sp_tag_in_the_parent_domains_record_is_weaker, begin),
		cmocka_unit_test_setup(
			alerts_of_certificates_and_mail_servers_are_whole_sentences, begin),
		cmocka_unit_test_setup(alerts_of_selectors_are_whole_sentences, begin),
		cmocka_unit_test_setup(
			a_change_in_dns_is_reported_with_the_name_of_the_record_and_its_state,
			begin),
	};

	return cmocka_run_group_tests(tests, NULL, end_all);
}
