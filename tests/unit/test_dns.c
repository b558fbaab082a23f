#include "functions/lib/dns/dns.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "functions/lib/dns/resolver.h"
#include "runtime/config.h"
#include "tests/support/dnsd-process.h"

static const char zone[] = "example.com SOA 900 ns.example.com h.example.com 1 3600 600 86400 60\n"
			   "example.com A 300 192.0.2.1\n"
			   "example.com A 200 192.0.2.2\n"
			   "example.com AAAA 300 2001:db8::1\n"
			   "example.com MX 300 20 mx2.example.com\n"
			   "example.com MX 300 10 MX1.Example.com\n"
			   "example.com NS 300 ns.example.com\n"
			   "example.com TXT 300 \"v=spf1 \" \"-all\"\n"
			   "octets.example.com TXT 300 \"a\\000b\\255\"\n"
			   "nullmx.example.com MX 300 0 .\n"
			   "mapped.example.com AAAA 300 ::ffff:127.0.0.1\n"
			   "1.2.0.192.in-addr.arpa PTR 300 example.com\n"
			   "odd.example.com PTR 300 a\\.b\\010.example.com\n"
			   "alias.example.com CNAME 100 middle.example.com\n"
			   "middle.example.com CNAME 50 example.com\n"
			   "dangling.example.com CNAME 300 nowhere.example.com\n"
			   "halfway.example.com CNAME 300 nullmx.example.com\n"
			   "loop.example.com CNAME 300 pool.example.com\n"
			   "pool.example.com CNAME 300 loop.example.com\n"
			   "leaf.empty.example.com A 300 192.0.2.1\n"
			   "*.wild.example.com A 300 192.0.2.9\n"
			   "no-soa.test A 300 192.0.2.1\n"
			   "slash\\\\name.example.com A 300 192.0.2.7\n"
			   "servfail.example.com !servfail\n"
			   "refused.example.com !refused\n"
			   "notimp.example.com !rcode=4\n"
			   "formerr.example.com !rcode=1\n"
			   "notauth.example.com !rcode=9\n"
			   "once.example.com A !once=servfail 300 192.0.2.3\n"
			   "drop.example.com !drop\n"
			   "wrongid.example.com A !wrongid 300 192.0.2.4\n"
			   "garbage.example.com !garbage\n"
			   "truncated.example.com A !truncate 300 192.0.2.5\n"
			   "slow.example.com A !delay=80 300 192.0.2.6\n"
			   "*.slow.example.com A !delay=80 300 192.0.2.6\n";

static struct dnsd dnsd;
static struct rt_ctx context;
static struct eds_dns *dns;
static const char *configured_servers;

static void begin_event(int deadline_ms)
{
	memset(&context, 0, sizeof context);
	context.arena = rt_arena_new();
	context.deadline_ms = rt_monotonic_ms() + deadline_ms;
	assert_int_equal(eds_dns_open(&context, &dns), RT_OK);
}

static void end_event(void)
{
	rt_arena_free(context.arena);
}

static int start(void **state)
{
	(void)state;
	begin_event(10000);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	end_event();
	return 0;
}

static const struct eds_dns_answer *expect(
	const char *name, enum eds_dns_type type, enum eds_dns_state expected)
{
	const struct eds_dns_answer *answer = eds_dns_get(dns, name, type);

	assert_int_equal(answer->state, expected);
	assert_int_equal(answer->type, type);
	if (expected == EDS_DNS_TEMPORARY)
		assert_string_not_equal(answer->reason, "");
	else
		assert_string_equal(answer->reason, "");
	if (expected == EDS_DNS_FOUND)
		assert_true(answer->count > 0);
	else
		assert_int_equal(answer->count, 0);
	return answer;
}

static void expect_ip(const struct eds_dns_record *record, const char *text)
{
	char shown[RT_IP_TEXT_MAX];

	rt_ip_format(&record->ip, shown);
	assert_string_equal(shown, text);
}

static void addresses_are_found_with_the_least_ttl(void **state)
{
	const struct eds_dns_answer *answer = expect("example.com", EDS_DNS_A, EDS_DNS_FOUND);

	(void)state;
	assert_int_equal(answer->count, 2);
	expect_ip(&answer->records[0], "192.0.2.1");
	expect_ip(&answer->records[1], "192.0.2.2");
	assert_int_equal(answer->ttl_s, 200);
	assert_false(answer->aliased);
	assert_string_equal(answer->canonical, "example.com");
	answer = expect("example.com", EDS_DNS_AAAA, EDS_DNS_FOUND);
	expect_ip(&answer->records[0], "2001:db8::1");
}

