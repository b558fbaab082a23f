/* Code shared by the tests of reports in the store: an account with two domains, and reports about
 * one of them.
 */
#ifndef REPORT_FIXTURE_H
#define REPORT_FIXTURE_H

#include "functions/lib/store/life/domain-life.h"
#include "functions/lib/store/reports/report-read.h"
#include "functions/lib/store/reports/report.h"
#include "functions/lib/store/selectors/selector-list.h"
#include "runtime/json.h"
#include "runtime/time.h"
#include "tests/unit/store_fixture.h"

#define DAY_MS (INT64_C(24) * 3600 * 1000)

static struct eds_domain domain;
static struct eds_domain subdomain;
static char ids[3][64]; /* ids of domain, subdomain, account */
static char last_id[64];
static int64_t now_ms;

static inline bool create_domain(
	const struct eds_account *account, const char *name, int slot, struct eds_domain *created)
{
	struct eds_store *store;

	if (eds_store_open(&event, &store) != RT_OK ||
		eds_store_domain_create(&event, store, account, name, created) != RT_OK)
		return false;
	snprintf(ids[slot], sizeof ids[slot], "%s", created->id);
	created->id = ids[slot];
	created->account_id = ids[2];
	return true;
}

/* An account with two domains, whose names outlive the events. */
static inline int two_domains(void **state)
{
	struct eds_account account;

	now_ms = rt_wall_ms();
	if (empty_database(state) != 0)
		return -1;
	rt_json_use_arena(event.arena);
	if (eds_store_account_create(&event, open_store(), "one", EDS_PLAN_FREE, &account) != RT_OK)
		return -1;
	snprintf(ids[2], sizeof ids[2], "%s", account.id);
	if (!create_domain(&account, "example.com", 0, &domain) ||
		!create_domain(&account, "mail.example.com", 1, &subdomain))
		return -1;
	domain.name = "example.com";
	subdomain.name = "mail.example.com";
	return 0;
}

static inline struct eds_report_line line_of(const char *identity, const char *message_id)
{
	return (struct eds_report_line){
		.identity = identity,
		.message_id = message_id,
		.received_at_ms = now_ms,
		.kind = "dmarc",
		.state = "read",
		.mail_from = "noreply@reporter.example",
		.organization = "Reporter",
		.contact = "dmarc@reporter.example",
		.reporter_id = "1",
		.policy_domain = "example.com",
		.begins_at_ms = now_ms - 2 * DAY_MS,
		.ends_at_ms = now_ms - DAY_MS,
		.records = 2,
		.total = 10,
		.passed = 7,
		.failed = 3,
		.body = "{\"rows\":[]}",
		.body_id = "the digest of it",
		.origin = {.reporter = "reporter.example",
			.judged = true,
			.verified = true,
			.spf = "pass",
			.dkim = "pass",
			.dmarc = "pass",
			.standing = ""},
		.counts = true,
	};
}

/* The line of a report whose sender did not prove that it is the reporter. */
static inline struct eds_report_line forged_line_of(const char *identity, const char *message_id)
{
	struct eds_report_line line = line_of(identity, message_id);

	line.origin.verified = false;
	line.origin.spf = line.origin.dkim = "none";
	line.origin.dmarc = "fail";
	line.counts = false;
	return line;
}

static inline struct eds_named_selector named_of(const char *selector, int64_t pass, int64_t fail)
{
	return (struct eds_named_selector){
		.domain = &domain,
		.domain_name = "example.com",
		.selector = selector,
		.pass_count = pass,
		.fail_count = fail,
	};
}

static inline enum eds_report_added add_line(const struct eds_domain *to,
	struct eds_report_line *line, struct eds_named_selector *named, size_t count)
{
	struct eds_store *store;
	struct eds_report_item item = {.line = line, .named = named, .named_count = count};
	uint16_t *of_signature = rt_alloc_array(&event, count + 1, sizeof *of_signature);

	for (size_t i = 0; i < count; i++)
		of_signature[i] = (uint16_t)i;
	item.of_signature = of_signature;
	item.signature_count = count;
	assert_int_equal(eds_store_open(&event, &store), RT_OK);
	if (eds_store_reports_add(&event, store, to, &item, 1) != RT_OK)
		fail_msg("%s: %s", event.failure.code, event.failure.detail);
	if (line->id != NULL)
		snprintf(last_id, sizeof last_id, "%s", line->id);
	return item.added;
}

static inline enum eds_report_added add_to(const struct eds_domain *to, const char *identity,
	const char *message_id, struct eds_named_selector *named, size_t count)
{
	struct eds_report_line line = line_of(identity, message_id);

	usleep(2000); /* ids made in the same millisecond have no defined order */
	next_event(EVENT_MS);
	return add_line(to, &line, named, count);
}

static inline enum eds_report_added add(const char *identity, const char *message_id,
	struct eds_named_selector *named, size_t count)
{
	return add_to(&domain, identity, message_id, named, count);
}

static inline void get_selector(
	const struct eds_domain *of, const char *name, struct eds_selector *selector)
{
	assert_int_equal(eds_store_selector_get(&event, open_store(), of, name, selector), RT_OK);
}

static inline void get_line(const char *id, struct eds_report_line *line)
{
	assert_int_equal(eds_store_report_get(&event, open_store(), &domain, id, line), RT_OK);
}

#define STORE_TEST(name) cmocka_unit_test_setup(name, two_domains)

#endif
