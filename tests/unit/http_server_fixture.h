/* The HTTP server over real sockets, in one process with its clients. */
#ifndef HTTP_SERVER_FIXTURE_H
#define HTTP_SERVER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h requires the four headers above. */
#include <cmocka.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/config/config.h"
#include "runtime/ctx.h"
#include "runtime/host/http/http.h"
#include "runtime/time.h"

enum {
	WAIT_MS = 20000,
	/* turns of the event loop after which all data sent so far has been processed */
	TURNS = 50,
	HEARD_MAX = 8 * 1024 * 1024,
	LARGE_BYTES = 7 * 1024 * 1024,
};

static struct event_base *base;
static struct http_server *server;
static struct access_stats stats = {.function = "test"};
static struct http_exchange *later; /* the request to "/later", not answered yet */
static size_t body_max;
static char seen[4096];      /* the requests so far, by method, path and body */
static char seen_client[64]; /* the peer of the last request */
static char *large;
static char heard[HEARD_MAX + 1];

static inline void answer(
	struct http_exchange *exchange, int status, const char *body, size_t length)
{
	http_answer(exchange, &stats, status, NULL, body, length);
}

static inline void on_request(
	void *arg, struct http_exchange *exchange, const struct http_request *request)
{
	const struct http_span *path = &request->head->path;
	size_t used = strlen(seen);

	(void)arg;
	snprintf(seen_client, sizeof seen_client, "%s", request->client);
	snprintf(seen + used, sizeof seen - used, "%s %.*s [%.*s]\n", request->head->method,
		(int)path->length, path->text, (int)request->body_length, request->body);
	if (path->length == 6 && memcmp(path->text, "/later", 6) == 0)
		later = exchange;
	else if (path->length == 6 && memcmp(path->text, "/large", 6) == 0)
		answer(exchange, 200, large, LARGE_BYTES);
	else if (path->length == 5 && memcmp(path->text, "/none", 5) == 0)
		answer(exchange, 204, "unsaid", 6);
	else
		answer(exchange, 200, path->text, path->length);
}

static inline size_t give_body_max(
	void *arg, struct http_exchange *exchange, const struct http_head *head)
{
	(void)arg;
	(void)exchange;
	(void)head;
	return body_max;
}

static inline void turn(int times)
{
	for (int i = 0; i < times; i++)
		event_base_loop(base, EVLOOP_NONBLOCK);
}

/* The port of an address, which is the text after its last colon. */
static inline uint16_t port_of(const char *address)
{
	return (uint16_t)strtoul(strrchr(address, ':') + 1, NULL, 10);
}

/* A client at an address of the loopback network. */
static inline int dial_from(uint32_t last)
{
	struct sockaddr_in from = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(UINT32_C(0x7f000100) + last)};
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	to.sin_port = htons(port_of(http_server_address(server)));
	assert_int_equal(bind(fd, (struct sockaddr *)&from, sizeof from), 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
	turn(1);
	return fd;
}

static inline int dial(void)
{
	return dial_from(1);
}

static inline void say(int fd, const char *text)
{
	size_t length = strlen(text);

	assert_int_equal(send(fd, text, length, MSG_NOSIGNAL), length);
}

/* Reads until this many answers have come or the server has closed; returns the number of
 * octets. */
static inline size_t hear(int fd, int answers)
{
	int64_t until_ms = rt_monotonic_ms() + WAIT_MS;
	size_t length = 0;

	for (;;) {
		ssize_t got;
		int found = 0;

		turn(1);
		got = recv(fd, heard + length, HEARD_MAX - length, MSG_DONTWAIT);
		length += got > 0 ? (size_t)got : 0;
		heard[length] = '\0';
		if (got == 0)
			return length;
		for (const char *at = heard; (at = strstr(at, "\r\n\r\n")) != NULL; at++)
			found++;
		if (got < 0 && found >= answers)
			return length;
		assert_true(rt_monotonic_ms() < until_ms);
	}
}

static inline bool is_open(int fd)
{
	char octet;

	turn(TURNS);
	return recv(fd, &octet, 1, MSG_DONTWAIT | MSG_PEEK) != 0;
}

static inline void assert_heard(const char *text)
{
	if (strstr(heard, text) == NULL)
		fail_msg("\"%s\" is not in \"%s\"", text, heard);
}

static inline void assert_not_heard(const char *text)
{
	if (strstr(heard, text) != NULL)
		fail_msg("\"%s\" is in \"%s\"", text, heard);
}

static inline int setup(void **state)
{
	char error[LISTEN_ERROR_MAX];

	(void)state;
	base = event_base_new();
	server = http_server_new(base, "127.0.0.1:0", on_request, NULL, error);
	seen[0] = '\0';
	later = NULL;
	return server == NULL;
}

static inline int teardown(void **state)
{
	(void)state;
	http_server_free(server);
	event_base_free(base);
	return 0;
}

#define GET(path) "GET " path " HTTP/1.1\r\nHost: localhost\r\n\r\n"

#define SERVER_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static inline int make_large(void **state)
{
	(void)state;
	setenv("EDS_LOG_LEVEL", "warning", 1);
	rt_config_require();
	large = malloc(LARGE_BYTES);
	for (size_t i = 0; large != NULL && i < LARGE_BYTES; i++)
		large[i] = (char)('a' + i % 26);
	return large == NULL;
}

static inline int free_large(void **state)
{
	(void)state;
	free(large);
	return 0;
}

#endif
