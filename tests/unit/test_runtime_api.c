/* The runner's side of the Lambda Runtime API: requests of a bootstrap in any pieces, and their
 * answers. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "local/serve/runtime-api.h"
#include "runtime/ctx.h"
#include "runtime/time.h"

enum {
	TEXT_BYTES = 8192,
	WAIT_MS = 10000,
};

struct platform {
	struct event_base *base;
	struct runtime_api *api;
	struct sockaddr_in address;
	int fd; /* the bootstrap's end of the connection */
	int told;
	char error_type[TEXT_BYTES];
	char outcome[TEXT_BYTES];
	char heard[TEXT_BYTES];
};

static void on_done(void *arg, const char *error_type, const char *text, size_t length)
{
	struct platform *platform = arg;

	platform->told++;
	snprintf(platform->error_type, TEXT_BYTES, "%s", error_type == NULL ? "none" : error_type);
	snprintf(platform->outcome, TEXT_BYTES, "%.*s", (int)length, text);
}

static void turn(struct platform *platform)
{
	const struct timeval soon = {.tv_usec = 1000};

	event_base_loopexit(platform->base, &soon);
	event_base_dispatch(platform->base);
}

/* Connects as a bootstrap does; -1 when nobody listens. */
static int connect_to_api(struct platform *platform)
{
	platform->fd = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(platform->fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
	return connect(
		platform->fd, (struct sockaddr *)&platform->address, sizeof platform->address);
}

static int set_up(void **state)
{
	struct platform *platform = calloc(1, sizeof *platform);

	platform->base = event_base_new();
	platform->api = runtime_api_new(platform->base, "f", on_done, platform);
	platform->address.sin_family = AF_INET;
	inet_pton(AF_INET, "127.0.0.1", &platform->address.sin_addr);
	platform->address.sin_port = htons(
		(uint16_t)strtoul(strrchr(runtime_api_address(platform->api), ':') + 1, NULL, 10));
	*state = platform;
	return connect_to_api(platform);
}

static int tear_down(void **state)
{
	struct platform *platform = *state;

	close(platform->fd);
	if (platform->api != NULL)
		runtime_api_free(platform->api);
	event_base_free(platform->base);
	free(platform);
	return 0;
}

/* Sends text, and reads until the expected answer has arrived. */
static void exchange(struct platform *platform, const char *text, const char *answer)
{
	int64_t until_ms = rt_monotonic_ms() + WAIT_MS;
	size_t length = 0;

	assert_int_equal(send(platform->fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
	memset(platform->heard, 0, sizeof platform->heard);
	while (strstr(platform->heard, answer) == NULL) {
		ssize_t got;

		turn(platform);
		got = recv(platform->fd, platform->heard + length, TEXT_BYTES - 1 - length,
			MSG_DONTWAIT);
		length += got > 0 ? (size_t)got : 0;
		if (rt_monotonic_ms() > until_ms)
			fail_msg("no %s in: %s", answer, platform->heard);
	}
}

/* Sends a part of a request, and waits until the server has read it, so that the next part is read
 * separately. */
static void send_piece(struct platform *platform, const char *text)
{
	assert_int_equal(send(platform->fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
	for (int i = 0; i < 5; i++)
		turn(platform);
}

/* Copies the id of the event that the bootstrap got. */
static void take_id(const struct platform *platform, char id[64])
{
	const char *header = strstr(platform->heard, "Lambda-Runtime-Aws-Request-Id: ");

	assert_non_null(header);
	assert_int_equal(sscanf(header, "Lambda-Runtime-Aws-Request-Id: %63s", id), 1);
}

#define NEXT "GET /2018-06-01/runtime/invocation/next HTTP/1.1\r\nHost: a\r\n\r\n"

static void begin_event(struct platform *platform, char id[64])
{
	assert_true(runtime_api_give(platform->api, "{\"n\":1}", 7, 1234));
	exchange(platform, NEXT, "{\"n\":1}");
	assert_non_null(strstr(platform->heard, "\r\nLambda-Runtime-Deadline-Ms: 1234\r\n"));
	take_id(platform, id);
}

static void an_event_is_handed_out_and_its_response_accepted(void **state)
{
	struct platform *platform = *state;
	char request[512];
	char id[64];

	begin_event(platform, id);
	snprintf(request, sizeof request,
		"POST /2018-06-01/runtime/invocation/%s/response HTTP/1.1\r\nHost: a\r\n"
		"Content-Length: 2\r\n\r\n{}",
		id);
	exchange(platform, request, "202 Accepted");
	assert_int_equal(platform->told, 1);
	assert_string_equal(platform->error_type, "none");
	assert_string_equal(platform->outcome, "{}");
	/* a second answer to the same event is refused */
	exchange(platform, request, "403 Forbidden");
	assert_int_equal(platform->told, 1);
}

static void the_kind_of_an_error_is_read_from_its_header_in_any_pieces(void **state)
{
	struct platform *platform = *state;
	char line[256];
	char id[64];

	begin_event(platform, id);
	snprintf(
		line, sizeof line, "POST /2018-06-01/runtime/invocation/%s/error HTTP/1.1\r\n", id);
	send_piece(platform, line);
	send_piece(platform, "Host: a\r\nLambda-Runtime-Func");
	send_piece(platform, "tion-Err");
	send_piece(platform, "or-Type: Runtime.");
	send_piece(platform, "ExitError\r\nContent-Length: 2\r\n\r\n{");
	assert_int_equal(platform->told, 0);
	exchange(platform, "}", "202 Accepted");
	assert_int_equal(platform->told, 1);
	assert_string_equal(platform->error_type, "Runtime.ExitError");
	assert_string_equal(platform->outcome, "{}");
}

static void an_outcome_of_another_event_is_refused(void **state)
{
	struct platform *platform = *state;
	char id[64];

	begin_event(platform, id);
	exchange(platform,
		"POST /2018-06-01/runtime/invocation/another/response HTTP/1.1\r\nHost: a\r\n"
		"Content-Length: 2\r\n\r\n{}",
		"403 Forbidden");
	assert_int_equal(platform->told, 0);
}

static void an_event_that_was_not_answered_is_handed_out_again(void **state)
{
	struct platform *platform = *state;
	char id[64];
	char again[64];

	begin_event(platform, id);
	exchange(platform, NEXT, "{\"n\":1}");
	take_id(platform, again);
	assert_string_equal(again, id);
}

static void a_target_that_is_too_long_is_refused_and_such_a_kind_ignored(void **state)
{
	struct platform *platform = *state;
	char request[2048];
	char id[64];

	snprintf(request, sizeof request, "GET /%0600d HTTP/1.1\r\nHost: a\r\n\r\n", 0);
	exchange(platform, request, "403 Forbidden");
	begin_event(platform, id);
	snprintf(request, sizeof request,
		"POST /2018-06-01/runtime/invocation/%s/error HTTP/1.1\r\nHost: a\r\n"
		"Lambda-Runtime-Function-Error-Type: %0600d\r\nContent-Length: 2\r\n\r\n{}",
		id, 0);
	exchange(platform, request, "202 Accepted");
	/* the type is too long, so the error is accepted without it */
	assert_string_equal(platform->error_type, "");
}

static void the_next_request_may_begin_with_a_piece_of_one_octet(void **state)
{
	struct platform *platform = *state;

	exchange(platform,
		"POST /2018-06-01/runtime/init/error HTTP/1.1\r\nHost: a\r\nContent-Length: "
		"0\r\n\r\n",
		"202 Accepted");
	assert_true(runtime_api_give(platform->api, "{\"n\":1}", 7, 1234));
	send_piece(platform, "G");
	exchange(platform, &NEXT[1], "{\"n\":1}");
}

/* The first bootstrap closes its connection, and another one connects. */
static void a_bootstrap_that_ends_makes_room_for_the_next(void **state)
{
	struct platform *platform = *state;
	int64_t until_ms = rt_monotonic_ms() + WAIT_MS;
	char octet;

	assert_true(runtime_api_give(platform->api, "{\"n\":1}", 7, 1234));
	exchange(platform, NEXT, "{\"n\":1}");
	assert_int_equal(shutdown(platform->fd, SHUT_WR), 0);
	while (recv(platform->fd, &octet, 1, MSG_DONTWAIT) != 0 && rt_monotonic_ms() < until_ms)
		turn(platform);
	assert_int_equal(recv(platform->fd, &octet, 1, MSG_DONTWAIT), 0);
	close(platform->fd);
	assert_int_equal(connect_to_api(platform), 0);
	exchange(platform, NEXT, "{\"n\":1}");
}

static void the_api_stops_listening_when_it_is_freed(void **state)
{
	struct platform *platform = *state;

	close(platform->fd);
	runtime_api_free(platform->api);
	platform->api = NULL;
	assert_int_equal(connect_to_api(platform), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(an_event_is_handed_out_and_its_response_accepted),
		TEST(the_kind_of_an_error_is_read_from_its_header_in_any_pieces),
		TEST(an_outcome_of_another_event_is_refused),
		TEST(an_event_that_was_not_answered_is_handed_out_again),
		TEST(a_target_that_is_too_long_is_refused_and_such_a_kind_ignored),
		TEST(the_next_request_may_begin_with_a_piece_of_one_octet),
		TEST(a_bootstrap_that_ends_makes_room_for_the_next),
		TEST(the_api_stops_listening_when_it_is_freed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