static void an_ipv6_address_that_holds_an_ipv4_one_is_read_as_that(void **state)
{
	(void)state;
	expect_ip(&expect("mapped.example.com", EDS_DNS_AAAA, EDS_DNS_FOUND)->records[0],
		"127.0.0.1");
}

static void exchanges_have_preference_and_lower_case_names(void **state)
{
	const struct eds_dns_answer *answer = expect("example.com", EDS_DNS_MX, EDS_DNS_FOUND);

	(void)state;
	assert_int_equal(answer->count, 2);
	assert_int_equal(answer->records[0].preference, 20);
	assert_string_equal(answer->records[0].name, "mx2.example.com");
	assert_int_equal(answer->records[1].preference, 10);
	assert_string_equal(answer->records[1].name, "mx1.example.com");
}

static void a_null_mx_has_an_empty_name(void **state)
{
	(void)state;
	assert_string_equal(
		expect("nullmx.example.com", EDS_DNS_MX, EDS_DNS_FOUND)->records[0].name, "");
}

static void strings_of_a_txt_record_are_joined(void **state)
{
	const struct eds_dns_answer *answer = expect("example.com", EDS_DNS_TXT, EDS_DNS_FOUND);

	(void)state;
	assert_string_equal(answer->records[0].txt, "v=spf1 -all");
	assert_int_equal(answer->records[0].txt_length, 11);
}

static void a_txt_record_may_hold_any_octet(void **state)
{
	const struct eds_dns_answer *answer = expect(
		"octets.example.com", EDS_DNS_TXT, EDS_DNS_FOUND);

	(void)state;
	assert_int_equal(answer->records[0].txt_length, 4);
	assert_memory_equal(answer->records[0].txt, "a\0b\377", 5);
}

static void names_behind_addresses_and_servers_are_found(void **state)
{
	struct rt_ip ip;

	(void)state;
	assert_true(rt_ip_parse("192.0.2.1", &ip));
	assert_string_equal(expect(eds_dns_ptr_name(&context, &ip), EDS_DNS_PTR, EDS_DNS_FOUND)
				    ->records[0]
				    .name,
		"example.com");
	assert_string_equal(expect("example.com", EDS_DNS_NS, EDS_DNS_FOUND)->records[0].name,
		"ns.example.com");
}

static void octets_that_belong_in_no_host_name_are_shown_as_question_marks(void **state)
{
	(void)state;
	assert_string_equal(expect("odd.example.com", EDS_DNS_PTR, EDS_DNS_FOUND)->records[0].name,
		"a?b?.example.com");
}

static void case_and_final_dot_make_no_difference(void **state)
{
	const struct eds_dns_answer *answer = expect("EXAMPLE.com.", EDS_DNS_A, EDS_DNS_FOUND);

	(void)state;
	assert_string_equal(answer->name, "example.com");
	assert_ptr_equal(answer, eds_dns_get(dns, "example.com", EDS_DNS_A));
}

static void a_backslash_in_a_name_is_a_backslash(void **state)
{
	(void)state;
	expect("slash\\name.example.com", EDS_DNS_A, EDS_DNS_FOUND);
	expect("slashname.example.com", EDS_DNS_A, EDS_DNS_NO_NAME);
}

static void negative_answers_have_the_ttl_of_the_soa(void **state)
{
	(void)state;
	assert_int_equal(expect("none.example.com", EDS_DNS_A, EDS_DNS_NO_NAME)->ttl_s, 60);
	assert_int_equal(expect("nullmx.example.com", EDS_DNS_A, EDS_DNS_NO_DATA)->ttl_s, 60);
	assert_int_equal(expect("empty.example.com", EDS_DNS_A, EDS_DNS_NO_DATA)->ttl_s, 60);
}

static void negative_answers_without_soa_are_not_for_keeping(void **state)
{
	(void)state;
	assert_int_equal(expect("no-soa.test", EDS_DNS_MX, EDS_DNS_NO_DATA)->ttl_s, 0);
}

static void aliases_are_followed(void **state)
{
	const struct eds_dns_answer *answer = expect("alias.example.com", EDS_DNS_A, EDS_DNS_FOUND);

	(void)state;
	assert_int_equal(answer->count, 2);
	assert_true(answer->aliased);
	assert_string_equal(answer->canonical, "example.com");
	assert_int_equal(answer->ttl_s, 50);
}

