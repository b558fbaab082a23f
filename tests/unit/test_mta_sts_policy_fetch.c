/* The policies of many names at one address. tests/e2e/mta-sts-hostile.test.mjs tests servers that
 * answer. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "runtime/time.h"
#include "tests/support/test-event.h"

#include "functions/lib/mta-sts/check.h"
#include "functions/lib/store/mta-sts/mta-sts.h"
#include "runtime/config/config.h"
#include "tests/support/dnsd-process.h"

enum {
	/* more names than a server that is down could be asked for one after another */
	NAMES = 40,
	/* connections that fill the queue of the server, which accepts none; the kernel then
	 * answers no new ones */
	FILL = 4,
	END_MS = 60 * 1000,
};

static struct dnsd dnsd;

/* A server that accepts no connection, because its queue is full; returns its port. */
static int start_silent(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t length = sizeof address;
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
	assert_int_equal(listen(listener, 0), 0);
	getsockname(listener, (struct sockaddr *)&address, &length);
	for (int i = 0; i < FILL; i++) {
		int client = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

		(void)!connect(client, (struct sockaddr *)&address, sizeof address);
	}
	return ntohs(address.sin_port);
}

static void count_done(void *arg, struct eds_check *check)
{
	int *done = arg;

	(void)check;
	(*done)++;
}

static void names_of_a_server_that_is_down_all_get_the_result_of_the_first_ones(void **state)
{
	static struct eds_mta_sts configs[NAMES];
	static struct eds_check checks[NAMES];
	struct eds_checks *all;
	int64_t end_ms = rt_monotonic_ms() + END_MS;
	int done = 0;

	(void)state;
	test_event.deadline_ms = end_ms;
	assert_int_equal(eds_checks_new(&test_event, NULL, &all), RT_OK);
	for (int i = 0; i < NAMES; i++) {
		configs[i] = (struct eds_mta_sts){.name = rt_printf(&test_event, "d%d.test", i),
			.account_id = "a",
			.enabled = true,
			.mode = EDS_POLICY_TESTING};
		checks[i] = (struct eds_check){.ctx = &test_event,
			.config = &configs[i],
			.done = count_done,
			.arg = &done};
		eds_checks_start(all, &checks[i]);
	}
	while (eds_checks_count(all) > 0 && rt_monotonic_ms() < end_ms)
		eds_checks_turn(all, 100);
	assert_int_equal(done, NAMES);
	for (int i = 0; i < NAMES; i++) {
		assert_int_equal(checks[i].seen.postponed_ms, 0);
		assert_true(eds_finding_has(&checks[i].seen.errors, "fetch-timeout"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(names_of_a_server_that_is_down_all_get_the_result_of_the_first_ones),
	};
	char text[16];
	int failed;

	snprintf(text, sizeof text, "%d", start_silent());
	setenv("EDS_POLICY_FETCH_PORT", text, 1);
	setenv("EDS_ALLOW_PRIVATE_ADDRESSES", "1", 1);
	dnsd_start(&dnsd,
		"test SOA 900 ns.test h.test 1 3600 600 86400 60\n*.test A 300 127.0.0.1\n"
		"*.test MX 300 0 .\n");
	rt_config_require();
	failed = cmocka_run_group_tests_name("mta-sts-policy-fetch", tests, NULL, NULL);
	dnsd_stop(&dnsd);
	return failed;
}
