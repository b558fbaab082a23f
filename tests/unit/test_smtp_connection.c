/* The clocks of an SMTP connection, over a real socket pair. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h requires the four headers above. */
#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "local/smtp/smtp-connection.h"
#include "runtime/ctx.h"
#include "runtime/time.h"

enum {
	TEXT_MAX = 4096,
	PATIENCE_MS = 8000,
};

struct fixture {
	struct event_base *base;
	struct smtp_connection *connection;
	struct smtp_budget budget;
	int fd; /* the client's end of the connection */
	int server_fd;
	char text[TEXT_MAX];
	size_t length;
	bool closed;      /* the client has seen the end of the stream */
	bool hold;        /* if set, questions about recipients get no answer */
	size_t max_bytes; /* the maximum size of a message to any recipient */
	int pieces;       /* pieces of a large message that were handed over */
	bool later;       /* if set, answers come later, from turn() */
	void (*owed)(struct fixture *fixture);
};

/* Gives an answer now, or later if the fixture says so. */
static void answer(struct fixture *fixture, void (*owed)(struct fixture *fixture))
{
	if (fixture->later)
		fixture->owed = owed;
	else
		owed(fixture);
}

static void take_recipient(struct fixture *fixture)
{
	const struct smtp_bounds bounds = {.max_bytes = fixture->max_bytes};

	smtp_connection_recipient(
		fixture->connection, SMTP_RECIPIENT_TAKEN, "tester", NULL, &bounds);
}

static void store(struct fixture *fixture)
{
	smtp_connection_stored(fixture->connection, SMTP_STORED, "id-1");
}

static void keep_piece(struct fixture *fixture)
{
	smtp_connection_kept(fixture->connection, true);
}

static void on_recipient(
	void *arg, struct smtp_connection *connection, const char *address, const char *client)
{
	struct fixture *fixture = arg;

	fixture->connection = connection;
	(void)address;
	(void)client;
	if (!fixture->hold)
		answer(fixture, take_recipient);
}

static void on_store(void *arg, struct smtp_connection *connection, const struct smtp_mail *mail)
{
	(void)connection;
	smtp_share_settle(mail->share, mail->held_bytes);
	free(mail->message);
	answer(arg, store);
}

static void on_keep(void *arg, struct smtp_connection *connection, const struct smtp_mail *mail)
{
	struct fixture *fixture = arg;

	(void)connection;
	fixture->pieces++;
	free(mail->message);
	answer(fixture, keep_piece);
}

static void on_forget(void *arg, struct smtp_connection *connection)
{
	(void)arg;
	(void)connection;
}

static void on_refused(void *arg, const struct smtp_mail *envelope, const char *reply)
{
	(void)arg;
	(void)envelope;
	(void)reply;
}

static void on_closed(void *arg, struct smtp_connection *connection)
{
	struct fixture *fixture = arg;

	fixture->connection = NULL;
	smtp_connection_free(connection);
}

static struct fixture *open_connection(struct smtp_clocks clocks)
{
	struct fixture *fixture = calloc(1, sizeof *fixture);
	struct smtp_connection_settings settings = {
		.session = {.host_name = "mx.example",
			.budget = &fixture->budget,
			.intake = {.on_recipient = on_recipient,
				.on_store = on_store,
				.on_keep = on_keep,
				.on_forget = on_forget,
				.on_refused = on_refused},
			.intake_arg = fixture},
		.clocks = clocks,
		.on_closed = on_closed,
		.arg = fixture,
	};
	struct rt_ip peer;
	int ends[2];

	assert_true(rt_ip_parse("192.0.2.7", &peer));
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
	fixture->base = settings.base = event_base_new();
	smtp_budget_init(&fixture->budget);
	fixture->fd = ends[1];
	fixture->server_fd = ends[0];
	fixture->connection = smtp_connection_new(&settings, ends[0], &peer);
	assert_non_null(fixture->connection);
	return fixture;
}

static void close_connection(struct fixture *fixture)
{
	if (fixture->connection != NULL)
		smtp_connection_free(fixture->connection);
	assert_int_equal(fixture->budget.used, 0);
	event_base_free(fixture->base);
	close(fixture->fd);
	free(fixture);
}