static void an_alias_can_be_asked_for_itself(void **state)
{
	const struct eds_dns_answer *answer = expect(
		"alias.example.com", EDS_DNS_CNAME, EDS_DNS_FOUND);

	(void)state;
	assert_string_equal(answer->records[0].name, "middle.example.com");
	assert_false(answer->aliased);
}

static void a_dangling_alias_is_no_name_with_its_target(void **state)
{
	const struct eds_dns_answer *answer = expect(
		"dangling.example.com", EDS_DNS_TXT, EDS_DNS_NO_NAME);

	(void)state;
	assert_true(answer->aliased);
	assert_string_equal(answer->canonical, "nowhere.example.com");
}

static void an_alias_to_a_name_without_the_type_is_no_data(void **state)
{
	const struct eds_dns_answer *answer = expect(
		"halfway.example.com", EDS_DNS_TXT, EDS_DNS_NO_DATA);

	(void)state;
	assert_true(answer->aliased);
	assert_string_equal(answer->canonical, "nullmx.example.com");
}

static void a_loop_of_aliases_is_a_temporary_failure(void **state)
{
	(void)state;
	expect("loop.example.com", EDS_DNS_A, EDS_DNS_TEMPORARY);
}

static void wildcards_answer(void **state)
{
	(void)state;
	expect("any.wild.example.com", EDS_DNS_A, EDS_DNS_FOUND);
	expect("wild.example.com", EDS_DNS_A, EDS_DNS_NO_DATA);
}

static void names_that_cannot_exist_are_not_asked(void **state)
{
	char label[72];
	char name[300] = "";

	(void)state;
	memset(label, 'a', sizeof label);
	memcpy(label + 64, ".test", 6);
	expect(label, EDS_DNS_A, EDS_DNS_NO_NAME);
	for (int i = 0; i < 52; i++)
		strcat(name, "abcd.");
	expect(name, EDS_DNS_A, EDS_DNS_NO_NAME);
	expect("", EDS_DNS_A, EDS_DNS_NO_NAME);
	expect(".", EDS_DNS_A, EDS_DNS_NO_NAME);
	expect("a..example.com", EDS_DNS_A, EDS_DNS_NO_NAME);
	expect(".example.com", EDS_DNS_A, EDS_DNS_NO_NAME);
	expect("hidden.onion", EDS_DNS_A, EDS_DNS_NO_NAME);
	assert_int_equal(dnsd_queries(&dnsd, "hidden.onion A"), 0);
	assert_int_equal(eds_dns_query_count(dns), 1);
}

static void the_longest_name_is_asked(void **state)
{
	char name[EDS_DNS_NAME_MAX + 2];

	(void)state;
	memset(name, 'a', EDS_DNS_NAME_MAX);
	name[EDS_DNS_NAME_MAX] = '\0';
	for (size_t i = 63; i < EDS_DNS_NAME_MAX; i += 64)
		name[i] = '.';
	expect(name, EDS_DNS_A, EDS_DNS_NO_NAME);
	assert_int_equal(eds_dns_query_count(dns), 1);
}

static void each_response_code_of_failure_is_temporary_with_its_name(void **state)
{
	(void)state;
	assert_string_equal(
		expect("servfail.example.com", EDS_DNS_A, EDS_DNS_TEMPORARY)->reason, "SERVFAIL");
	assert_string_equal(
		expect("refused.example.com", EDS_DNS_A, EDS_DNS_TEMPORARY)->reason, "REFUSED");
	assert_string_equal(
		expect("notimp.example.com", EDS_DNS_A, EDS_DNS_TEMPORARY)->reason, "NOTIMP");
	assert_string_equal(
		expect("formerr.example.com", EDS_DNS_A, EDS_DNS_TEMPORARY)->reason, "FORMERR");
	expect("notauth.example.com", EDS_DNS_A, EDS_DNS_TEMPORARY);
}

