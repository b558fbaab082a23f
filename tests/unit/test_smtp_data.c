/* The message of an SMTP session: its end, its octets, its limits. */
#include "local/smtp/smtp-session.h"
#include "local/smtp/smtp-transaction.h"
#include "tests/unit/smtp_fixture.h"

void *__real_realloc(void *bytes, size_t length);
void *__wrap_realloc(void *bytes, size_t length);

static bool memory_is_out;

/* The Makefile links this test with --wrap=realloc, so that realloc() can fail. */
void *__wrap_realloc(void *bytes, size_t length)
{
	return memory_is_out ? NULL : __real_realloc(bytes, length);
}

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

static void a_message_is_the_same_however_it_arrives_in_pieces(void **state)
{
	const char text[] = "EHLO c\r\nMAIL FROM:<>\r\nRCPT TO:<b@mx.example>\r\nDATA\r\n";
	const char data[] = "A: b\r\n\r\n..dot\r\n\r\n.\r\nQUIT\r\n";
	struct peer *peer = *state;

	/* Like the transport, the test gives octets that the session has not taken again, with one
	 * more each time. */
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

/* A client's share is charged with the octets that the client has sent, not with the larger buffer
 * that holds them. */
static void a_message_takes_its_own_size_of_the_budget(void **state)
{
	struct peer *peer = *state;
	char line[1002];

	memset(line, 'x', 1000);
	memcpy(line + 1000, "\r\n", 2);
	begin_message(peer);
	assert_int_equal(peer->budget.used, 0);
	for (size_t i = 1; i <= 200; i++) {
		say_bytes(peer, line, sizeof line);
		assert_int_equal(peer->budget.used, i * sizeof line);
	}
	assert_begins(say(peer, "."), "250");
	assert_int_equal(peer->budget.used, 0);
}

static void nul_is_refused_and_eight_bit_octets_are_kept(void **state)
{
	struct peer *peer = *state;

	assert_begins(send_message(peer, "a\0b", 3), "550 5.6.0");
	assert_begins(send_message(peer, "\xff\x80\xe4", 3), "250");
	assert_memory_equal(peer->mail.message, "\xff\x80\xe4\r\n", 5);
}

static void a_line_of_8192_octets_is_accepted_and_a_longer_one_refused(void **state)
{
	struct peer *peer = *state;
	char line[SMTP_DATA_LINE_MAX + 1];

	memset(line, 'x', sizeof line);
	assert_begins(send_message(peer, line, 8192), "250");
	assert_begins(send_message(peer, line, sizeof line), "500 5.6.0");
	assert_begins(send_message(peer, "x", 1), "250");
	assert_int_equal(peer->mails, 2);
}

static void a_message_of_15_mib_is_accepted_and_a_larger_one_refused(void **state)
{
	struct peer *peer = *state;
	char *block = malloc(64);

	memset(block, 'x', 62);
	memcpy(block + 62, "\r\n", 2);
	begin_message(peer);
	for (int i = 0; i < SMTP_MESSAGE_BYTES_MAX / 64; i++)
		smtp_session_input(peer->session, block, 64);
	assert_begins(say(peer, "."), "250");
	assert_int_equal(peer->mail.given + peer->mail.length, 15728640);
	assert_true(peer->mail.length < 300 * 1024);
	begin_message(peer);
	for (int i = 0; i < SMTP_MESSAGE_BYTES_MAX / 64; i++)
		smtp_session_input(peer->session, block, 64);
	assert_begins(say(peer, "x\r\n."), "552 5.3.4");
	assert_int_equal(peer->mails, 1);
	free(block);
}

static void a_message_with_more_than_100_received_fields_is_a_loop(void **state)
{
	struct peer *peer = *state;
	char text[101 * 16 + 1] = "";

	for (int i = 0; i < 100; i++)
		strcat(text, "received: x\r\n");
	assert_begins(send_message(peer, text, strlen(text)), "250");
	begin_message(peer);
	say_bytes(peer, text, strlen(text));
	say(peer, "");
	/* text in the body is not counted as a Received field */
	say(peer, "Received: in the body");
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

static void a_message_for_which_there_is_no_memory_is_put_off(void **state)
{
	struct peer *peer = *state;

	begin_message(peer);
	memory_is_out = true;
	say_bytes(peer, "x\r\n", 3);
	memory_is_out = false;
	assert_begins(say(peer, "."), "452 4.3.1");
	assert_int_equal(peer->mails, 0);
	assert_int_equal(peer->budget.used, 0);
	assert_begins(send_message(peer, "again", 5), "250");
	assert_memory_equal(peer->mail.message, "again\r\n", 7);
}

static void only_stored_mail_is_acknowledged(void **state)
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

/* Writes this many numbered lines, some of which begin with dots: as SMTP sends them, with a dot
 * added, or as the message has them. */
static size_t write_lines(char *text, int count, bool sent)
{
	size_t length = 0;

	for (int i = 0; i < count; i++)
		length += (size_t)sprintf(text + length, "%s%d %.*s\r\n",
			i % 3 > 0 ? "" : (sent ? ".." : "."), i, i * 7 % 60,
			"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
	return length;
}

static void a_large_message_is_handed_over_in_pieces_that_make_the_whole(void **state)
{
	static char sent[64 * 1024];
	static char meant[64 * 1024];
	size_t sent_length = write_lines(sent, 600, true);
	size_t meant_length = write_lines(meant, 600, false);

	(void)state;
	for (size_t cut = 1; cut < 3000; cut = cut * 3 + 1) {
		struct peer *peer = open_session(false);
		void *as_state = peer;

		peer->budget.piece = 1000;
		begin_message(peer);
		for (size_t at = 0, taken = 0; taken < sent_length;) {
			at = at + cut < sent_length ? at + cut : sent_length;
			taken += smtp_session_input(peer->session, sent + taken, at - taken);
		}
		assert_true(peer->budget.used >= meant_length);
		assert_begins(say(peer, "."), "250");
		assert_true(peer->pieces > 10);
		assert_int_equal(peer->mail.given, peer->kept_length);
		assert_true(peer->mail.length < 1000 + cut + 100);
		memcpy(peer->kept + peer->kept_length, peer->mail.message, peer->mail.length);
		assert_int_equal(peer->kept_length + peer->mail.length, meant_length);
		assert_memory_equal(peer->kept, meant, meant_length);
		assert_int_equal(peer->forgotten, 0);
		teardown(&as_state);
	}
}

static void begin_large(struct peer *peer)
{
	char line[1002];

	memset(line, 'x', 1000);
	memcpy(line + 1000, "\r\n", 2);
	peer->budget.piece = 1500;
	begin_message(peer);
	for (int i = 0; i < 5; i++)
		say_bytes(peer, line, sizeof line);
	assert_int_equal(peer->pieces, 2);
}

static void the_pieces_of_a_message_that_turns_out_bad_are_forgotten(void **state)
{
	struct peer *peer = *state;

	begin_large(peer);
	say_bytes(peer, "a bare LF\n", 10);
	assert_int_equal(peer->forgotten, 1);
	assert_int_equal(peer->budget.used, 0);
	assert_begins(say(peer, "\r\n."), "550 5.6.0");
	assert_int_equal(peer->mails, 0);
	assert_begins(send_message(peer, "good", 4), "250");
	assert_int_equal(peer->mail.given, 0);
}

static void the_pieces_of_a_message_that_breaks_off_are_forgotten(void **state)
{
	struct peer *peer = *state;

	begin_large(peer);
	smtp_session_free(peer->session);
	peer->session = NULL;
	assert_int_equal(peer->forgotten, 1);
	assert_int_equal(peer->budget.used, 0);
}

static void a_message_whose_piece_cannot_be_stored_is_refused_temporarily(void **state)
{
	struct peer *peer = *state;

	begin_large(peer);
	peer->disk_full = true;
	for (int i = 0; i < 3; i++)
		say_bytes(peer,
			"yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"
			"yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"
			"yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"
			"yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n",
			304);
	assert_int_equal(peer->pieces, 3);
	assert_begins(say(peer, "."), "452 4.3.1");
	assert_int_equal(peer->mails, 0);
	/* the session does not ask the host to forget the pieces: the host has failed to store one,
	 * and forgets them by itself */
	assert_int_equal(peer->forgotten, 0);
	assert_int_equal(peer->budget.used, 0);
}

/* While a piece is being written no further octets are read, so that memory holds no more than the
 * piece. */
static void no_more_is_read_while_a_piece_is_written(void **state)
{
	struct peer *peer = *state;
	char line[1002];

	begin_large(peer);
	peer->wait_kept = true;
	memset(line, 'x', 1000);
	memcpy(line + 1000, "\r\n", 2);
	assert_int_equal(smtp_session_input(peer->session, line, sizeof line), sizeof line);
	assert_true(smtp_session_waiting(peer->session));
	assert_int_equal(smtp_session_input(peer->session, ".\r\n", 3), 0);
	smtp_session_kept(peer->session, true);
	assert_int_equal(smtp_session_input(peer->session, ".\r\n", 3), 3);
	assert_int_equal(peer->mails, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_crlf_dot_crlf_ends_a_message),
		SESSION(dots_are_unstuffed_and_lines_that_only_look_like_the_end_are_data),
		SESSION(a_message_is_the_same_however_it_arrives_in_pieces),
		SESSION(a_message_takes_its_own_size_of_the_budget),
		SESSION(nul_is_refused_and_eight_bit_octets_are_kept),
		SESSION(a_line_of_8192_octets_is_accepted_and_a_longer_one_refused),
		SESSION(a_message_of_15_mib_is_accepted_and_a_larger_one_refused),
		SESSION(a_message_with_more_than_100_received_fields_is_a_loop),
		SESSION(memory_for_messages_is_bounded_for_all_sessions_together),
		SESSION(a_message_for_which_there_is_no_memory_is_put_off),
		SESSION(only_stored_mail_is_acknowledged),
		cmocka_unit_test(a_large_message_is_handed_over_in_pieces_that_make_the_whole),
		SESSION(the_pieces_of_a_message_that_turns_out_bad_are_forgotten),
		SESSION(the_pieces_of_a_message_that_breaks_off_are_forgotten),
		SESSION(a_message_whose_piece_cannot_be_stored_is_refused_temporarily),
		SESSION(no_more_is_read_while_a_piece_is_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
