/* The octets of an SMTP connection in the clear, over a real socket pair. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h requires the four headers above. */
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "local/smtp/smtp-stream.h"

enum {
	REPLY_BYTES = 1000,
	MANY_BYTES = 4 * 1024 * 1024, /* more than a socket takes */
	TURNS_MAX = 10000,
};

struct fixture {
	struct event_base *base;
	struct smtp_stream *stream;
	int client;
	size_t uses;  /* octets to use of each input; the others stay */
	size_t shown; /* octets of the last input */
	char first;   /* of them */
	int inputs;
	int sent;
	int ended;
};

static void on_input(void *arg)
{
	struct fixture *fixture = arg;
	const char *bytes = smtp_stream_input(fixture->stream, &fixture->shown);
	size_t uses = fixture->uses < fixture->shown ? fixture->uses : fixture->shown;

	fixture->inputs++;
	fixture->first = bytes[0];
	smtp_stream_use(fixture->stream, uses);
}

static void on_sent(void *arg)
{
	((struct fixture *)arg)->sent++;
}

static void on_ended(void *arg)
{
	((struct fixture *)arg)->ended++;
}

static int setup(void **state)
{
	const struct smtp_stream_calls calls = {
		.on_input = on_input, .on_sent = on_sent, .on_ended = on_ended};
	struct fixture *fixture = calloc(1, sizeof *fixture);
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
	fixture->base = event_base_new();
	fixture->client = ends[1];
	fixture->uses = SIZE_MAX;
	fixture->stream = smtp_stream_new(fixture->base, ends[0], &calls, fixture);
	assert_non_null(fixture->stream);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	smtp_stream_free(fixture->stream);
	event_base_free(fixture->base);
	close(fixture->client);
	free(fixture);
	return 0;
}

static void turn(struct fixture *fixture)
{
	event_base_loop(fixture->base, EVLOOP_NONBLOCK);
}

static void say(struct fixture *fixture, const char *text, size_t length)
{
	assert_int_equal(write(fixture->client, text, length), length);
	turn(fixture);
}

static void a_message_of_16_kb_is_one_input(void **state)
{
	static const char message[16 * 1024];
	struct fixture *fixture = *state;

	say(fixture, message, sizeof message);
	assert_int_equal(fixture->inputs, 1);
	assert_int_equal(fixture->shown, 16 * 1024);
}

static void unused_octets_are_shown_again_before_those_that_follow(void **state)
{
	struct fixture *fixture = *state;

	fixture->uses = 2;
	say(fixture, "abc", 3);
	say(fixture, "de", 2);
	assert_int_equal(fixture->shown, 3);
	assert_int_equal(fixture->first, 'c');
	say(fixture, "f", 1);
	assert_int_equal(fixture->shown, 2);
	assert_int_equal(fixture->first, 'e');
}

static void at_64_kb_of_unused_octets_nothing_is_read_until_some_are_used(void **state)
{
	static const char octets[SMTP_INPUT_BYTES_MAX];
	struct fixture *fixture = *state;

	fixture->uses = 0;
	say(fixture, octets, sizeof octets);
	say(fixture, "more", 4);
	assert_int_equal(fixture->inputs, 1);
	smtp_stream_use(fixture->stream, 1000);
	turn(fixture);
	assert_int_equal(fixture->inputs, 2);
	assert_int_equal(fixture->shown, 64 * 1024 - 1000 + 4);
	smtp_stream_use_all(fixture->stream);
	shutdown(fixture->client, SHUT_WR);
	turn(fixture);
	assert_int_equal(fixture->ended, 1);
}

static void a_reply_is_sent_at_once(void **state)
{
	struct fixture *fixture = *state;
	char got[8];

	assert_true(smtp_stream_send(fixture->stream, "250 ok\r\n", 8));
	assert_int_equal(read(fixture->client, got, sizeof got), 8);
	turn(fixture);
	assert_int_equal(fixture->sent, 0);
}

static void replies_for_which_the_socket_has_no_room_follow_in_order(void **state)
{
	struct fixture *fixture = *state;
	static char got[MANY_BYTES];
	size_t length = 0;

	for (int i = 0; i < MANY_BYTES / REPLY_BYTES; i++) {
		char reply[REPLY_BYTES];

		memset(reply, 'a' + i % 26, sizeof reply);
		assert_true(smtp_stream_send(fixture->stream, reply, sizeof reply));
	}
	assert_true(smtp_stream_unsent(fixture->stream) > 0);
	for (int i = 0; i < TURNS_MAX && fixture->sent == 0; i++) {
		ssize_t more = read(fixture->client, got + length, sizeof got - length);

		length += more > 0 ? (size_t)more : 0;
		turn(fixture);
	}
	length += (size_t)read(fixture->client, got + length, sizeof got - length);
	assert_int_equal(fixture->sent, 1);
	assert_int_equal(length, MANY_BYTES / REPLY_BYTES * REPLY_BYTES);
	for (size_t i = 0; i < length; i++)
		assert_int_equal(got[i], 'a' + i / REPLY_BYTES % 26);
}

static void nothing_is_called_once_it_has_ended_or_is_stopped(void **state)
{
	struct fixture *fixture = *state;

	smtp_stream_stop(fixture->stream);
	say(fixture, "text", 4);
	shutdown(fixture->client, SHUT_WR);
	turn(fixture);
	assert_int_equal(fixture->inputs + fixture->ended, 0);
}

#define STREAM(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		STREAM(a_message_of_16_kb_is_one_input),
		STREAM(unused_octets_are_shown_again_before_those_that_follow),
		STREAM(at_64_kb_of_unused_octets_nothing_is_read_until_some_are_used),
		STREAM(a_reply_is_sent_at_once),
		STREAM(replies_for_which_the_socket_has_no_room_follow_in_order),
		STREAM(nothing_is_called_once_it_has_ended_or_is_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