static void a_format_error_does_not_cost_later_events_large_answers(void **state)
{
	char strings[1024] = "";
	char lines[2048];

	(void)state;
	for (int i = 0; i < 20; i++)
		strcat(strings, "\"some forty octets of text in every string\" ");
	snprintf(lines, sizeof lines, "large.test TXT 60 %s\nformerr.test !rcode=1\n", strings);
	dnsd_publish(&dnsd, lines);
	expect("formerr.test", EDS_DNS_A, EDS_DNS_TEMPORARY);
	end_event();
	begin_event(10000);
	expect("large.test", EDS_DNS_TXT, EDS_DNS_FOUND);
	assert_int_equal(
		dnsd_queries(&dnsd, "large.test TXT"), 1); /* EDNS: no second one over TCP */
	dnsd_publish(&dnsd, zone);
}

static void a_failure_that_passes_is_asked_again(void **state)
{
	(void)state;
	expect("once.example.com", EDS_DNS_A, EDS_DNS_FOUND);
}

static void garbage_is_a_temporary_failure(void **state)
{
	(void)state;
	expect("garbage.example.com", EDS_DNS_A, EDS_DNS_TEMPORARY);
	expect("garbage.example.com", EDS_DNS_TXT, EDS_DNS_TEMPORARY);
}

static void a_truncated_answer_is_fetched_over_tcp(void **state)
{
	(void)state;
	expect("truncated.example.com", EDS_DNS_A, EDS_DNS_FOUND);
	assert_int_equal(dnsd_queries(&dnsd, "truncated.example.com A"), 2);
}

static void an_answer_of_many_records_arrives_whole_up_to_the_limit(void **state)
{
	char *lines = rt_alloc(&context, 64 * 1024);
	char *at = lines;

	(void)state;
	for (int i = 0; i < 600; i++)
		at += sprintf(at, "many.example.com A 300 10.0.%d.%d\n", i / 256, i % 256);
	dnsd_publish(&dnsd, lines);
	assert_int_equal(
		expect("many.example.com", EDS_DNS_A, EDS_DNS_FOUND)->count, EDS_DNS_RECORDS_MAX);
	dnsd_publish(&dnsd, zone);
}

static void answers_with_a_wrong_id_are_not_believed(void **state)
{
	(void)state;
	context.deadline_ms = rt_monotonic_ms() + 200;
	expect("wrongid.example.com", EDS_DNS_A, EDS_DNS_TEMPORARY);
}

static void a_question_is_given_up_at_the_deadline_of_the_event(void **state)
{
	int64_t began_ms = rt_monotonic_ms();
	int64_t took_ms;

	(void)state;
	context.deadline_ms = began_ms + 300;
	assert_string_equal(
		expect("drop.example.com", EDS_DNS_A, EDS_DNS_TEMPORARY)->reason, "no answer");
	took_ms = rt_monotonic_ms() - began_ms;
	assert_true(took_ms >= 250 && took_ms < 500);
	expect("example.com", EDS_DNS_A, EDS_DNS_TEMPORARY); /* no time to ask any more */
	assert_int_equal(eds_dns_query_count(dns), 1);
}

static void a_silent_server_costs_one_question_four_and_a_half_seconds(void **state)
{
	int64_t began_ms = rt_monotonic_ms();
	int64_t took_ms;

	(void)state;
	eds_dns_start(dns, "drop.example.com", EDS_DNS_MX);
	expect("drop.example.com", EDS_DNS_A, EDS_DNS_TEMPORARY);
	expect("drop.example.com", EDS_DNS_MX, EDS_DNS_TEMPORARY);
	took_ms = rt_monotonic_ms() - began_ms;
	assert_true(took_ms > 4000 && took_ms < 4800);
	expect("example.com", EDS_DNS_A, EDS_DNS_FOUND);
}

static void questions_are_in_flight_together(void **state)
{
	int64_t began_ms = rt_monotonic_ms();
	char name[64];

	(void)state;
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof name, "n%d.slow.example.com", i);
		eds_dns_start(dns, name, EDS_DNS_A);
	}
	assert_null(eds_dns_peek(dns, "n0.slow.example.com", EDS_DNS_A));
	eds_dns_settle(dns, 2000);
	assert_true(rt_monotonic_ms() - began_ms < 1000);
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof name, "n%d.slow.example.com", i);
		assert_non_null(eds_dns_peek(dns, name, EDS_DNS_A));
		assert_int_equal(eds_dns_peek(dns, name, EDS_DNS_A)->state, EDS_DNS_FOUND);
	}
}

static void settling_ends_when_its_time_is_over(void **state)
{
	int64_t began_ms = rt_monotonic_ms();

	(void)state;
	eds_dns_start(dns, "drop.example.com", EDS_DNS_A);
	eds_dns_settle(dns, 100);
	assert_true(rt_monotonic_ms() - began_ms < 300);
	assert_null(eds_dns_peek(dns, "drop.example.com", EDS_DNS_A));
}

