/* Name servers that are asked directly, without a resolver. Each has an address of its own on
 * loopback, and all have the same port, as on the internet. */
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "tests/unit/dns_fixture.h"

enum {
	SERVING,  /* 127.0.0.1: answers every name with one TXT record */
	REFUSING, /* 127.0.0.2: refuses every question */
	SILENT,   /* 127.0.0.3: sends no answer */
	RESOLVER, /* 127.0.0.4: answers like a resolver, without authority */
	SERVERS,
	AWAY = SERVERS, /* 127.0.0.5: nobody listens */
	FLAG_RD = 0x01,
	MANY = 150,
};

static pid_t child;

static int port;

static struct eds_dns_server server_of(int number)
{
	return (struct eds_dns_server){
		.ip = {.family = AF_INET, .bytes = {127, 0, 0, (uint8_t)(number + 1)}},
		.port = port};
}

/* Turns the message, a question, into a reply: the question and one record, without OPT. The zero
 * octet at the end of the name shows where the question ends. */
static size_t make_reply(int server, uint8_t *message)
{
	static const uint8_t record[] = {
		0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 60, 0, 4, 3, 'y', 'e', 's'};
	static const uint8_t refused[] = {0x80, 0x05};
	static const uint8_t authority[] = {0x84, 0x00};
	static const uint8_t resolved[] = {0x80, 0x80};
	size_t end = 12;

	while (message[end] != 0)
		end += message[end] + 1U;
	end += 5;
	if ((message[2] & FLAG_RD) != 0 || server == REFUSING)
		memcpy(message + 2, refused, 2);
	else
		memcpy(message + 2, server == SERVING ? authority : resolved, 2);
	memset(message + 6, 0, 6);
	if (message[3] == refused[1])
		return end;
	message[7] = 1;
	memcpy(message + end, record, sizeof record);
	return end + sizeof record;
}

static void serve(const int *sockets)
{
	struct pollfd polled[SERVERS];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int i = 0; i < SERVERS; i++)
		polled[i] = (struct pollfd){.fd = i == SILENT ? -1 : sockets[i], .events = POLLIN};
	while (poll(polled, SERVERS, -1) > 0)
		for (int i = 0; i < SERVERS; i++) {
			struct sockaddr_in from;
			socklen_t length = sizeof from;
			uint8_t message[1500] = {0};

			if ((polled[i].revents & POLLIN) == 0 ||
				recvfrom(polled[i].fd, message, 512, 0,
					(struct sockaddr *)(void *)&from, &length) < 0)
				continue;
			sendto(polled[i].fd, message, make_reply(i, message), 0,
				(struct sockaddr *)(void *)&from, length);
		}
	_exit(0);
}

static int start_servers(void **state)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t length = sizeof address;
	int sockets[SERVERS];

	(void)state;
	for (int i = 0; i < SERVERS; i++) {
		struct eds_dns_server server = server_of(i);

		memcpy(&address.sin_addr, server.ip.bytes, 4);
		sockets[i] = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		if (bind(sockets[i], (struct sockaddr *)(void *)&address, sizeof address) != 0)
			return -1;
		getsockname(sockets[i], (struct sockaddr *)(void *)&address, &length);
	}
	child = fork();
	if (child == 0)
		serve(sockets);
	dnsd_start(&dnsd, zone);
	port = ntohs(address.sin_port);
	for (int i = 0; i < SERVERS; i++)
		if (i != SILENT)
			close(sockets[i]);
	return 0;
}

static int stop_servers(void **state)
{
	(void)state;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	dnsd_stop(&dnsd);
	return 0;
}

static const struct eds_dns_answer *from(int number, const char *name)
{
	struct eds_dns_server server = server_of(number);

	return eds_dns_get_from(dns, &server, name, EDS_DNS_TXT);
}

static void a_server_is_asked_without_recursion_and_answers_with_authority(void **state)
{
	const struct eds_dns_answer *answer = from(SERVING, "example.com");

	(void)state;
	assert_int_equal(answer->state, EDS_DNS_FOUND);
	assert_true(answer->authoritative);
	assert_string_equal(answer->records[0].txt, "yes");
}

static void a_name_server_is_asked_once_and_separately_from_the_resolver(void **state)
{
	const struct eds_dns_answer *answer = from(SERVING, "example.com");

	(void)state;
	assert_ptr_equal(from(SERVING, "Example.com."), answer);
	assert_string_equal(
		eds_dns_get(dns, "example.com", EDS_DNS_TXT)->records[0].txt, "v=spf1 -all");
	assert_int_equal(eds_dns_query_count(dns), 2);
}

