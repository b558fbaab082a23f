/* Silent mail servers: which other servers and accounts they affect.
 * tests/e2e/mta-sts-check.test.mjs tests servers that answer. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/time.h"
#include "tests/support/test-event.h"

#include "functions/lib/fetch/fetch.h"
#include "functions/lib/mta-sts/probe-port.h"
#include "functions/lib/mta-sts/probe.h"
#include "runtime/config/config.h"
#include "tests/support/dnsd-process.h"

enum {
	/* if this many servers are silent and none has answered, port 25 counts as closed */
	SILENT = 16,
	NETWORKS = 20,
	ACCOUNTS = 4,
	/* connections that fill the queue of the server, which accepts none; the kernel then
	 * answers no new ones */
	FILL = 4,
	DNS_BYTES = 8192,
};

static struct dnsd dnsd;
static uint16_t port;

static struct sockaddr_in address_of(int network, int host)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};

	address.sin_addr.s_addr = htonl(
		UINT32_C(127) << 24 | (uint32_t)network << 8 | (uint32_t)host);
	return address;
}

/* A server that accepts no connection, because its queue is full. */
static void keep_silent(int network, int host)
{
	struct sockaddr_in address = address_of(network, host);
	socklen_t length = sizeof address;
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
	assert_int_equal(listen(listener, 0), 0);
	getsockname(listener, (struct sockaddr *)&address, &length);
	port = ntohs(address.sin_port);
	for (int i = 0; i < FILL; i++) {
		int client = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

		(void)!connect(client, (struct sockaddr *)&address, sizeof address);
	}
}

/* Publishes addresses: each name "mxN.test" is in a network of its own, all names "nearN.test" are
 * in one network. */
static void start_servers(void)
{
	char text[DNS_BYTES] = "test SOA 900 ns.test h.test 1 3600 600 86400 60\n"
			       "open.test A 300 127.0.200.1\n";
	size_t length = strlen(text);

	for (int i = 1; i <= NETWORKS; i++) {
		keep_silent(i, 1);
		keep_silent(100, i);
		length += (size_t)snprintf(text + length, sizeof text - length,
			"mx%d.test A 300 127.0.%d.1\nnear%d.test A 300 127.0.100.%d\n", i, i, i, i);
	}
	dnsd_start(&dnsd, text);
}

/* One process that asks 16 servers at once, because each takes the same time-outs, and the
 * outcomes. */
struct world {
	const char *servers; /* the beginning of the names: "mx" or "near" */
	int accounts;        /* number of accounts, which own the servers in turn */
	struct eds_fetcher *fetcher;
	struct eds_probes *probes;
	struct eds_mta_sts_mx asked[SILENT];
	int answered;
};

static struct world one_account = {.servers = "mx", .accounts = 1};
static struct world one_network = {.servers = "near", .accounts = ACCOUNTS};
static struct world several = {.servers = "mx", .accounts = ACCOUNTS};

static void count_answer(void *arg)
{
	(*(int *)arg)++;
}

static void begin(struct world *world)
{
	assert_int_equal(eds_fetcher_new(&test_event, &world->fetcher), RT_OK);
	world->probes = eds_probes_new(&test_event, world->fetcher, NULL);
	for (int i = 0; i < SILENT; i++) {
		world->asked[i].host = rt_printf(&test_event, "%s%d.test", world->servers, i + 1);
		eds_probes_ask(world->probes,
			rt_printf(&test_event, "account%d", i % world->accounts), &world->asked[i],
			count_answer, &world->answered);
	}
}

static bool ask(struct world *const *worlds, int count)
{
	int64_t end_ms = rt_monotonic_ms() + 60000;
	int answered = 0;

	test_event.deadline_ms = end_ms;
	for (int i = 0; i < count; i++)
		begin(worlds[i]);
	while (answered < count * SILENT && rt_monotonic_ms() < end_ms) {
		answered = 0;
		for (int i = 0; i < count; i++) {
			(void)eds_probes_turn(worlds[i]->probes, 20);
			eds_fetch_turn(worlds[i]->fetcher, 20);
			answered += worlds[i]->answered;
		}
	}
	return answered == count * SILENT;
}

enum found {
	FOUND_NOTHING,
	FOUND_OPEN,
	FOUND_CLOSED,
};

/* Finds out in a child process whether a process that has asked only servers of one network counts
 * port 25 as closed. A process remembers the outcomes, so this one cannot find it out. */
static pid_t start_other_process(void **state)
{
	struct world *world = &one_network;
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	if (test_event_begin(state) != 0 || !ask(&world, 1))
		_exit(FOUND_NOTHING);
	_exit(eds_probes_port_is_closed(&test_event, ACCOUNTS) ? FOUND_CLOSED : FOUND_OPEN);
}

static int found_by_the_other;

static int ask_all(void **state)
{
	struct world *worlds[] = {&one_account, &one_network, &several};
	pid_t other = start_other_process(state);
	int status;

	if (other < 0 || test_event_begin(state) != 0 || !ask(worlds, 3))
		return -1;
	if (waitpid(other, &status, 0) != other || !WIFEXITED(status))
		return -1;
	found_by_the_other = WEXITSTATUS(status);
	return 0;
}