static void a_question_is_sent_once_an_event(void **state)
{
	(void)state;
	dnsd_publish(&dnsd, zone);
	eds_dns_start(dns, "slow.example.com", EDS_DNS_A);
	eds_dns_start(dns, "SLOW.example.com.", EDS_DNS_A);
	expect("slow.example.com", EDS_DNS_A, EDS_DNS_FOUND);
	expect("slow.example.com", EDS_DNS_A, EDS_DNS_FOUND);
	assert_int_equal(dnsd_queries(&dnsd, "slow.example.com A"), 1);
	assert_int_equal(eds_dns_query_count(dns), 1);
	end_event();
	begin_event(10000);
	expect("slow.example.com", EDS_DNS_A, EDS_DNS_FOUND);
	assert_int_equal(dnsd_queries(&dnsd, "slow.example.com A"), 2);
}

static void past_two_hundred_questions_every_new_one_fails(void **state)
{
	char name[64];

	(void)state;
	for (int i = 0; i < EDS_DNS_QUERIES_MAX; i++) {
		snprintf(name, sizeof name, "n%d.wild.example.com", i);
		eds_dns_start(dns, name, EDS_DNS_A);
	}
	expect("one.more.example.com", EDS_DNS_A, EDS_DNS_TEMPORARY);
	assert_int_equal(eds_dns_query_count(dns), EDS_DNS_QUERIES_MAX);
	for (int i = 0; i < EDS_DNS_QUERIES_MAX; i++) {
		snprintf(name, sizeof name, "n%d.wild.example.com", i);
		expect(name, EDS_DNS_A, EDS_DNS_FOUND);
	}
}

static void answers_are_listed_in_the_order_asked(void **state)
{
	const struct eds_dns_answer *answers[8];

	(void)state;
	eds_dns_start(dns, "slow.example.com", EDS_DNS_A);
	eds_dns_start(dns, "example.com", EDS_DNS_A);
	eds_dns_start(dns, "drop.example.com", EDS_DNS_A);
	expect("slow.example.com", EDS_DNS_A, EDS_DNS_FOUND);
	assert_int_equal(eds_dns_answers(dns, answers, 8), 2);
	assert_string_equal(answers[0]->name, "slow.example.com");
	assert_string_equal(answers[1]->name, "example.com");
	assert_int_equal(eds_dns_answers(dns, answers, 1), 1);
}

static int calls;
static const char *last_called;

static void count_call(void *arg, const struct eds_dns_answer *answer)
{
	(void)arg;
	calls++;
	last_called = answer->name;
}

static void ask_for_exchanges(void *arg, const struct eds_dns_answer *answer)
{
	(void)arg;
	for (size_t i = 0; i < answer->count; i++)
		eds_dns_when(dns, answer->records[i].name, EDS_DNS_A, count_call, NULL);
}

static void a_callback_asks_on_from_the_answer(void **state)
{
	(void)state;
	calls = 0;
	eds_dns_when(dns, "example.com", EDS_DNS_MX, ask_for_exchanges, NULL);
	assert_int_equal(calls, 0);
	eds_dns_settle(dns, 2000);
	assert_int_equal(calls, 2);
	assert_int_equal(eds_dns_query_count(dns), 3);
}

static void every_callback_of_a_question_is_called_once(void **state)
{
	(void)state;
	calls = 0;
	eds_dns_when(dns, "example.com", EDS_DNS_A, count_call, NULL);
	eds_dns_when(dns, "example.com", EDS_DNS_A, count_call, NULL);
	expect("example.com", EDS_DNS_A, EDS_DNS_FOUND);
	assert_int_equal(calls, 2);
	eds_dns_when(dns, "example.com", EDS_DNS_A, count_call, NULL);
	assert_int_equal(calls, 3);
	assert_string_equal(last_called, "example.com");
}

static void callbacks_are_called_at_the_deadline(void **state)
{
	(void)state;
	calls = 0;
	context.deadline_ms = rt_monotonic_ms() + 100;
	eds_dns_when(dns, "drop.example.com", EDS_DNS_A, count_call, NULL);
	eds_dns_settle(dns, 1000);
	assert_int_equal(calls, 1);
}

