/* The message of an SMTP session: its end, its octets, its limits. */
#include "local/smtp-session.h"
#include "tests/unit/smtp_fixture.h"

static int setup(void **state)
{
	*state = open_session(false);
	return 0;
}

static const char *send_message(struct peer *peer, const char *bytes, size_t length)
{
	begin_message(peer);
	say_bytes(peer, bytes, length);
	return say_bytes(peer, "\r\n.\r\n", 5);
}

static void only_crlf_dot_crlf_ends_a_message(void **state)
{
	static const char *const inner[] = {
		"\n.\n", "\r\n.\n", "\n.\r\n", "\r.\r", "\r\n.\r", "\r.\r\n"};

	(void)state;
	for (size_t i = 0; i < sizeof inner / sizeof *inner; i++) {
		struct peer *peer = open_session(false);
		void *as_state = peer;

		begin_message(peer);
		say_bytes(peer, "a", 1);
		assert_string_equal(say_bytes(peer, inner[i], strlen(inner[i])), "");
		assert_string_equal(say(peer, "MAIL FROM:<smuggled@example.com>"), "");
		assert_begins(say(peer, "."), "550 5.6.0");
		assert_int_equal(peer->mails, 0);
		assert_begins(say(peer, "NOOP"), "250");
		teardown(&as_state);
	}
}

static void dots_are_unstuffed_and_lines_that_only_look_like_the_end_are_data(void **state)
{
	struct peer *peer = *state;
	const char text[] = "..\r\n...a\r\n. \r\n.b\r\na.\r\n";
	const char kept[] = ".\r\n..a\r\n \r\nb\r\na.\r\n";

	begin_message(peer);
	say_bytes(peer, text, strlen(text));
	assert_begins(say(peer, "."), "250");
	assert_int_equal(peer->mail.length, strlen(kept));
	assert_memory_equal(peer->mail.message, kept, strlen(kept));
}

static void a_message_is_the_same_however_it_is_cut_into_pieces(void **state)
{
	const char text[] = "EHLO c\r\nMAIL FROM:<>\r\nRCPT TO:<b@mx.example>\r\nDATA\r\n";
	const char data[] = "A: b\r\n\r\n..dot\r\n\r\n.\r\nQUIT\r\n";
	struct peer *peer = *state;

	/* The transport gives again what was not taken. */
	for (size_t sent = 0, have = 0; sent < strlen(text);) {
		have++;
		sent += smtp_session_input(peer->session, text + sent, have - sent);
	}
	for (size_t i = 0; i + 6 < strlen(data); i++)
		assert_int_equal(smtp_session_input(peer->session, data + i, 1), 1);
	assert_int_equal(peer->mails, 1);
	assert_int_equal(peer->mail.length, 16);
	assert_memory_equal(peer->mail.message, "A: b\r\n\r\n.dot\r\n\r\n", 16);
}

static void nul_and_eight_bit_octets(void **state)
{
	struct peer *peer = *state;

	assert_begins(send_message(peer, "a\0b", 3), "550 5.6.0");
	assert_begins(send_message(peer, "\xff\x80\xe4", 3), "250");
	assert_memory_equal(peer->mail.message, "\xff\x80\xe4\r\n", 5);
}

static void a_line_of_8192_octets_is_taken_and_a_longer_one_is_not(void **state)
{
	struct peer *peer = *state;
	char line[SMTP_DATA_LINE_MAX + 1];

	memset(line, 'x', sizeof line);
	assert_begins(send_message(peer, line, SMTP_DATA_LINE_MAX), "250");
	assert_begins(send_message(peer, line, sizeof line), "500 5.6.0");
	assert_begins(send_message(peer, "x", 1), "250");
	assert_int_equal(peer->mails, 2);
}

static void a_message_of_15_mib_is_taken_and_a_bigger_one_is_not(void **state)
{
	struct peer *peer = *state;
	char *block = malloc(64);

	memset(block, 'x', 62);
	memcpy(block + 62, "\r\n", 2);
	begin_message(peer);
	for (int i = 0; i < SMTP_MESSAGE_BYTES_MAX / 64; i++)
		smtp_session_input(peer->session, block, 64);
	assert_begins(say(peer, "."), "250");
	assert_int_equal(peer->mail.length, SMTP_MESSAGE_BYTES_MAX);
	begin_message(peer);
	for (int i = 0; i < SMTP_MESSAGE_BYTES_MAX / 64; i++)
		smtp_session_input(peer->session, block, 64);
	assert_begins(say(peer, "x\r\n."), "552 5.3.4");
	assert_int_equal(peer->mails, 1);
	free(block);
}

static void a_message_that_went_through_more_than_50_servers_is_a_loop(void **state)
{
	struct peer *peer = *state;
	char text[51 * 16 + 1] = "";

	for (int i = 0; i < 50; i++)
		strcat(text, "received: x\r\n");
	assert_begins(send_message(peer, text, strlen(text)), "250");
	begin_message(peer);
	say_bytes(peer, text, strlen(text));
	say(peer, "");
	say(peer, "Received: in the body"); /* does not count */
	assert_begins(say(peer, "."), "250");
	begin_message(peer);
	say_bytes(peer, text, strlen(text));
	assert_begins(say(peer, "Received: y\r\n\r\n."), "554 5.4.6");
}

static void memory_for_messages_is_bounded_for_all_sessions_together(void **state)
{
	struct peer *peer = *state;
	char text[2048];

	peer->budget.max = 16 * 1024;
	memset(text, 'x', sizeof text);
	memcpy(text + sizeof text - 2, "\r\n", 2);
	begin_message(peer);
	for (int i = 0; i < 10; i++)
		say_bytes(peer, text, sizeof text);
	assert_begins(say(peer, "."), "452 4.3.1");
	assert_int_equal(peer->budget.used, 0);
	assert_begins(send_message(peer, "small", 5), "250");
}

static void nothing_is_acknowledged_that_was_not_stored(void **state)
{
	struct peer *peer = *state;

	peer->stored = SMTP_NOT_STORED;
	assert_begins(send_message(peer, "x", 1), "451 4.3.1");
	peer->stored = SMTP_STORE_BUSY;
	assert_begins(send_message(peer, "x", 1), "452 4.3.1");
	assert_int_equal(peer->refused, 2);
	assert_string_equal(peer->refusal + strcspn(peer->refusal, " "),
		" client.example a@example.com 452 4.3.1 too much mail is waiting, try again");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_crlf_dot_crlf_ends_a_message),
		SESSION(dots_are_unstuffed_and_lines_that_only_look_like_the_end_are_data),
		SESSION(a_message_is_the_same_however_it_is_cut_into_pieces),
		SESSION(nul_and_eight_bit_octets),
		SESSION(a_line_of_8192_octets_is_taken_and_a_longer_one_is_not),
		SESSION(a_message_of_15_mib_is_taken_and_a_bigger_one_is_not),
		SESSION(a_message_that_went_through_more_than_50_servers_is_a_loop),
		SESSION(memory_for_messages_is_bounded_for_all_sessions_together),
		SESSION(nothing_is_acknowledged_that_was_not_stored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
