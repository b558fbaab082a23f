/* The clocks of an SMTP connection, over a real socket pair. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "local/smtp-connection.h"
#include "runtime/ctx.h"

enum {
	TEXT_MAX = 4096,
	PATIENCE_MS = 8000,
};

struct fixture {
	struct event_base *base;
	struct smtp_connection *connection;
	struct smtp_budget budget;
	int fd; /* the client's end */
	char text[TEXT_MAX];
	size_t length;
	bool closed; /* our end saw the end of the stream */
	bool hold;   /* recipients are not answered */
};

static void on_ask(void *arg, struct smtp_connection *connection, const char *address)
{
	struct fixture *fixture = arg;

	(void)address;
	if (!fixture->hold)
		smtp_connection_recipient(connection, SMTP_RECIPIENT_TAKEN, "tester", NULL);
}

static void on_store(void *arg, struct smtp_connection *connection, const struct smtp_mail *mail)
{
	struct fixture *fixture = arg;

	fixture->budget.used -= mail->held_bytes;
	free(mail->message);
	smtp_connection_stored(connection, SMTP_STORED, "id-1");
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
		.session = {"mx.example", false, false, &fixture->budget},
		.clocks = clocks,
		.calls = {on_ask, on_store, on_refused, on_closed},
		.arg = fixture,
	};
	struct rt_ip peer;
	int ends[2];

	assert_true(rt_ip_parse("192.0.2.7", &peer));
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
	fixture->base = settings.base = event_base_new();
	fixture->budget.max = 1024 * 1024;
	fixture->budget.message_max = SMTP_MESSAGE_BYTES_MAX;
	fixture->fd = ends[1];
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
	ssize_t got;

	event_base_loop(fixture->base, EVLOOP_NONBLOCK);
	got = read(fixture->fd, fixture->text + fixture->length, TEXT_MAX - 1 - fixture->length);
	if (got == 0)
		fixture->closed = true;
	fixture->length += got > 0 ? (size_t)got : 0;
	usleep(1000);
}

/* Until the text was answered; what was answered before is forgotten. */
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

/* The server may have closed by then: what it said before that is what counts. */
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

static void octets_without_an_end_do_not_hold_the_command_clock(void **state)
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

static void each_command_sets_the_clock_anew(void **state)
{
	struct fixture *fixture = open_connection((struct smtp_clocks){600, 10000, 10000});

	(void)state;
	for (int i = 0; i < 4; i++) {
		int64_t until = rt_monotonic_ms() + 200;

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

static void a_message_below_the_least_rate_is_cut_off(void **state)
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

static void a_message_above_the_least_rate_is_taken(void **state)
{
	struct fixture *fixture = open_connection((struct smtp_clocks){10000, 10000, 500});
	char line[1003];

	(void)state;
	memset(line, 'x', 1000);
	memcpy(line + 1000, "\r\n", 3);
	begin_data(fixture);
	for (int i = 0; i < 10; i++) { /* 1,000 octets buy two seconds */
		say(fixture, line);
		for (int j = 0; j < 60; j++)
			turn(fixture);
	}
	say(fixture, ".\r\n");
	wait_for(fixture, "250 2.0.0 taken");
	close_connection(fixture);
}

static void the_client_is_not_blamed_for_our_own_slowness(void **state)
{
	struct fixture *fixture = open_connection((struct smtp_clocks){60, 150, 60});

	(void)state;
	fixture->hold = true;
	say(fixture, "EHLO c\r\n");
	wait_for(fixture, "250 ENHANCED");
	say(fixture, "MAIL FROM:<>\r\nRCPT TO:<a@mx.example>\r\n");
	for (int j = 0; j < 300; j++)
		turn(fixture);
	assert_null(strstr(fixture->text, "421"));
	smtp_connection_recipient(fixture->connection, SMTP_RECIPIENT_UNKNOWN, NULL, NULL);
	wait_for(fixture, "451 4.3.0");
	close_connection(fixture);
}

static void a_client_that_does_not_close_is_closed(void **state)
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
		cmocka_unit_test(octets_without_an_end_do_not_hold_the_command_clock),
		cmocka_unit_test(each_command_sets_the_clock_anew),
		cmocka_unit_test(a_session_ends_however_busy_it_is),
		cmocka_unit_test(a_message_below_the_least_rate_is_cut_off),
		cmocka_unit_test(a_message_above_the_least_rate_is_taken),
		cmocka_unit_test(the_client_is_not_blamed_for_our_own_slowness),
		cmocka_unit_test(a_client_that_does_not_close_is_closed),
		cmocka_unit_test(draining_closes_an_idle_connection),
	};

	signal(SIGPIPE, SIG_IGN); /* as the runner does */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