static void a_step_returns_when_the_descriptor_is_readable(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	eds_dns_start(dns, "drop.example.com", EDS_DNS_A);
	assert_false(eds_dns_step(dns, ends[0], 20));
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_true(eds_dns_step(dns, ends[0], 5000));
	close(ends[0]);
	close(ends[1]);
}

static void a_step_returns_when_the_descriptor_has_ended(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	close(ends[1]);
	assert_true(eds_dns_step(dns, ends[0], 5000));
	close(ends[0]);
}

static void a_step_answers_questions_while_a_descriptor_is_silent(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	eds_dns_start(dns, "example.com", EDS_DNS_A);
	while (eds_dns_peek(dns, "example.com", EDS_DNS_A) == NULL)
		assert_false(eds_dns_step(dns, ends[0], 1000));
	close(ends[0]);
	close(ends[1]);
}

static void an_event_ends_with_questions_in_flight_and_the_next_is_clean(void **state)
{
	char name[64];

	(void)state;
	calls = 0;
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof name, "n%d.slow.example.com", i);
		eds_dns_when(dns, name, EDS_DNS_A, count_call, NULL);
	}
	end_event();
	begin_event(10000);
	assert_int_equal(eds_dns_query_count(dns), 0);
	assert_null(eds_dns_peek(dns, "n0.slow.example.com", EDS_DNS_A));
	expect("slow.example.com", EDS_DNS_A,
		EDS_DNS_FOUND); /* the others' answers come meanwhile */
	assert_int_equal(calls, 0);
}

static void the_view_of_an_event_is_opened_once(void **state)
{
	struct eds_dns *again;

	(void)state;
	assert_int_equal(eds_dns_open(&context, &again), RT_OK);
	assert_ptr_equal(again, dns);
}

/* The configuration is read once; a test of other servers writes into it. */
static void set_servers(const char *servers)
{
	((struct rt_config *)rt_config())->dns_servers = servers;
	eds_resolver_close();
}

static void use_servers(const char *servers)
{
	set_servers(servers);
	begin_event(10000);
}

static int restore(void **state)
{
	(void)state;
	end_event();
	set_servers(configured_servers);
	return 0;
}

static void a_closed_port_is_a_quick_temporary_failure(void **state)
{
	int64_t began_ms = rt_monotonic_ms();

	(void)state;
	use_servers("127.0.0.1:9");
	expect("example.com", EDS_DNS_A, EDS_DNS_TEMPORARY);
	assert_true(rt_monotonic_ms() - began_ms < 500);
}

static void a_second_server_answers_when_the_first_is_dead(void **state)
{
	char servers[128];

	(void)state;
	snprintf(servers, sizeof servers, "127.0.0.1:9, %s", dnsd.address);
	use_servers(servers);
	expect("example.com", EDS_DNS_A, EDS_DNS_FOUND);
}

static void a_silent_server_is_not_asked_first_again(void **state)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t length = sizeof address;
	int silent = socket(AF_INET, SOCK_DGRAM, 0);
	char servers[128];
	int64_t began_ms;

	(void)state;
	assert_int_equal(bind(silent, (struct sockaddr *)&address, length), 0);
	assert_int_equal(getsockname(silent, (struct sockaddr *)&address, &length), 0);
	snprintf(servers, sizeof servers, "127.0.0.1:%d,%s", ntohs(address.sin_port), dnsd.address);
	use_servers(servers);
	expect("example.com", EDS_DNS_A, EDS_DNS_FOUND);
	began_ms = rt_monotonic_ms();
	expect("example.com", EDS_DNS_MX, EDS_DNS_FOUND);
	assert_true(rt_monotonic_ms() - began_ms < 500);
	close(silent);
}

static void a_server_of_the_wrong_form_is_an_internal_failure(void **state)
{
	struct eds_dns *none;

	(void)state;
	set_servers("no address");
	memset(&context, 0, sizeof context);
	context.arena = rt_arena_new();
	assert_int_equal(eds_dns_open(&context, &none), RT_INTERNAL);
	assert_string_equal(context.failure.code, "dns-unavailable");
}

static void the_system_s_servers_are_used_when_none_are_named(void **state)
{
	(void)state;
	use_servers("");
	assert_non_null(dns);
}

