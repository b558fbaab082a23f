/* The choice of a host's addresses. tests/e2e/mta-sts-check.test.mjs tests the behavior of servers.
 */
#include "runtime/time.h"
#include "tests/support/test-event.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "functions/lib/fetch/fetch.h"
#include "runtime/config/config.h"

enum {
	RECORDS_MAX = 16,
	WAIT_MS = 20000,
};

static struct eds_fetch fetch;

/* Gives eds_fetch_vet() one DNS answer with these addresses, separated by spaces. */
static void vet(const char *addresses)
{
	struct eds_dns_record records[RECORDS_MAX];
	struct eds_dns_answer answer = {.state = EDS_DNS_FOUND, .records = records};
	char *list = rt_strdup(&test_event, addresses);
	char *address;

	while ((address = strsep(&list, " ")) != NULL) {
		records[answer.count] = (struct eds_dns_record){0};
		assert_true(rt_ip_parse(address, &records[answer.count++].ip));
	}
	eds_fetch_vet(&fetch, &answer);
}

static const char *chosen(void)
{
	const char *list = "";

	for (size_t i = 0; i < fetch.address_count; i++) {
		char text[RT_IP_TEXT_MAX];

		rt_ip_format(&fetch.addresses[i], text);
		list = rt_printf(&test_event, "%s%s%s", list, i > 0 ? " " : "", text);
	}
	return list;
}

static int begin(void **state)
{
	memset(&fetch, 0, sizeof fetch);
	return test_event_begin(state);
}

static void special_addresses_are_left_out_and_remembered(void **state)
{
	(void)state;
	vet("10.0.0.1 8.8.8.8 127.0.0.1 169.254.169.254 8.8.4.4");
	assert_string_equal(chosen(), "8.8.8.8 8.8.4.4");
	assert_true(fetch.forbidden);
}

static void a_host_with_special_addresses_alone_has_no_address(void **state)
{
	(void)state;
	vet("::1 fe80::1 ::ffff:10.0.0.1 64:ff9b::7f00:1 2002:7f00:1:: fd00::1");
	assert_string_equal(chosen(), "");
	assert_true(fetch.forbidden);
}

static void ipv4_comes_first_whichever_answer_comes_first(void **state)
{
	(void)state;
	vet("2606:4700::1 2606:4700::2");
	vet("8.8.8.8 8.8.4.4");
	assert_string_equal(chosen(), "8.8.8.8 8.8.4.4 2606:4700::1 2606:4700::2");
	assert_false(fetch.forbidden);
}

static void four_addresses_are_tried_and_ipv6_does_not_crowd_out_ipv4(void **state)
{
	(void)state;
	vet("2606:4700::1 2606:4700::2 2606:4700::3 2606:4700::4 2606:4700::5");
	assert_int_equal(fetch.address_count, 4);
	vet("8.8.8.8 8.8.4.4");
	assert_string_equal(chosen(), "8.8.8.8 8.8.4.4 2606:4700::1 2606:4700::2");
	vet("1.1.1.1 1.0.0.1 9.9.9.9");
	assert_string_equal(chosen(), "8.8.8.8 8.8.4.4 1.1.1.1 1.0.0.1");
}

static bool told;
static bool reached;
static enum eds_fetch_outcome outcome;

static void take(void *arg, const struct eds_fetched *fetched)
{
	(void)arg;
	told = true;
	reached = fetched->reached;
	outcome = fetched->outcome;
}

static struct eds_fetcher *start_fetch(int port)
{
	struct eds_fetcher *fetcher;

	told = false;
	fetch.kind = EDS_FETCH_HTTPS;
	fetch.host = "mta-sts.example.com";
	fetch.path = "/";
	fetch.port = port;
	fetch.done = take;
	assert_int_equal(eds_fetcher_new(&test_event, &fetcher), RT_OK);
	eds_fetch_start(fetcher, &fetch);
	return fetcher;
}

/* A socket that listens on loopback. */
static int listen_somewhere(int *port)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t length = sizeof address;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
	assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &length), 0);
	*port = ntohs(address.sin_port);
	return fd;
}

/* The test stores a special address as if it had passed eds_fetch_vet(), so that only the check
 * before the socket is opened can refuse it. */
static void the_socket_to_a_special_address_is_never_opened(void **state)
{
	int64_t until_ms = rt_monotonic_ms() + WAIT_MS;
	struct eds_fetcher *fetcher;
	int port;
	int listener = listen_somewhere(&port);

	(void)state;
	fetch.address_count = 1;
	assert_true(rt_ip_parse("127.0.0.1", &fetch.addresses[0]));
	fetcher = start_fetch(port);
	while (!told && rt_monotonic_ms() < until_ms)
		eds_fetch_turn(fetcher, 10);
	assert_true(told);
	assert_int_equal(outcome, EDS_FETCH_UNREACHABLE);
	assert_int_equal(accept(listener, NULL, NULL), -1);
	close(listener);
}

static void a_fetch_that_has_not_begun_ends_with_its_event(void **state)
{
	(void)state;
	vet("8.8.8.8");
	start_fetch(443);
	assert_non_null(fetch.easy);
	test_event_end(state);
	assert_null(fetch.easy);
	assert_false(told);
	test_event_begin(state);
}

/* The outcome of a fetch of this kind from a server that accepts connections and then sends
 * nothing; the time limit is two seconds here. */