static void an_answer_of_a_name_server_is_not_taken_for_the_resolvers(void **state)
{
	const struct eds_dns_answer *answers[4];

	(void)state;
	from(SERVING, "example.com");
	assert_int_equal(eds_dns_answers(dns, answers, 4), 0);
	assert_null(eds_dns_peek(dns, "example.com", EDS_DNS_TXT));
}

static void a_server_that_refuses_is_asked_once(void **state)
{
	int64_t began_ms = rt_monotonic_ms();
	const struct eds_dns_answer *answer = from(REFUSING, "example.com");

	(void)state;
	assert_int_equal(answer->state, EDS_DNS_TEMPORARY);
	assert_int_equal(answer->failure, EDS_DNS_REFUSED);
	assert_true(rt_monotonic_ms() - began_ms < 1000);
}

static void an_answer_without_authority_is_marked_so(void **state)
{
	const struct eds_dns_answer *answer = from(RESOLVER, "example.com");

	(void)state;
	assert_int_equal(answer->state, EDS_DNS_FOUND);
	assert_false(answer->authoritative);
}

static void a_silent_server_is_given_up_after_two_tries_and_delays_no_other(void **state)
{
	struct eds_dns_server silent = server_of(SILENT);
	int64_t began_ms = rt_monotonic_ms();
	const struct eds_dns_answer *answer;
	int64_t took_ms;

	(void)state;
	eds_dns_never_wait(dns);
	eds_dns_get_from(dns, &silent, "example.com", EDS_DNS_TXT);
	from(SERVING, "example.com");
	while (eds_dns_in_flight(dns) > 1)
		eds_dns_step(dns, -1, 100);
	assert_true(rt_monotonic_ms() - began_ms < 1000);
	eds_dns_settle(dns, 5000);
	answer = from(SILENT, "example.com");
	took_ms = rt_monotonic_ms() - began_ms;
	assert_int_equal(answer->failure, EDS_DNS_TIMED_OUT);
	assert_true(took_ms > 2500 && took_ms < 4400);
}

static void at_the_deadline_of_the_event_a_server_is_not_called_silent(void **state)
{
	(void)state;
	context.deadline_ms = rt_monotonic_ms() + 200;
	assert_int_equal(from(SILENT, "example.com")->state, EDS_DNS_TEMPORARY);
	assert_int_equal(from(SILENT, "example.com")->failure, EDS_DNS_OTHER_FAILURE);
}

static void a_server_that_does_not_listen_is_unreachable_at_once(void **state)
{
	int64_t began_ms = rt_monotonic_ms();

	(void)state;
	assert_int_equal(from(AWAY, "example.com")->failure, EDS_DNS_UNREACHABLE);
	assert_true(rt_monotonic_ms() - began_ms < 1000);
}

static void more_questions_than_sockets_are_all_answered(void **state)
{
	size_t found = 0;
	char name[64];

	(void)state;
	eds_dns_never_wait(dns);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < MANY; i++) {
			snprintf(name, sizeof name, "n%d.example.com", i);
			found += from(SERVING, name)->state == EDS_DNS_FOUND;
		}
		eds_dns_settle(dns, 4000);
	}
	assert_int_equal(found, MANY);
}

static void questions_that_wait_end_with_their_event(void **state)
{
	char name[64];

	(void)state;
	eds_dns_never_wait(dns);
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof name, "n%d.example.com", i);
		from(SILENT, name);
	}
	end_event();
	begin_event(10000);
	assert_int_equal(from(SERVING, "example.com")->state, EDS_DNS_FOUND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DNS_TEST(a_server_is_asked_without_recursion_and_answers_with_authority),
		DNS_TEST(a_name_server_is_asked_once_and_separately_from_the_resolver),
		DNS_TEST(an_answer_of_a_name_server_is_not_taken_for_the_resolvers),
		DNS_TEST(a_server_that_refuses_is_asked_once),
		DNS_TEST(an_answer_without_authority_is_marked_so),
		DNS_TEST(a_silent_server_is_given_up_after_two_tries_and_delays_no_other),
		DNS_TEST(at_the_deadline_of_the_event_a_server_is_not_called_silent),
		DNS_TEST(a_server_that_does_not_listen_is_unreachable_at_once),
		DNS_TEST(more_questions_than_sockets_are_all_answered),
		DNS_TEST(questions_that_wait_end_with_their_event),
	};

	return cmocka_run_group_tests(tests, start_servers, stop_servers);
}