static void addresses_are_reversed_under_any_suffix(void **state)
{
	struct rt_ip ip;

	(void)state;
	assert_true(rt_ip_parse("192.0.2.10", &ip));
	assert_string_equal(
		eds_dns_reverse_name(&context, &ip, "zen.example"), "10.2.0.192.zen.example");
	assert_string_equal(eds_dns_ptr_name(&context, &ip), "10.2.0.192.in-addr.arpa");
	assert_true(rt_ip_parse("2001:db8::12", &ip));
	assert_string_equal(eds_dns_ptr_name(&context, &ip),
		"2.1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa");
}

#define DNS_TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
#define SERVERS_TEST(name) cmocka_unit_test_setup_teardown(name, NULL, restore)

int main(void)
{
	const struct CMUnitTest tests[] = {
		DNS_TEST(addresses_are_found_with_the_least_ttl),
		DNS_TEST(an_ipv6_address_that_holds_an_ipv4_one_is_read_as_that),
		DNS_TEST(exchanges_have_preference_and_lower_case_names),
		DNS_TEST(a_null_mx_has_an_empty_name),
		DNS_TEST(strings_of_a_txt_record_are_joined),
		DNS_TEST(a_txt_record_may_hold_any_octet),
		DNS_TEST(names_behind_addresses_and_servers_are_found),
		DNS_TEST(octets_that_belong_in_no_host_name_are_shown_as_question_marks),
		DNS_TEST(case_and_final_dot_make_no_difference),
		DNS_TEST(a_backslash_in_a_name_is_a_backslash),
		DNS_TEST(negative_answers_have_the_ttl_of_the_soa),
		DNS_TEST(negative_answers_without_soa_are_not_for_keeping),
		DNS_TEST(aliases_are_followed),
		DNS_TEST(an_alias_can_be_asked_for_itself),
		DNS_TEST(a_dangling_alias_is_no_name_with_its_target),
		DNS_TEST(an_alias_to_a_name_without_the_type_is_no_data),
		DNS_TEST(a_loop_of_aliases_is_a_temporary_failure),
		DNS_TEST(wildcards_answer),
		DNS_TEST(names_that_cannot_exist_are_not_asked),
		DNS_TEST(the_longest_name_is_asked),
		DNS_TEST(each_response_code_of_failure_is_temporary_with_its_name),
		DNS_TEST(a_format_error_does_not_cost_later_events_large_answers),
		DNS_TEST(a_failure_that_passes_is_asked_again),
		DNS_TEST(garbage_is_a_temporary_failure),
		DNS_TEST(a_truncated_answer_is_fetched_over_tcp),
		DNS_TEST(an_answer_of_many_records_arrives_whole_up_to_the_limit),
		DNS_TEST(answers_with_a_wrong_id_are_not_believed),
		DNS_TEST(a_question_is_given_up_at_the_deadline_of_the_event),
		DNS_TEST(a_silent_server_costs_one_question_four_and_a_half_seconds),
		DNS_TEST(questions_are_in_flight_together),
		DNS_TEST(settling_ends_when_its_time_is_over),
		DNS_TEST(a_question_is_sent_once_an_event),
		DNS_TEST(past_two_hundred_questions_every_new_one_fails),
		DNS_TEST(answers_are_listed_in_the_order_asked),
		DNS_TEST(a_callback_asks_on_from_the_answer),
		DNS_TEST(every_callback_of_a_question_is_called_once),
		DNS_TEST(callbacks_are_called_at_the_deadline),
		DNS_TEST(a_step_returns_when_the_descriptor_is_readable),
		DNS_TEST(a_step_returns_when_the_descriptor_has_ended),
		DNS_TEST(a_step_answers_questions_while_a_descriptor_is_silent),
		DNS_TEST(an_event_ends_with_questions_in_flight_and_the_next_is_clean),
		DNS_TEST(the_view_of_an_event_is_opened_once),
		SERVERS_TEST(a_closed_port_is_a_quick_temporary_failure),
		SERVERS_TEST(a_second_server_answers_when_the_first_is_dead),
		SERVERS_TEST(a_silent_server_is_not_asked_first_again),
		SERVERS_TEST(a_server_of_the_wrong_form_is_an_internal_failure),
		SERVERS_TEST(the_system_s_servers_are_used_when_none_are_named),
		DNS_TEST(addresses_are_reversed_under_any_suffix),
	};
	int failed;

	dnsd_start(&dnsd, zone);
	rt_config_require();
	configured_servers = rt_config()->dns_servers;
	failed = cmocka_run_group_tests_name("dns", tests, NULL, NULL);
	eds_resolver_close();
	dnsd_stop(&dnsd);
	return failed;
}
