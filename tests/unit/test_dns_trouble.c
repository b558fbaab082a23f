/* DNS servers that fail, lie, are silent or do not exist. */
#include <ares.h>
#include <dirent.h>
#include <dlfcn.h>
#include <sys/wait.h>

#include "functions/lib/dns/resolver.h"
#include "runtime/time.h"
#include "tests/support/dnsd-process.h"
#include "tests/unit/dns_fixture.h"

static bool no_memory; /* if set, c-ares gets no memory */
static void *(*memory_of_library)(size_t bytes);

static void *some_or_no_memory(size_t bytes)
{
	return memory_of_library(no_memory ? PTRDIFF_MAX : bytes);
}

/* Replaces c-ares' function, so that c-ares can run out of memory. */
int ares_library_init_mem(int flags, void *(*allocate)(size_t bytes), void (*release)(void *memory),
	void *(*resize)(void *memory, size_t bytes))
{
	int (*real)(int, void *(*)(size_t), void (*)(void *), void *(*)(void *, size_t));

	*(void **)&real = dlsym(RTLD_NEXT, "ares_library_init_mem");
	memory_of_library = allocate;
	return real(flags, some_or_no_memory, release, resize);
}

/* Makes an allocation that is too large return NULL; by default the address sanitizer ends the
 * process. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

/* The exit status of a child process that asks a question when c-ares gets no memory. */
static int end_without_memory(void)
{
	int wait_status;
	pid_t child = fork();

	if (child == 0) {
		no_memory = true;
		close(STDERR_FILENO);
		eds_dns_get(dns, "example.com", EDS_DNS_A);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &wait_status, 0), child);
	return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1;
}

/* If the process did not end, its lack of memory would be shown and stored as a failure of the
 * domain's name servers. */
static void lack_of_memory_ends_the_process_and_is_not_a_failure_of_dns(void **state)
{
	(void)state;
	assert_int_equal(end_without_memory(), 71);
}

static void each_failing_response_code_is_a_temporary_failure_with_its_name(void **state)
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

static void a_format_error_does_not_prevent_large_answers_in_later_events(void **state)
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
	/* EDNS lets the large answer come over UDP, so there is no second question over TCP */
	assert_int_equal(dnsd_queries(&dnsd, "large.test TXT"), 1);
	dnsd_publish(&dnsd, zone);
}

static void a_question_that_failed_once_is_asked_again(void **state)
{
	(void)state;
	expect("once.example.com", EDS_DNS_A, EDS_DNS_FOUND);
}

static void a_garbled_answer_is_a_temporary_failure(void **state)
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
	assert_int_equal(expect("many.example.com", EDS_DNS_A, EDS_DNS_FOUND)->count, 512);
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
	const struct eds_dns_answer *answer;
	int64_t took_ms;

	(void)state;
	context.deadline_ms = began_ms + 300;
	answer = expect("drop.example.com", EDS_DNS_A, EDS_DNS_TEMPORARY);
	assert_string_equal(answer->reason, "no answer");
	assert_int_equal(answer->failure, EDS_DNS_TIMED_OUT);
	took_ms = rt_monotonic_ms() - began_ms;
	assert_true(took_ms >= 250 && took_ms < 2000);
	/* the event has no time left, so nothing is asked */
	expect("example.com", EDS_DNS_A, EDS_DNS_TEMPORARY);
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
	assert_true(took_ms > 4000 && took_ms < 7000);
	expect("example.com", EDS_DNS_A, EDS_DNS_FOUND);
}

static void a_slow_answer_is_awaited_however_fast_the_others_were(void **state)
{
	int64_t began_ms;
	char name[64];

	(void)state;
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof name, "n%d.wild.example.com", i);
		expect(name, EDS_DNS_A, EDS_DNS_FOUND);
	}
	began_ms = rt_monotonic_ms();
	expect("late.example.com", EDS_DNS_A, EDS_DNS_FOUND);
	/* only the late answer to the first try comes this soon */
	assert_true(rt_monotonic_ms() - began_ms < 1400);
}

static int open_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int count = 0;

	assert_non_null(folder);
	while (readdir(folder) != NULL)
		count++;
	closedir(folder);
	return count;
}

/* A socket that stayed open would keep its port, and an attacker could find that port out (RFC 5452
 * section 9.2). */
static void no_socket_stays_open_without_questions(void **state)
{
	int before = open_descriptors();

	(void)state;
	eds_dns_start(dns, "slow.example.com", EDS_DNS_A);
	assert_int_equal(open_descriptors(), before + 1);
	expect("slow.example.com", EDS_DNS_A, EDS_DNS_FOUND);
	assert_int_equal(open_descriptors(), before);
	expect("truncated.example.com", EDS_DNS_A, EDS_DNS_FOUND);
	assert_int_equal(open_descriptors(), before);
	eds_dns_start(dns, "drop.example.com", EDS_DNS_A);
	eds_resolver_cancel();
	assert_int_equal(open_descriptors(), before);
}

