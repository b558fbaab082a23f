/* The answers of the HTTP server, and their order. */
#include "runtime/host/http/http.h"
#include "tests/unit/http_server_fixture.h"

static void a_request_is_answered_and_its_connection_stays_open(void **state)
{
	int fd = dial();

	(void)state;
	for (int i = 0; i < 3; i++) {
		say(fd, GET("/one"));
		hear(fd, 1);
		assert_memory_equal(heard, "HTTP/1.1 200 OK\r\n", 17);
		assert_heard("\r\nContent-Length: 4\r\n");
		assert_heard("\r\n\r\n/one");
		assert_not_heard("Connection:");
		assert_int_equal(http_server_connections(server), 1);
	}
	assert_string_equal(seen, "GET /one []\nGET /one []\nGET /one []\n");
	close(fd);
	turn(TURNS);
	assert_int_equal(http_server_connections(server), 0);
}

static void requests_sent_at_once_are_answered_in_their_order(void **state)
{
	const char *first;
	int fd = dial();

	(void)state;
	say(fd, GET("/one") GET("/later") GET("/three"));
	hear(fd, 1);
	assert_heard("\r\n\r\n/one");
	assert_string_equal(seen, "GET /one []\nGET /later []\n");
	answer(later, 200, "/two", 4);
	hear(fd, 2);
	first = strstr(heard, "\r\n\r\n/two");
	assert_non_null(first);
	assert_non_null(strstr(first, "\r\n\r\n/three"));
	close(fd);
}

static void a_request_may_come_octet_by_octet(void **state)
{
	static const char text[] =
		"POST /b HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello" GET(
			"/next");
	int fd = dial();

	(void)state;
	for (size_t i = 0; i < sizeof text - 1; i++) {
		assert_int_equal(send(fd, text + i, 1, MSG_NOSIGNAL), 1);
		turn(1);
	}
	hear(fd, 2);
	assert_string_equal(seen, "POST /b [hello]\nGET /next []\n");
	close(fd);
}

static void a_chunked_body_is_assembled(void **state)
{
	int fd = dial();

	(void)state;
	say(fd,
		"POST /b HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
		"3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n" GET("/next"));
	hear(fd, 2);
	assert_string_equal(seen, "POST /b [hello]\nGET /next []\n");
	close(fd);
}

static void a_client_that_waits_before_its_body_is_told_to_continue(void **state)
{
	int fd = dial();

	(void)state;
	say(fd,
		"POST /b HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nExpect: 100-continue\r\n"
		"\r\n");
	hear(fd, 1);
	assert_string_equal(heard, "HTTP/1.1 100 Continue\r\n\r\n");
	say(fd, "hi");
	hear(fd, 1);
	assert_memory_equal(heard, "HTTP/1.1 200 OK\r\n", 17);
	assert_string_equal(seen, "POST /b [hi]\n");
	close(fd);
}

static void an_answer_larger_than_a_socket_takes_arrives_whole(void **state)
{
	int fd = dial();
	const char *body;
	size_t length;

	(void)state;
	say(fd, GET("/large") GET("/one"));
	length = hear(fd, 2);
	body = strstr(heard, "\r\n\r\n") + 4;
	assert_heard("\r\nContent-Length: 7340032\r\n");
	assert_memory_equal(body, large, LARGE_BYTES);
	assert_memory_equal(body + LARGE_BYTES, "HTTP/1.1 200 OK\r\n", 17);
	assert_memory_equal(heard + length - 8, "\r\n\r\n/one", 8);
	close(fd);
}

static void an_answer_without_a_body_is_sent_without_one(void **state)
{
	int fd = dial();

	(void)state;
	say(fd, GET("/none"));
	hear(fd, 1);
	assert_memory_equal(heard, "HTTP/1.1 204 No Content\r\n", 25);
	assert_not_heard("Content-Length");
	assert_not_heard("unsaid");
	say(fd, "HEAD /four HTTP/1.1\r\nHost: localhost\r\n\r\n");
	hear(fd, 1);
	assert_heard("\r\nContent-Length: 5\r\n");
	assert_not_heard("/four");
	close(fd);
}

static void a_body_has_64_kib_unless_the_function_takes_more(void **state)
{
	static const char head[] =
		"POST /b HTTP/1.1\r\nHost: localhost\r\nContent-Length: 65537\r\n\r\n";
	static char body[65537 + 1];
	int fd = dial();

	(void)state;
	say(fd, head);
	hear(fd, 1);
	assert_memory_equal(heard, "HTTP/1.1 413 ", 13);
	close(fd);
	memset(body, 'b', sizeof body - 1);
	body_max = 65537;
	http_server_set_body_max(server, give_body_max, NULL);
	fd = dial();
	say(fd, head);
	turn(TURNS);
	for (size_t sent = 0; sent < sizeof body - 1;) {
		ssize_t more = send(
			fd, body + sent, sizeof body - 1 - sent, MSG_NOSIGNAL | MSG_DONTWAIT);

		sent += more > 0 ? (size_t)more : 0;
		turn(1);
	}
	hear(fd, 1);
	assert_memory_equal(heard, "HTTP/1.1 200 OK\r\n", 17);
	close(fd);
}

static void the_client_is_the_one_that_a_trusted_proxy_names(void **state)
{
	int fd = dial();

	(void)state;
	say(fd, GET("/one"));
	hear(fd, 1);
	assert_string_equal(seen_client, "127.0.1.1");
	setenv("EDS_TRUSTED_PROXIES", "127.0.1.0/24,10.0.0.2", 1);
	rt_config_require();
	say(fd,
		"GET /one HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 203.0.113.9\r\n"
		"X-Forwarded-For: 198.51.100.4, 10.0.0.2\r\n\r\n");
	hear(fd, 1);
	assert_string_equal(seen_client, "198.51.100.4");
	unsetenv("EDS_TRUSTED_PROXIES");
	rt_config_require();
	close(fd);
}

static void a_server_that_cannot_listen_says_why(void **state)
{
	char error[LISTEN_ERROR_MAX] = "";

	(void)state;
	assert_null(http_server_new(base, http_server_address(server), on_request, NULL, error));
	assert_non_null(strstr(error, http_server_address(server)));
	assert_null(http_server_new(base, "nowhere", on_request, NULL, error));
	assert_non_null(strstr(error, "nowhere"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SERVER_TEST(a_request_is_answered_and_its_connection_stays_open),
		SERVER_TEST(requests_sent_at_once_are_answered_in_their_order),
		SERVER_TEST(a_request_may_come_octet_by_octet),
		SERVER_TEST(a_chunked_body_is_assembled),
		SERVER_TEST(a_client_that_waits_before_its_body_is_told_to_continue),
		SERVER_TEST(an_answer_larger_than_a_socket_takes_arrives_whole),
		SERVER_TEST(an_answer_without_a_body_is_sent_without_one),
		SERVER_TEST(a_body_has_64_kib_unless_the_function_takes_more),
		SERVER_TEST(the_client_is_the_one_that_a_trusted_proxy_names),
		SERVER_TEST(a_server_that_cannot_listen_says_why),
	};

	return cmocka_run_group_tests_name("http server", tests, make_large, free_large);
}