static void turn(struct fixture *fixture)
{
	void (*owed)(struct fixture * fixture) = fixture->owed;
	ssize_t got;

	event_base_loop(fixture->base, EVLOOP_NONBLOCK);
	if (owed != NULL) {
		fixture->owed = NULL;
		owed(fixture);
	}
	got = read(fixture->fd, fixture->text + fixture->length, TEXT_MAX - 1 - fixture->length);
	if (got == 0)
		fixture->closed = true;
	fixture->length += got > 0 ? (size_t)got : 0;
	usleep(1000);
}

/* Waits until this text has arrived from the server, and drops everything received so far. */
static void wait_for(struct fixture *fixture, const char *text)
{
	int64_t until = rt_monotonic_ms() + PATIENCE_MS;

	while (strstr(fixture->text, text) == NULL) {
		if (rt_monotonic_ms() > until)
			fail_msg("\"%s\" was not answered, but \"%s\"", text, fixture->text);
		turn(fixture);
	}
	memset(fixture->text, 0, sizeof fixture->text);
	fixture->length = 0;
}

/* Sends text; it ignores errors, because the server may have closed the connection already. */
static void say(struct fixture *fixture, const char *text)
{
	if (send(fixture->fd, text, strlen(text), MSG_NOSIGNAL) < 0)
		turn(fixture);
}

static void begin_data(struct fixture *fixture)
{
	say(fixture, "EHLO c\r\n");
	wait_for(fixture, "250 ENHANCED");
	say(fixture, "MAIL FROM:<>\r\nRCPT TO:<a@mx.example>\r\nDATA\r\n");
	wait_for(fixture, "354 ");
}

static void a_command_that_never_ends_does_not_stop_the_clock(void **state)
{
	struct fixture *fixture = open_connection((struct smtp_clocks){150, 10000, 10000});
	int64_t began = rt_monotonic_ms();

	(void)state;
	for (int i = 0; i < 8; i++) {
		say(fixture, "N");
		for (int j = 0; j < 20; j++)
			turn(fixture);
	}
	wait_for(fixture, "421 4.4.2 no command");
	assert_true(rt_monotonic_ms() - began < PATIENCE_MS);
	close_connection(fixture);
}

static void each_command_restarts_the_clock(void **state)
{
	struct fixture *fixture = open_connection((struct smtp_clocks){1200, 10000, 10000});

	(void)state;
	for (int i = 0; i < 4; i++) {
		int64_t until = rt_monotonic_ms() + 400;

		say(fixture, "NOOP\r\n");
		while (rt_monotonic_ms() < until)
			turn(fixture);
		wait_for(fixture, "250 2.0.0");
	}
	wait_for(fixture, "421 4.4.2 no command");
	close_connection(fixture);
}

static void a_session_ends_however_busy_it_is(void **state)
{
	struct fixture *fixture = open_connection((struct smtp_clocks){10000, 300, 10000});
	int64_t until = rt_monotonic_ms() + PATIENCE_MS;

	(void)state;
	while (strstr(fixture->text, "421 4.4.2 the session") == NULL &&
		rt_monotonic_ms() < until) {
		fixture->length = 0;
		say(fixture, "NOOP\r\n");
		turn(fixture);
	}
	assert_non_null(strstr(fixture->text, "421 4.4.2 the session"));
	close_connection(fixture);
}

static void a_message_below_the_minimum_rate_is_cut_off(void **state)
{
	struct fixture *fixture = open_connection((struct smtp_clocks){10000, 10000, 200});

	(void)state;
	begin_data(fixture);
	for (int i = 0; i < 20 && fixture->length == 0; i++) {
		say(fixture, "x");
		for (int j = 0; j < 20; j++)
			turn(fixture);
	}
	wait_for(fixture, "421 4.4.2 the message");
	close_connection(fixture);
}

static void a_message_above_the_minimum_rate_is_accepted(void **state)
{
	struct fixture *fixture = open_connection((struct smtp_clocks){10000, 10000, 500});
	char line[1003];

	(void)state;
	memset(line, 'x', 1000);
	memcpy(line + 1000, "\r\n", 3);
	begin_data(fixture);
	for (int i = 0; i < 10; i++) { /* each 1,000 octets give the client two more seconds */
		say(fixture, line);
		for (int j = 0; j < 60; j++)
			turn(fixture);
	}
	say(fixture, ".\r\n");
	wait_for(fixture, "250 2.0.0 accepted");
	close_connection(fixture);
}