static void many_truncated_answers_are_fetched_over_tcp_together(void **state)
{
	char *lines = rt_alloc(&context, 64 * 1024);
	char *at = lines;
	char name[64];

	(void)state;
	for (int i = 0; i < 150; i++)
		at += sprintf(at, "t%d.example.com A !truncate 300 192.0.2.5\n", i);
	dnsd_publish(&dnsd, lines);
	for (int i = 0; i < 150; i++) {
		snprintf(name, sizeof name, "t%d.example.com", i);
		eds_dns_start(dns, name, EDS_DNS_A);
	}
	for (int i = 0; i < 150; i++) {
		snprintf(name, sizeof name, "t%d.example.com", i);
		expect(name, EDS_DNS_A, EDS_DNS_FOUND);
	}
	dnsd_publish(&dnsd, zone);
}

static void use_servers(const char *servers)
{
	set_servers(servers);
	begin_event(10000);
}

static void a_closed_port_is_a_quick_temporary_failure(void **state)
{
	int64_t began_ms = rt_monotonic_ms();

	(void)state;
	use_servers("127.0.0.1:9");
	for (int i = 0; i < 20; i++) {
		char name[64];

		snprintf(name, sizeof name, "n%d.example.com", i);
		eds_dns_start(dns, name, EDS_DNS_A);
	}
	assert_string_equal(
		expect("example.com", EDS_DNS_A, EDS_DNS_TEMPORARY)->reason, "connection refused");
	expect("n7.example.com", EDS_DNS_A, EDS_DNS_TEMPORARY);
	assert_true(rt_monotonic_ms() - began_ms < 1000);
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
	assert_true(rt_monotonic_ms() - began_ms < EDS_RESOLVER_TRY_MS);
	close(silent);
}

static void refuse_servers(const char *servers)
{
	struct eds_dns *none;

	set_servers(servers);
	memset(&context, 0, sizeof context);
	context.arena = rt_arena_new();
	assert_int_equal(eds_dns_open(&context, &none), RT_INTERNAL);
	assert_string_equal(context.failure.code, "dns-unavailable");
}

static void a_malformed_server_address_is_an_internal_failure(void **state)
{
	(void)state;
	refuse_servers("no address");
}

static void a_server_address_of_64_octets_or_more_is_an_internal_failure(void **state)
{
	char servers[401] = "127.0.0.1, ";

	(void)state;
	memset(servers + 11, '1', 64);
	refuse_servers(servers);
	assert_non_null(strstr(context.failure.detail, "a server's address is too long"));
	end_event();
	memset(servers + 11, '1', sizeof servers - 12);
	refuse_servers(servers);
	assert_non_null(strstr(context.failure.detail, "a server's address is too long"));
	set_servers("");
}

static void the_system_s_servers_are_used_when_none_are_named(void **state)
{
	(void)state;
	use_servers("");
	assert_non_null(dns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DNS_TEST(lack_of_memory_ends_the_process_and_is_not_a_failure_of_dns),
		DNS_TEST(each_failing_response_code_is_a_temporary_failure_with_its_name),
		DNS_TEST(a_format_error_does_not_prevent_large_answers_in_later_events),
		DNS_TEST(a_question_that_failed_once_is_asked_again),
		DNS_TEST(a_garbled_answer_is_a_temporary_failure),
		DNS_TEST(a_truncated_answer_is_fetched_over_tcp),
		DNS_TEST(an_answer_of_many_records_arrives_whole_up_to_the_limit),
		DNS_TEST(answers_with_a_wrong_id_are_not_believed),
		DNS_TEST(a_question_is_given_up_at_the_deadline_of_the_event),
		DNS_TEST(a_silent_server_costs_one_question_four_and_a_half_seconds),
		DNS_TEST(a_slow_answer_is_awaited_however_fast_the_others_were),
		DNS_TEST(no_socket_stays_open_without_questions),
		DNS_TEST(many_truncated_answers_are_fetched_over_tcp_together),
		SERVERS_TEST(a_closed_port_is_a_quick_temporary_failure),
		SERVERS_TEST(a_second_server_answers_when_the_first_is_dead),
		SERVERS_TEST(a_silent_server_is_not_asked_first_again),
		SERVERS_TEST(a_malformed_server_address_is_an_internal_failure),
		SERVERS_TEST(a_server_address_of_64_octets_or_more_is_an_internal_failure),
		SERVERS_TEST(the_system_s_servers_are_used_when_none_are_named),
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
