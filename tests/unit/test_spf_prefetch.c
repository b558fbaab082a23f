/* Asking DNS ahead for SPF, with a real DNS server over sockets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "functions/lib/spf/spf-evaluate.h"
#include "functions/lib/spf/spf-prefetch.h"
#include "runtime/config/config.h"
#include "runtime/time.h"
#include "tests/support/dnsd-process.h"

enum { DEADLINE_MS = 5000 };

static const char zone[] =
	"example.com TXT 300 \"v=spf1 mx:example.net a:host.example include:b.example "
	"exists:e.example exists:%{i}.m.example redirect=c.example\"\n"
	"example.net MX 300 10 mx.example.net\n"
	"mx.example.net A 300 198.51.100.1\n"
	"host.example A 300 198.51.100.2\n"
	"e.example TXT 300 \"no address\"\n"
	"b.example TXT 300 \"v=spf1 a:b-host.example -all a:behind.example\"\n"
	"b-host.example A 300 198.51.100.3\n"
	"c.example TXT 300 \"v=spf1 a mx -all\"\n"
	"c.example A 300 198.51.100.4\n"
	"c.example MX 300 0 .\n"
	"loop.example TXT 300 \"v=spf1 include:loop.example a:%{d} redirect=loop.example\"\n"
	"wrong.example TXT 300 \"v=spf1 a:host.example include:b.example moo\"\n"
	"twice.example TXT 300 \"v=spf1 a:host.example\"\n"
	"twice.example TXT 300 \"v=spf1 include:b.example\"\n"
	"many.example TXT 300 \"v=spf1 a:1.many.example a:2.many.example a:3.many.example "
	"a:4.many.example a:5.many.example a:6.many.example a:7.many.example a:8.many.example\" "
	"\" a:9.many.example a:10.many.example a:11.many.example a:12.many.example\"\n"
	"*.many.example A 300 192.0.2.7\n";

static struct dnsd dnsd;
static struct rt_ctx ctx;
static struct eds_dns *dns;

static int serve(void **state)
{
	(void)state;
	dnsd_start(&dnsd, zone);
	rt_config_require();
	return 0;
}

static int stop_serving(void **state)
{
	(void)state;
	dnsd_stop(&dnsd);
	return 0;
}

static int begin(void **state)
{
	(void)state;
	ctx = (struct rt_ctx){
		.arena = rt_arena_new(), .deadline_ms = rt_monotonic_ms() + DEADLINE_MS};
	return eds_dns_open(&ctx, &dns) == RT_OK ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	rt_arena_free(ctx.arena);
	return 0;
}

static void prefetch(const char *domain)
{
	eds_spf_prefetch(&ctx, dns, domain);
	eds_dns_settle(dns, DEADLINE_MS);
}

static bool asked(const char *name, enum eds_dns_type type)
{
	return eds_dns_peek(dns, name, type) != NULL;
}

static const struct eds_dns_answer *get(void *arg, const char *name, enum eds_dns_type type)
{
	return eds_dns_get(arg, name, type);
}

static void after_a_prefetch_an_evaluation_asks_only_names_with_macros(void **state)
{
	struct eds_lookup lookup = {.get = get, .arg = dns};
	struct eds_spf_input input = {.helo = "h.example",
		.mail_from = "u@example.com",
		.receiver = "r.example",
		.deadline_ms = rt_monotonic_ms() + DEADLINE_MS};
	struct eds_spf_result result;
	size_t before;

	(void)state;
	prefetch("example.com");
	before = eds_dns_query_count(dns);
	rt_ip_parse("192.0.2.1", &input.client);
	eds_spf_evaluate(&ctx, &lookup, &input, &result);
	assert_int_equal(result.code, EDS_SPF_FAIL);
	assert_int_equal(result.tree_count, 3);
	assert_int_equal(eds_dns_query_count(dns), before + 1);
	assert_true(asked("192.0.2.1.m.example", EDS_DNS_A));
	assert_false(asked("%{i}.m.example", EDS_DNS_A));
}

static void terms_after_all_are_not_asked(void **state)
{
	(void)state;
	prefetch("b.example");
	assert_true(asked("b-host.example", EDS_DNS_A));
	assert_false(asked("behind.example", EDS_DNS_A));
}

static void records_that_cannot_be_evaluated_cause_no_further_questions(void **state)
{
	static const char *const domains[] = {
		"wrong.example", "twice.example", "host.example", "nowhere.example"};

	(void)state;
	for (size_t i = 0; i < sizeof domains / sizeof domains[0]; i++)
		prefetch(domains[i]);
	assert_int_equal(eds_dns_query_count(dns), 4);
}

static void a_loop_of_records_ends(void **state)
{
	(void)state;
	prefetch("loop.example");
	assert_int_equal(eds_dns_query_count(dns), 1);
}

static void no_more_than_ten_names_are_asked(void **state)
{
	(void)state;
	prefetch("many.example");
	assert_true(asked("10.many.example", EDS_DNS_A));
	assert_false(asked("11.many.example", EDS_DNS_A));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
		TEST(after_a_prefetch_an_evaluation_asks_only_names_with_macros),
		TEST(terms_after_all_are_not_asked),
		TEST(records_that_cannot_be_evaluated_cause_no_further_questions),
		TEST(a_loop_of_records_ends),
		TEST(no_more_than_ten_names_are_asked),
#undef TEST
	};

	return cmocka_run_group_tests(tests, serve, stop_serving);
}