/* The octets that a client holds are not available to others: after 3 MiB it must send 6 KB a
 * second, so 500 octets are too few. */
static void the_more_of_a_message_is_held_the_faster_its_rest_must_arrive(void **state)
{
	struct fixture *fixture = open_connection((struct smtp_clocks){10000, 10000, 400});
	static char lines[16 * 1002 + 1];
	const char *line = lines + 15 * 1002;
	int64_t began;

	(void)state;
	memset(lines, 'x', sizeof lines - 1);
	for (int i = 0; i < 16; i++)
		memcpy(lines + i * 1002 + 1000, "\r\n", 2);
	begin_data(fixture);
	while (fixture->budget.used < 3 * 1024 * 1024) {
		say(fixture, lines);
		event_base_loop(fixture->base, EVLOOP_NONBLOCK);
		assert_false(fixture->closed);
	}
	began = rt_monotonic_ms();
	while (fixture->length == 0 && rt_monotonic_ms() - began < PATIENCE_MS) {
		/* 102 octets every 60 ms are 1,700 a second, fewer than required */
		say(fixture, line + 900);
		for (int j = 0; j < 60; j++)
			turn(fixture);
	}
	wait_for(fixture, "421 4.4.2 the message");
	close_connection(fixture);
}

static void the_client_is_not_blamed_for_our_own_slowness(void **state)
{
	struct fixture *fixture = open_connection((struct smtp_clocks){400, 800, 400});
	int64_t until;

	(void)state;
	fixture->hold = true;
	say(fixture, "EHLO c\r\n");
	wait_for(fixture, "250 ENHANCED");
	say(fixture, "MAIL FROM:<>\r\nRCPT TO:<a@mx.example>\r\n");
	for (until = rt_monotonic_ms() + 1000; rt_monotonic_ms() < until;)
		turn(fixture);
	assert_null(strstr(fixture->text, "421"));
	smtp_connection_recipient(fixture->connection, SMTP_RECIPIENT_UNKNOWN, NULL, NULL, NULL);
	wait_for(fixture, "451 4.3.0");
	close_connection(fixture);
}

static void say_noops(struct fixture *fixture, size_t count, const char *last)
{
	static const char noop[] = "NOOP\r\n";
	char text[TEXT_MAX];
	size_t length = 0;

	for (; count > 0; count--, length += sizeof noop - 1)
		memcpy(text + length, noop, sizeof noop - 1);
	snprintf(text + length, sizeof text - length, "%s", last);
	say(fixture, text);
}

static size_t lines_of(const char *text)
{
	size_t count = 0;

	for (; (text = strstr(text, "\r\n")) != NULL; text += 2)
		count++;
	return count;
}

/* The client sends more commands than the socket has room for replies to. The server must still
 * send all replies before it closes the connection. */
static void replies_that_the_socket_does_not_take_are_sent_before_the_end(void **state)
{
	struct fixture *fixture = open_connection((struct smtp_clocks){10000, 10000, 10000});
	int64_t until = rt_monotonic_ms() + PATIENCE_MS;
	const int least = 1;
	size_t read_before;

	(void)state;
	assert_int_equal(
		setsockopt(fixture->server_fd, SOL_SOCKET, SO_SNDBUF, &least, sizeof least), 0);
	say_noops(fixture, 40, "");
	for (int i = 0; i < 20; i++)
		event_base_loop(fixture->base, EVLOOP_NONBLOCK);
	fixture->length = (size_t)read(fixture->fd, fixture->text, TEXT_MAX - 1);
	read_before = lines_of(fixture->text);
	assert_in_range(read_before, 1, 40);
	say_noops(fixture, 40, "QUIT\r\n");
	while (!fixture->closed && rt_monotonic_ms() < until)
		turn(fixture);
	assert_true(fixture->closed);
	assert_int_equal(lines_of(fixture->text), 1 + 40 + 40 + 1);
	assert_non_null(strstr(fixture->text, "\r\n221 2.0.0 "));
	close_connection(fixture);
}

