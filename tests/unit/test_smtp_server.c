/* The number of connections that a client may have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h requires the four headers above. */
#include <arpa/inet.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "local/smtp/smtp-server.h"
#include "runtime/ctx.h"
#include "runtime/time.h"

enum {
	CLIENTS_MAX = 64,
	WAIT_MS = 20000,
};

static struct event_base *base;
static struct smtp_server *server;
static int clients[CLIENTS_MAX];
static size_t client_count;

static void on_closed(void *arg, struct smtp_connection *connection)
{
	(void)arg;
	(void)connection;
}

static int set_up(void **state)
{
	static struct rt_cidr_list trusted = {.count = 1};
	struct smtp_server_settings settings = {
		.address = "127.0.0.1:0",
		.host_name = "mx.example",
		.trusted = &trusted,
		.clocks = {.command_ms = WAIT_MS, .session_ms = WAIT_MS, .data_ms = WAIT_MS},
		.on_closed = on_closed,
	};
	char error[SMTP_SERVER_ERROR_MAX];

	(void)state;
	assert_true(rt_cidr_parse("127.0.9.0/24", &trusted.items[0]));
	settings.base = base = event_base_new();
	server = smtp_server_new(&settings, error);
	client_count = 0;
	return server == NULL;
}

static int tear_down(void **state)
{
	(void)state;
	for (size_t i = 0; i < client_count; i++)
		close(clients[i]);
	smtp_server_close(server);
	smtp_server_free(server);
	event_base_free(base);
	return 0;
}

/* The first line that a client at an address gets. */
static const char *dial(const char *address)
{
	static char heard[256];
	struct sockaddr_in from = {.sin_family = AF_INET};
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int64_t until_ms = rt_monotonic_ms() + WAIT_MS;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ssize_t got = -1;

	clients[client_count++] = fd;
	inet_pton(AF_INET, address, &from.sin_addr);
	to.sin_port = htons((uint16_t)smtp_server_port(server));
	assert_int_equal(bind(fd, (struct sockaddr *)&from, sizeof from), 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
	while (got < 0 && rt_monotonic_ms() < until_ms) {
		event_base_loop(base, EVLOOP_NONBLOCK);
		got = recv(fd, heard, sizeof heard - 1, MSG_DONTWAIT);
	}
	heard[got < 0 ? 0 : got] = '\0';
	return heard;
}

static void an_address_may_have_fifty_connections_and_others_still_connect(void **state)
{
	(void)state;
	for (int i = 0; i < 50; i++)
		assert_memory_equal(dial("127.0.2.1"), "220 mx.example ", 15);
	assert_string_equal(
		dial("127.0.2.1"), "421 4.3.2 too many connections, try again later\r\n");
	assert_memory_equal(dial("127.0.2.2"), "220 ", 4);
	assert_int_equal(smtp_server_connections(server), 51);
}

static void a_trusted_proxy_may_have_more_connections(void **state)
{
	(void)state;
	for (int i = 0; i < 51; i++)
		assert_memory_equal(dial("127.0.9.1"), "220 ", 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			an_address_may_have_fifty_connections_and_others_still_connect, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			a_trusted_proxy_may_have_more_connections, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("smtp server", tests, NULL, NULL);
}