/* Whether another server of the account is given up without a probe. */
static bool is_given_up(struct world *world, const char *account, const char *host)
{
	struct eds_mta_sts_mx *mx = rt_alloc(&test_event, sizeof *mx);
	int before = world->answered;

	assert_string_equal(world->asked[0].reason,
		"The server does not accept connections on port 25 from here.");
	mx->host = host;
	eds_probes_ask(world->probes, account, mx, count_answer, &world->answered);
	(void)eds_probes_turn(world->probes, 20);
	if (world->answered == before)
		return false;
	assert_string_equal(mx->reason, "No mail server can be reached on port 25 from here.");
	return true;
}

static void silence_of_one_accounts_servers_counts_for_that_account_alone(void **state)
{
	(void)state;
	assert_true(is_given_up(&one_account, "account0", "mx17.test"));
	assert_false(is_given_up(&one_account, "other", "mx18.test"));
}

static void a_server_given_up_for_one_account_is_still_asked_for_another(void **state)
{
	(void)state;
	assert_true(is_given_up(&one_account, "account0", "mx19.test"));
	assert_true(is_given_up(&one_account, "account0", "mx19.test"));
	assert_false(is_given_up(&one_account, "other", "mx19.test"));
}

static void wait_for(struct world *world, int answers)
{
	test_event.deadline_ms = rt_monotonic_ms() + 20000;
	while (world->answered < answers && rt_monotonic_ms() < test_event.deadline_ms)
		eds_fetch_turn(world->fetcher, eds_probes_turn(world->probes, 20));
}

/* Nobody listens at "open.test", and "busy" has made as many connections there as it may. */
static void a_server_not_asked_for_one_account_is_asked_for_the_next_that_waits(void **state)
{
	struct eds_fetch fetch = {.host = "open.test", .address_count = 1};
	struct world world = {.answered = 0};
	struct eds_mta_sts_mx mx[2] = {{.host = "open.test"}, {.host = "open.test"}};

	(void)state;
	assert_true(rt_ip_parse("127.0.200.1", &fetch.addresses[0]));
	for (int i = 0; i < 1024; i++)
		assert_int_equal(
			eds_address_begin(eds_addresses_new(&test_event, EDS_ADDRESS_SERVERS, NULL),
				&fetch, "busy"),
			EDS_ADDRESS_NOW);
	assert_int_equal(eds_fetcher_new(&test_event, &world.fetcher), RT_OK);
	world.probes = eds_probes_new(&test_event, world.fetcher, NULL);
	eds_probes_ask(world.probes, "busy", &mx[0], count_answer, &world.answered);
	eds_probes_ask(world.probes, "other", &mx[1], count_answer, &world.answered);
	wait_for(&world, 2);
	assert_string_equal(mx[0].reason,
		"The account has used up the hour's connections to the server's address.");
	assert_string_equal(mx[1].reason, "The server refuses connections on port 25.");
}

static void domains_with_the_same_server_get_the_outcome_of_one_probe(void **state)
{
	struct eds_mta_sts_mx mx = {.host = "open.test"};
	struct eds_mta_sts_mx later = {.host = "open.test", .starttls = EDS_STARTTLS_YES};
	struct world world = {.answered = 0};

	(void)state;
	assert_int_equal(eds_fetcher_new(&test_event, &world.fetcher), RT_OK);
	world.probes = eds_probes_new(&test_event, world.fetcher, NULL);
	eds_probes_ask(world.probes, "one", &mx, count_answer, &world.answered);
	wait_for(&world, 1);
	eds_probes_ask(world.probes, "two", &later, count_answer, &world.answered);
	assert_int_equal(world.answered, 2);
	assert_int_equal(later.starttls, EDS_STARTTLS_UNKNOWN);
	assert_string_equal(later.reason, "The server refuses connections on port 25.");
	assert_int_equal(later.checked_at_ms, mx.checked_at_ms);
}

static void silent_servers_of_one_network_do_not_count_for_other_accounts(void **state)
{
	(void)state;
	assert_false(is_given_up(&one_network, "other", "near17.test"));
}

static void silent_servers_of_several_accounts_and_networks_count_for_everybody(void **state)
{
	(void)state;
	assert_true(is_given_up(&several, "other", "mx17.test"));
}

static void the_port_is_closed_when_servers_of_several_networks_keep_silent(void **state)
{
	(void)state;
	assert_int_equal(found_by_the_other, FOUND_OPEN);
	assert_true(eds_probes_port_is_closed(&test_event, ACCOUNTS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_port_is_closed_when_servers_of_several_networks_keep_silent),
		cmocka_unit_test(silence_of_one_accounts_servers_counts_for_that_account_alone),
		cmocka_unit_test(a_server_given_up_for_one_account_is_still_asked_for_another),
		cmocka_unit_test(
			a_server_not_asked_for_one_account_is_asked_for_the_next_that_waits),
		cmocka_unit_test(domains_with_the_same_server_get_the_outcome_of_one_probe),
		cmocka_unit_test(silent_servers_of_one_network_do_not_count_for_other_accounts),
		cmocka_unit_test(
			silent_servers_of_several_accounts_and_networks_count_for_everybody),
	};
	char text[16];
	int failed;

	start_servers();
	snprintf(text, sizeof text, "%u", port);
	setenv("EDS_STARTTLS_PORT", text, 1);
	setenv("EDS_ALLOW_PRIVATE_ADDRESSES", "1", 1);
	rt_config_require();
	failed = cmocka_run_group_tests(tests, ask_all, test_event_end);
	dnsd_stop(&dnsd);
	return failed;
}