static void a_client_that_does_not_close_is_disconnected(void **state)
{
	struct fixture *fixture = open_connection((struct smtp_clocks){10000, 10000, 10000});
	int64_t until = rt_monotonic_ms() + SMTP_CLOSE_SECONDS * 1000 + PATIENCE_MS;

	(void)state;
	say(fixture, "QUIT\r\n");
	wait_for(fixture, "221 ");
	while (fixture->connection != NULL && rt_monotonic_ms() < until)
		turn(fixture);
	assert_null(fixture->connection);
	assert_true(fixture->closed);
	close_connection(fixture);
}

/* The client need not close first; until it does, or the time is over, its input is discarded. */
static void the_server_ends_its_side_after_its_last_reply(void **state)
{
	struct fixture *fixture = open_connection((struct smtp_clocks){10000, 10000, 10000});

	(void)state;
	wait_for(fixture, "220 ");
	say(fixture, "QUIT\r\n");
	wait_for(fixture, "221 ");
	for (int i = 0; i < PATIENCE_MS && !fixture->closed && fixture->connection != NULL; i++)
		turn(fixture);
	assert_true(fixture->closed);
	assert_non_null(fixture->connection);
	say(fixture, "NOOP\r\n");
	turn(fixture);
	assert_int_equal(fixture->length, 0);
	close_connection(fixture);
}

static void a_message_too_large_for_a_recipient_is_refused(void **state)
{
	struct fixture *fixture = open_connection((struct smtp_clocks){10000, 10000, 10000});

	(void)state;
	fixture->max_bytes = 1000;
	say(fixture, "EHLO c\r\n");
	wait_for(fixture, "250 ENHANCED");
	say(fixture, "MAIL FROM:<> SIZE=1001\r\nRCPT TO:<a@mx.example>\r\n");
	wait_for(fixture, "552 5.3.4 a message to this address may have 1000 octets at most");
	say(fixture, "RSET\r\nMAIL FROM:<> SIZE=1000\r\nRCPT TO:<a@mx.example>\r\nDATA\r\n");
	wait_for(fixture, "354 ");
	close_connection(fixture);
}

/* The client sends nothing more that would wake the connection. */
static void input_that_waits_for_an_answer_goes_on_when_the_answer_comes(void **state)
{
	enum { LINES = 20 };
	static const char line[] = "a line of thirty-two octets ...\r\n";
	struct fixture *fixture = open_connection((struct smtp_clocks){10000, 10000, 10000});
	char message[LINES * sizeof line + 64] = "";

	(void)state;
	fixture->later = true;
	fixture->budget.piece = 4 * (sizeof line - 1);
	begin_data(fixture);
	for (int i = 0; i < LINES; i++)
		strcat(message, line);
	strcat(message, ".\r\nNOOP\r\n");
	say(fixture, message);
	wait_for(fixture, "250 2.0.0 accepted as id-1\r\n250 2.0.0 still here");
	assert_true(fixture->pieces > 1);
	close_connection(fixture);
}

static void draining_closes_an_idle_connection(void **state)
{
	struct fixture *fixture = open_connection((struct smtp_clocks){10000, 10000, 10000});

	(void)state;
	wait_for(fixture, "220 ");
	smtp_connection_drain(fixture->connection);
	wait_for(fixture, "421 4.3.2");
	close_connection(fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_command_that_never_ends_does_not_stop_the_clock),
		cmocka_unit_test(each_command_restarts_the_clock),
		cmocka_unit_test(a_session_ends_however_busy_it_is),
		cmocka_unit_test(a_message_below_the_minimum_rate_is_cut_off),
		cmocka_unit_test(a_message_above_the_minimum_rate_is_accepted),
		cmocka_unit_test(the_more_of_a_message_is_held_the_faster_its_rest_must_arrive),
		cmocka_unit_test(the_client_is_not_blamed_for_our_own_slowness),
		cmocka_unit_test(replies_that_the_socket_does_not_take_are_sent_before_the_end),
		cmocka_unit_test(a_client_that_does_not_close_is_disconnected),
		cmocka_unit_test(the_server_ends_its_side_after_its_last_reply),
		cmocka_unit_test(a_message_too_large_for_a_recipient_is_refused),
		cmocka_unit_test(input_that_waits_for_an_answer_goes_on_when_the_answer_comes),
		cmocka_unit_test(draining_closes_an_idle_connection),
	};

	signal(SIGPIPE, SIG_IGN); /* the runner ignores SIGPIPE too */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
