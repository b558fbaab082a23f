/* The connections that the HTTP server keeps, and those that it closes. */
#include "runtime/host/http/http.h"
#include "tests/unit/http_server_fixture.h"

enum {
	PER_PEER = 256,
};

static int gone;

static void a_connection_ends_when_its_client_asks(void **state)
{
	int fd = dial();

	(void)state;
	say(fd, "GET /one HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" GET("/two"));
	hear(fd, 2);
	assert_heard("\r\nConnection: close\r\n");
	assert_string_equal(seen, "GET /one []\n");
	assert_false(is_open(fd));
	close(fd);
	fd = dial();
	say(fd, "GET /one HTTP/1.0\r\n\r\n");
	hear(fd, 2);
	assert_heard("/one");
	assert_false(is_open(fd));
	close(fd);
	fd = dial();
	say(fd, "GET /one HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
	hear(fd, 1);
	assert_heard("\r\nConnection: keep-alive\r\n");
	assert_true(is_open(fd));
	close(fd);
}

static void a_refused_request_closes_the_connection_and_nothing_after_it_is_read(void **state)
{
	int fd = dial();

	(void)state;
	say(fd, "GET /one HTTP/1.1\r\n\r\n" GET("/two"));
	hear(fd, 2);
	assert_memory_equal(heard, "HTTP/1.1 400 Bad Request\r\n", 26);
	assert_heard("\r\nConnection: close\r\n");
	assert_heard("\"code\":\"host-missing\"");
	assert_string_equal(seen, "");
	/* The connection stays open and discards further input, so that the client can read the
	 * error before it is closed. */
	assert_int_equal(http_server_connections(server), 1);
	say(fd, GET("/three"));
	shutdown(fd, SHUT_WR);
	turn(TURNS);
	assert_int_equal(http_server_connections(server), 0);
	assert_string_equal(seen, "");
	close(fd);
}

static void idle_connections_of_many_peers_are_kept(void **state)
{
	int fds[PER_PEER];

	(void)state;
	for (uint32_t i = 0; i < PER_PEER; i++)
		fds[i] = dial();
	turn(TURNS);
	assert_int_equal(http_server_connections(server), PER_PEER);
	for (size_t i = 0; i < PER_PEER; i++)
		assert_true(recv(fds[i], heard, 1, MSG_DONTWAIT) < 0);
	say(fds[0], GET("/one"));
	hear(fds[0], 1);
	for (size_t i = 0; i < PER_PEER; i++)
		close(fds[i]);
}

static void a_peers_idle_connections_give_way_to_new_ones_and_busy_ones_do_not(void **state)
{
	int fds[PER_PEER];
	int more;

	(void)state;
	for (uint32_t i = 0; i < PER_PEER; i++)
		fds[i] = dial();
	/* this connection has begun a request, so it is not idle */
	say(fds[0], "GET /one HTTP/1.1\r\n");
	turn(TURNS);
	more = dial();
	assert_true(is_open(more));
	assert_true(is_open(fds[0]));
	/* of the idle connections this one has been idle for longest */
	assert_false(is_open(fds[1]));
	assert_true(is_open(fds[2]));
	assert_int_equal(http_server_connections(server), PER_PEER);
	for (size_t i = 2; i < PER_PEER; i++)
		say(fds[i], "GET /one HTTP/1.1\r\n");
	say(more, "GET /one HTTP/1.1\r\n");
	turn(TURNS);
	close(fds[1]);
	fds[1] = dial();
	hear(fds[1], 1);
	assert_memory_equal(heard, "HTTP/1.1 503 Service Unavailable\r\n", 34);
	assert_heard("\r\nRetry-After: 1\r\n");
	close(fds[1]);
	fds[1] = dial_from(2); /* connections of another address have a limit of their own */
	say(fds[1], GET("/two"));
	hear(fds[1], 1);
	assert_heard("/two");
	for (size_t i = 0; i < PER_PEER; i++)
		close(fds[i]);
	close(more);
}

static bool on_gone(void *arg)
{
	gone++;
	answer(arg, 200, "late", 4);
	return true;
}

static bool on_gone_unanswered(void *arg)
{
	(void)arg;
	gone++;
	return false;
}

static void a_client_that_closes_its_side_early_still_gets_its_answer(void **state)
{
	int fd = dial();

	(void)state;
	say(fd, GET("/later"));
	turn(TURNS);
	gone = 0;
	http_on_gone(later, on_gone_unanswered, later);
	shutdown(fd, SHUT_WR);
	turn(TURNS);
	assert_int_equal(gone, 1);
	answer(later, 200, "late", 4);
	hear(fd, 1);
	assert_heard("\r\n\r\nlate");
	turn(TURNS);
	assert_int_equal(gone, 1);
	assert_int_equal(http_server_connections(server), 0);
	close(fd);
}

static void a_client_that_leaves_while_it_waits_is_noticed(void **state)
{
	int fd = dial();

	(void)state;
	say(fd, GET("/later"));
	turn(TURNS);
	assert_non_null(later);
	gone = 0;
	http_on_gone(later, on_gone, later);
	assert_true(is_open(fd));
	assert_int_equal(gone, 0);
	shutdown(fd, SHUT_WR);
	hear(fd, 2);
	assert_int_equal(gone, 1);
	assert_heard("\r\n\r\nlate");
	turn(TURNS);
	assert_int_equal(http_server_connections(server), 0);
	close(fd);
}

static void a_client_that_has_closed_its_side_gets_its_answer(void **state)
{
	int fd = dial();

	(void)state;
	say(fd, GET("/later"));
	shutdown(fd, SHUT_WR);
	turn(TURNS);
	assert_int_equal(http_server_connections(server), 1);
	answer(later, 200, "late", 4);
	hear(fd, 2);
	assert_heard("\r\n\r\nlate");
	turn(TURNS);
	assert_int_equal(http_server_connections(server), 0);
	close(fd);
}

static void a_draining_server_answers_the_requests_it_has_and_closes(void **state)
{
	int idle = dial();
	int busy = dial();

	(void)state;
	say(idle, GET("/"));
	hear(idle, 1);
	say(busy, GET("/later"));
	turn(TURNS);
	http_server_drain(server);
	assert_false(is_open(idle));
	assert_true(is_open(busy));
	answer(later, 200, "late", 4);
	hear(busy, 2);
	assert_heard("\r\nConnection: close\r\n");
	assert_heard("\r\n\r\nlate");
	turn(TURNS);
	assert_int_equal(http_server_connections(server), 0);
	close(idle);
	close(busy);
}

static void a_draining_server_answers_the_first_request_of_a_fresh_connection(void **state)
{
	int fresh = dial();
	int silent = dial();
	int64_t until_ms = rt_monotonic_ms() + 2000;

	(void)state;
	turn(TURNS);
	http_server_drain(server);
	say(fresh, GET("/"));
	hear(fresh, 1);
	assert_heard("\r\nConnection: close\r\n");
	while (http_server_connections(server) > 0 && rt_monotonic_ms() < until_ms)
		turn(TURNS);
	assert_int_equal(http_server_connections(server), 0);
	assert_false(is_open(silent));
	close(fresh);
	close(silent);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SERVER_TEST(a_connection_ends_when_its_client_asks),
		SERVER_TEST(a_refused_request_closes_the_connection_and_nothing_after_it_is_read),
		SERVER_TEST(idle_connections_of_many_peers_are_kept),
		SERVER_TEST(a_peers_idle_connections_give_way_to_new_ones_and_busy_ones_do_not),
		SERVER_TEST(a_client_that_leaves_while_it_waits_is_noticed),
		SERVER_TEST(a_client_that_closes_its_side_early_still_gets_its_answer),
		SERVER_TEST(a_client_that_has_closed_its_side_gets_its_answer),
		SERVER_TEST(a_draining_server_answers_the_requests_it_has_and_closes),
		SERVER_TEST(a_draining_server_answers_the_first_request_of_a_fresh_connection),
	};

	return cmocka_run_group_tests_name("http connections", tests, make_large, free_large);
}
