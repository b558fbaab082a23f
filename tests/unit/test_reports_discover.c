/* The selectors that a report names: the domains to which they belong, and the answers of DNS about
 * new ones. */
#include "functions/reports/intake/discover-check.h"
#include "functions/reports/intake/discover.h"
#include "runtime/time.h"

#include "functions/lib/dns/resolver.h"
#include "tests/support/dnsd-process.h"
#include "tests/unit/report_fixture.h"

enum {
	SLOW_EVENT_MS = 8000,
};

static const char zone[] =
	"example.com SOA 900 ns.example.com h.example.com 1 3600 600 86400 60\n"
	"revoked._domainkey.example.com TXT 300 \"v=DKIM1; p=\"\n"
	"any.mail.example.com SOA 900 ns.example.com h.example.com 1 3600 600 86400 60\n"
	"*._domainkey.mail.example.com TXT 300 \"v=DKIM1; p=\"\n"
	"slow._domainkey.example.com !drop\n"
	"broken._domainkey.example.com !servfail\n";

static struct dnsd dnsd;

static int start(void **state)
{
	dnsd_start(&dnsd, zone);
	return choose_database(state);
}

static int stop(void **state)
{
	eds_resolver_close();
	dnsd_stop(&dnsd);
	return remove_folder(state);
}

static struct eds_report_signature signature(
	const char *of, const char *selector, uint64_t messages, uint64_t passed)
{
	return (struct eds_report_signature){
		.domain = of, .selector = selector, .messages = messages, .passed = passed};
}

static struct eds_named_selector *named(
	const struct eds_report_signature *signatures, size_t signature_count, size_t *count)
{
	const struct eds_report report = {.kind = EDS_REPORT_DMARC,
		.signatures = signatures,
		.signature_count = signature_count};
	struct eds_report_item item = {0};

	assert_int_equal(report_named(&event, open_store(), &domain, &report, &item), RT_OK);
	*count = item.named_count;
	return item.named;
}

static void a_selector_belongs_to_the_domain_of_its_signature(void **state)
{
	const struct eds_report_signature signatures[] = {
		signature("other.example", "s1", 1, 1),
		signature("unmonitored.example.com", "s1", 1, 1),
		signature("notexample.com", "s1", 1, 1),
		signature("mail.example.com", "s2", 5, 4),
		signature("EXAMPLE.com", "S3", 3, 3),
	};
	struct eds_named_selector *list;
	size_t count;

	(void)state;
	list = named(signatures, 5, &count);
	assert_int_equal(count, 5);
	assert_string_equal(list[0].domain->id, subdomain.id);
	assert_string_equal(list[0].selector, "s2");
	assert_int_equal(list[0].pass_count, 4);
	assert_int_equal(list[0].fail_count, 1);
	assert_ptr_equal(list[1].domain, &domain);
	assert_string_equal(list[1].selector, "S3");
	for (size_t i = 2; i < count; i++)
		assert_int_equal(list[i].outcome, EDS_NAMED_ELSEWHERE);
}

static void a_selector_that_the_api_does_not_allow_is_skipped(void **state)
{
	const struct eds_report_signature signatures[] = {
		signature("example.com", "a..b", 1, 1),
		signature("example.com", "", 1, 1),
		signature("example.com", "sp ace", 1, 1),
		signature("example.com", "n\xc3\xa9", 1, 1),
		signature("example.com", "'; --", 1, 1),
	};
	struct eds_named_selector *list;
	size_t count;

	(void)state;
	list = named(signatures, 5, &count);
	assert_int_equal(count, 5);
	assert_int_equal(list[0].outcome, EDS_NAMED_ILLEGAL);
	for (size_t i = 1; i < count; i++)
		assert_int_equal(list[i].outcome, EDS_NAMED_ILLEGAL);
	assert_int_equal(event.failure.category, RT_OK);
}

static void two_spellings_of_a_selector_are_one(void **state)
{
	const struct eds_report_signature signatures[] = {
		signature("example.com", "s1", 3, 3),
		signature("example.com", "S1", 2, 0),
	};
	struct eds_named_selector *list;
	size_t count;

	(void)state;
	list = named(signatures, 2, &count);
	assert_int_equal(count, 1);
	assert_string_equal(list[0].selector, "s1");
	assert_int_equal(list[0].pass_count, 3);
	assert_int_equal(list[0].fail_count, 2);
}

static void lookups_of_names_below_the_domain_are_limited(void **state)
{
	struct eds_report_signature *signatures = calloc(
		EDS_REPORT_SIGNATURES_MAX, sizeof *signatures);
	char(*names)[32] = calloc(EDS_REPORT_SIGNATURES_MAX, sizeof *names);
	size_t count;

	(void)state;
	for (size_t i = 0; i < EDS_REPORT_SIGNATURES_MAX; i++) {
		snprintf(names[i], sizeof names[i], "n%zu.example.com", i);
		signatures[i] = signature(names[i], "s1", 1, 1);
	}
	named(signatures, EDS_REPORT_SIGNATURES_MAX, &count);
	assert_int_equal(count, 500);
	free(names);
	free(signatures);
}