static enum eds_fetch_outcome outcome_of_silence(enum eds_fetch_kind kind)
{
	struct eds_fetcher *fetcher;
	int port;
	int listener = listen_somewhere(&port);

	fetch.address_count = 1;
	assert_true(rt_ip_parse("127.0.0.1", &fetch.addresses[0]));
	fetcher = start_fetch(port);
	fetch.kind = kind;
	fetch.until_ms = rt_monotonic_ms() + 2000;
	while (!told && rt_monotonic_ms() < fetch.until_ms + WAIT_MS)
		eds_fetch_turn(fetcher, 10);
	assert_true(told);
	close(listener);
	return outcome;
}

static void allow_private(bool allow)
{
	setenv("EDS_ALLOW_PRIVATE_ADDRESSES", allow ? "1" : "0", 1);
	rt_config_require();
}

static void a_fetch_under_way_ends_with_its_event(void **state)
{
	const struct timeval patience = {.tv_sec = WAIT_MS / 1000};
	int64_t until = rt_monotonic_ms() + WAIT_MS;
	struct eds_fetcher *fetcher;
	char bytes[4096];
	ssize_t got;
	int port;
	int listener = listen_somewhere(&port);
	int fd;

	allow_private(true);
	fetch.address_count = 1;
	assert_true(rt_ip_parse("127.0.0.1", &fetch.addresses[0]));
	fetcher = start_fetch(port);
	while ((fd = accept(listener, NULL, NULL)) < 0 && rt_monotonic_ms() < until)
		eds_fetch_turn(fetcher, 10);
	assert_true(fd >= 0);
	test_event_end(state);
	allow_private(false);
	assert_null(fetch.easy);
	assert_false(told);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	do
		got = read(fd, bytes, sizeof bytes);
	while (got > 0);
	assert_int_equal(got, 0);
	close(fd);
	close(listener);
	test_event_begin(state);
}

static void a_policy_host_that_never_speaks_tls_counts_as_not_connected(void **state)
{
	(void)state;
	allow_private(true);
	assert_int_equal(outcome_of_silence(EDS_FETCH_HTTPS), EDS_FETCH_CONNECT_TIME);
	assert_true(reached);
	allow_private(false);
}

/* A server that accepts the connection but never greets shows that port 25 is open. */
static void a_mail_server_that_never_greets_counts_as_connected(void **state)
{
	(void)state;
	allow_private(true);
	assert_int_equal(outcome_of_silence(EDS_FETCH_STARTTLS), EDS_FETCH_TOTAL_TIME);
	allow_private(false);
}

/* Connecting to one address may take only a part of the time for the whole fetch, so that the next
 * address is tried. */
static void one_address_does_not_use_up_the_time_of_the_others(void **state)
{
	int64_t began_ms = rt_monotonic_ms();
	struct eds_fetcher *fetcher;
	int port;
	int listener = listen_somewhere(&port);

	(void)state;
	allow_private(true);
	fetch.address_count = 1;
	assert_true(rt_ip_parse("127.0.0.1", &fetch.addresses[0]));
	fetcher = start_fetch(port);
	fetch.until_ms = began_ms + 3 * WAIT_MS;
	while (!told && rt_monotonic_ms() < began_ms + 2 * WAIT_MS)
		eds_fetch_turn(fetcher, 10);
	assert_true(told);
	assert_int_equal(outcome, EDS_FETCH_CONNECT_TIME);
	assert_true(rt_monotonic_ms() - began_ms >= 4500);
	close(listener);
	allow_private(false);
}

/* If such an address were fetched, users could reach servers of the internal network through the
 * service and see their answers. */
static void a_proxy_named_in_the_environment_is_not_used(void **state)
{
	static const char *const names[] = {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"};
	int proxy_port;
	int proxy = listen_somewhere(&proxy_port);

	(void)state;
	allow_private(true);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		setenv(names[i], rt_printf(&test_event, "http://127.0.0.1:%d", proxy_port), 1);
	assert_int_equal(outcome_of_silence(EDS_FETCH_HTTPS), EDS_FETCH_CONNECT_TIME);
	assert_int_equal(accept(proxy, NULL, NULL), -1);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		unsetenv(names[i]);
	close(proxy);
	allow_private(false);
}

#define FETCH_TEST(name) cmocka_unit_test_setup_teardown(name, begin, test_event_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FETCH_TEST(special_addresses_are_left_out_and_remembered),
		FETCH_TEST(a_host_with_special_addresses_alone_has_no_address),
		FETCH_TEST(ipv4_comes_first_whichever_answer_comes_first),
		FETCH_TEST(four_addresses_are_tried_and_ipv6_does_not_crowd_out_ipv4),
		FETCH_TEST(the_socket_to_a_special_address_is_never_opened),
		FETCH_TEST(a_fetch_under_way_ends_with_its_event),
		FETCH_TEST(a_policy_host_that_never_speaks_tls_counts_as_not_connected),
		FETCH_TEST(a_mail_server_that_never_greets_counts_as_connected),
		FETCH_TEST(one_address_does_not_use_up_the_time_of_the_others),
		FETCH_TEST(a_proxy_named_in_the_environment_is_not_used),
		FETCH_TEST(a_fetch_that_has_not_begun_ends_with_its_event),
	};

	unsetenv("EDS_ALLOW_PRIVATE_ADDRESSES");
	rt_config_require();
	return cmocka_run_group_tests_name("fetch", tests, NULL, NULL);
}