static void a_name_named_twice_is_asked_for_once(void **state)
{
	struct eds_report_signature signatures[51];
	char names[49][32];
	const struct eds_named_selector *list;
	size_t count;

	(void)state;
	for (int i = 0; i < 49; i++) {
		snprintf(names[i], sizeof names[i], "n%d.example.com", i);
		signatures[i] = signature(names[i], "s1", 1, 1);
	}
	signatures[49] = signature("n0.example.com", "s2", 1, 1);
	signatures[50] = signature("mail.example.com", "s1", 1, 1);
	list = named(signatures, 51, &count);
	assert_int_equal(count, 51);
	assert_non_null(list[0].domain); /* selectors of monitored domains come first */
	assert_string_equal(list[0].domain->id, subdomain.id);
}

/* Asks DNS for the selectors of these signatures, as for a report that names them. */
static struct eds_named_selector *check_new(
	const struct eds_report_signature *signatures, size_t count)
{
	struct eds_report_item item = {0};
	struct eds_store *store;
	size_t lookups = 200;

	item.named = named(signatures, count, &item.named_count);
	assert_int_equal(eds_store_open(&event, &store), RT_OK);
	assert_int_equal(report_check_new(&event, store, &item, 1, &lookups), RT_OK);
	return item.named;
}

static void a_new_selector_is_looked_up_with_its_wildcard(void **state)
{
	const struct eds_report_signature signatures[] = {
		signature("example.com", "revoked", 1, 1),
		signature("example.com", "missing", 1, 1),
		signature("mail.example.com", "any", 1, 1),
		signature("example.com", "broken", 1, 1),
	};
	struct eds_named_selector *list = check_new(signatures, 4);

	(void)state;
	assert_int_equal(list[0].outcome, EDS_NAMED_NEW);
	assert_string_equal(list[0].check->state, "revoked");
	assert_false(list[0].check->wildcard);
	assert_true(list[0].check->probed_at_ms > 0);
	assert_string_equal(list[1].check->state, "invalid");
	assert_non_null(strstr(list[1].check->errors, "key-missing"));
	assert_true(list[2].check->wildcard);
	assert_string_equal(list[3].check->state, "unknown");
	assert_true(list[3].next_at_ms <= rt_wall_ms() + 60000);
}

static void the_lookups_for_one_mail_are_limited(void **state)
{
	const struct eds_report_signature signatures[] = {
		signature("example.com", "revoked", 1, 1),
		signature("example.com", "missing", 1, 1),
	};
	struct eds_report_item item = {0};
	struct eds_store *store;
	size_t lookups = 1;

	(void)state;
	item.named = named(signatures, 2, &item.named_count);
	assert_int_equal(eds_store_open(&event, &store), RT_OK);
	assert_int_equal(report_check_new(&event, store, &item, 1, &lookups), RT_OK);
	assert_int_equal(lookups, 0);
	assert_non_null(item.named[0].check);
	assert_null(item.named[1].check);
}

static void a_known_selector_is_not_looked_up(void **state)
{
	const struct eds_report_signature one = signature("example.com", "missing", 1, 1);
	struct eds_named_selector known = named_of("missing", 1, 0);

	(void)state;
	assert_int_equal(add("a", "m1", &known, 1), EDS_REPORT_ADDED);
	dnsd_publish(&dnsd, zone);
	assert_null(check_new(&one, 1)->check);
	assert_int_equal(dnsd_queries(&dnsd, NULL), 0);
}

static void a_silent_name_server_causes_only_a_short_delay(void **state)
{
	const struct eds_report_signature one = signature("example.com", "slow", 1, 1);
	struct eds_report_item item = {0};
	struct eds_store *store;
	size_t lookups = 200;
	int64_t began_ms;

	(void)state;
	item.named = named(&one, 1, &item.named_count);
	event.deadline_ms = rt_monotonic_ms() + SLOW_EVENT_MS;
	assert_int_equal(eds_store_open(&event, &store), RT_OK);
	began_ms = rt_monotonic_ms();
	assert_int_equal(report_check_new(&event, store, &item, 1, &lookups), RT_OK);
	assert_true(rt_monotonic_ms() - began_ms < SLOW_EVENT_MS / 2);
	assert_string_equal(item.named[0].check->state, "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(a_selector_belongs_to_the_domain_of_its_signature),
		STORE_TEST(a_selector_that_the_api_does_not_allow_is_skipped),
		STORE_TEST(two_spellings_of_a_selector_are_one),
		STORE_TEST(lookups_of_names_below_the_domain_are_limited),
		STORE_TEST(a_name_named_twice_is_asked_for_once),
		STORE_TEST(a_new_selector_is_looked_up_with_its_wildcard),
		STORE_TEST(the_lookups_for_one_mail_are_limited),
		STORE_TEST(a_known_selector_is_not_looked_up),
		STORE_TEST(a_silent_name_server_causes_only_a_short_delay),
	};

	return cmocka_run_group_tests_name("reports: discovery", tests, start, stop);
}
