/* An SMTP session, driven without a network: what is said, what is answered, what is stored. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "local/smtp-session.h"

enum {
	OUTPUT_MAX = 64 * 1024,
};

/* The host: answers recipients at once unless told to wait. */
struct peer {
	struct smtp_session *session;
	struct smtp_budget budget;
	char output[OUTPUT_MAX];
	size_t output_length;
	char asked[SMTP_ADDRESS_MAX + 1];
	int asked_count;
	bool wait; /* leave the recipient's question open */
	enum smtp_stored stored;
	int mails;
	struct smtp_mail mail; /* the last; its message is kept */
	struct smtp_recipient recipients[SMTP_RECIPIENTS_MAX];
	bool tls_started;
	bool closed;
	int refused;
	char refusal[2048]; /* the last one's client, HELO, MAIL FROM and reply */
};

static void on_reply(void *arg, const char *bytes, size_t length)
{
	struct peer *peer = arg;

	assert_true(peer->output_length + length < OUTPUT_MAX);
	memcpy(peer->output + peer->output_length, bytes, length);
	peer->output_length += length;
	peer->output[peer->output_length] = '\0';
}

static void on_ask(void *arg, const char *address)
{
	struct peer *peer = arg;

	snprintf(peer->asked, sizeof peer->asked, "%s", address);
	peer->asked_count++;
	if (peer->wait)
		return;
	if (strncmp(address, "unknown", 7) == 0)
		smtp_session_recipient(
			peer->session, SMTP_RECIPIENT_REFUSED, NULL, "nobody\r\n250");
	else if (strncmp(address, "broken", 6) == 0)
		smtp_session_recipient(peer->session, SMTP_RECIPIENT_UNKNOWN, NULL, NULL);
	else
		smtp_session_recipient(peer->session, SMTP_RECIPIENT_TAKEN, "tester", NULL);
}

static void on_store(void *arg, const struct smtp_mail *mail)
{
	struct peer *peer = arg;

	free(peer->mail.message);
	peer->mail = *mail;
	memcpy(peer->recipients, mail->recipients,
		mail->recipient_count * sizeof *mail->recipients);
	peer->budget.used -= mail->held_bytes;
	peer->mails++;
	smtp_session_stored(peer->session, peer->stored, "id-1");
}

static void on_start_tls(void *arg)
{
	((struct peer *)arg)->tls_started = true;
}

static void on_close(void *arg)
{
	((struct peer *)arg)->closed = true;
}

static void on_refused(void *arg, const struct smtp_mail *envelope, const char *reply)
{
	struct peer *peer = arg;

	peer->refused++;
	snprintf(peer->refusal, sizeof peer->refusal, "%s %s %s %s", envelope->client_ip,
		envelope->helo, envelope->mail_from, reply);
}

static struct peer *open_session(bool trusted)
{
	static const struct smtp_host host = {
		on_reply, on_ask, on_store, on_start_tls, on_close, on_refused};
	struct peer *peer = calloc(1, sizeof *peer);
	struct smtp_settings settings = {"mx.example", true, trusted, &peer->budget};

	peer->budget.max = 64 * 1024 * 1024;
	peer->budget.message_max = SMTP_MESSAGE_BYTES_MAX;
	peer->session = smtp_session_new(&settings, &host, peer, "192.0.2.7");
	return peer;
}

static int setup(void **state)
{
	*state = open_session(false);
	return 0;
}

static int setup_trusted(void **state)
{
	*state = open_session(true);
	return 0;
}

static int teardown(void **state)
{
	struct peer *peer = *state;

	smtp_session_free(peer->session);
	assert_int_equal(peer->budget.used, 0);
	free(peer->mail.message);
	free(peer);
	return 0;
}

/* Gives octets to the session and returns what it answered to them. */
static const char *say_bytes(struct peer *peer, const char *bytes, size_t length)
{
	size_t before = peer->output_length;

	smtp_session_input(peer->session, bytes, length);
	return peer->output + before;
}

static const char *say(struct peer *peer, const char *line)
{
	char text[SMTP_LINE_MAX * 2];
	int length = snprintf(text, sizeof text, "%s\r\n", line);

	return say_bytes(peer, text, (size_t)length);
}

static void assert_begins(const char *answer, const char *code)
{
	if (strncmp(answer, code, strlen(code)) != 0)
		fail_msg("answered \"%s\", not %s", answer, code);
}

static void begin_message(struct peer *peer)
{
	say(peer, "EHLO client.example");
	assert_begins(say(peer, "MAIL FROM:<a@example.com>"), "250");
	assert_begins(say(peer, "RCPT TO:<b@mx.example>"), "250");
	assert_begins(say(peer, "DATA"), "354");
}

static const char *send_message(struct peer *peer, const char *bytes, size_t length)
{
	begin_message(peer);
	say_bytes(peer, bytes, length);
	return say_bytes(peer, "\r\n.\r\n", 5);
}

static void a_good_message_is_stored_with_its_envelope(void **state)
{
	struct peer *peer = *state;

	assert_begins(peer->output, "220 mx.example");
	begin_message(peer);
	assert_begins(say(peer, "Subject: x\r\n\r\nhello\r\n."), "250 2.0.0 taken as id-1");
	assert_int_equal(peer->mails, 1);
	assert_int_equal(peer->mail.length, 21);
	assert_memory_equal(peer->mail.message, "Subject: x\r\n\r\nhello\r\n", 21);
	assert_string_equal(peer->mail.mail_from, "a@example.com");
	assert_string_equal(peer->mail.helo, "client.example");
	assert_string_equal(peer->mail.client_ip, "192.0.2.7");
	assert_string_equal(peer->mail.protocol, "ESMTP");
	assert_string_equal(peer->recipients[0].address, "b@mx.example");
	assert_string_equal(peer->recipients[0].function, "tester");
	assert_begins(say(peer, "QUIT"), "221");
	assert_true(peer->closed);
}

static void the_extensions_are_offered_to_ehlo_and_not_to_helo(void **state)
{
	struct peer *peer = *state;
	const char *answer = say(peer, "EHLO c");

	assert_non_null(strstr(answer, "250-SIZE 15728640\r\n"));
	assert_non_null(strstr(answer, "250-PIPELINING\r\n"));
	assert_non_null(strstr(answer, "250-8BITMIME\r\n"));
	assert_non_null(strstr(answer, "250-STARTTLS\r\n"));
	assert_non_null(strstr(answer, "250 ENHANCEDSTATUSCODES\r\n"));
	assert_null(strstr(answer, "XCLIENT"));
	assert_null(strstr(answer, "SMTPUTF8"));
	assert_null(strstr(answer, "CHUNKING"));
	assert_string_equal(say(peer, "HELO c"), "250 mx.example\r\n");
	say(peer, "MAIL FROM:<>");
	say(peer, "RCPT TO:<b@mx.example>");
	say(peer, "DATA");
	say(peer, ".");
	assert_string_equal(peer->mail.protocol, "SMTP");
	assert_string_equal(peer->mail.mail_from, "");
}

static void refusals_of_single_commands(void **state)
{
	static const struct {
		const char *before; /* said first, lines parted by | */
		const char *line;
		const char *code;
	} cases[] = {
		{"", "MAIL FROM:<a@b.example>", "503 5.5.1"},
		{"", "RCPT TO:<a@b.example>", "503 5.5.1"},
		{"", "DATA", "503 5.5.1"},
		{"", "EHLO", "501 5.5.4"},
		{"", "BDAT 10 LAST", "500 5.5.2"},
		{"", "", "500 5.5.2"},
		{"", "VRFY root", "252"},
		{"", "EXPN all", "502"},
		{"EHLO c", "RCPT TO:<a@b.example>", "503 5.5.1"},
		{"EHLO c", "MAIL FROM: <a@b.example>", "250"},
		{"EHLO c", "MAIL FROM:a@b.example", "501 5.1.7"},
		{"EHLO c", "MAIL FROM:<a>", "501 5.1.7"},
		{"EHLO c", "MAIL FROM:<a@b.example", "501 5.1.7"},
		{"EHLO c", "MAIL FROM:<\"a b\"@c.example>", "250"},
		{"EHLO c", "MAIL FROM:<@r.example:a@b.example>", "550"},
		{"EHLO c", "MAIL FROM:<\xc3\xa4@b.example>", "553 5.6.7"},
		{"EHLO c", "MAIL FROM:<a@b.example> SIZE=15728640", "250"},
		{"EHLO c", "MAIL FROM:<a@b.example> SIZE=15728641", "552 5.3.4"},
		{"EHLO c", "MAIL FROM:<a@b.example> SIZE=99999999999999999999", "552 5.3.4"},
		{"EHLO c", "MAIL FROM:<a@b.example> SIZE=-1", "501 5.5.4"},
		{"EHLO c", "MAIL FROM:<a@b.example> BODY=8BITMIME", "250"},
		{"EHLO c", "MAIL FROM:<a@b.example> BODY=BINARYMIME", "501 5.5.4"},
		{"EHLO c", "MAIL FROM:<a@b.example> SMTPUTF8", "555 5.5.4"},
		{"EHLO c|MAIL FROM:<>", "MAIL FROM:<>", "503 5.5.1"},
		{"EHLO c|MAIL FROM:<>", "DATA", "554 5.5.1"},
		{"EHLO c|MAIL FROM:<>", "RCPT TO:<>", "501 5.1.3"},
		{"EHLO c|MAIL FROM:<>", "RCPT TO:<unknown@b.example>", "550 5.1.1 nobody??250"},
		{"EHLO c|MAIL FROM:<>", "RCPT TO:<broken@b.example>", "451 4.3.0"},
		{"EHLO c|MAIL FROM:<>", "RCPT TO:<a%c@b.example>", "550 5.1.3"},
		{"EHLO c|MAIL FROM:<>", "RCPT TO:<c!a@b.example>", "550 5.1.3"},
		{"EHLO c|MAIL FROM:<>", "RCPT TO:<@r.example:a@b.example>", "550 5.1.3"},
		{"EHLO c|MAIL FROM:<>", "RCPT TO:<\"a\"@b.example>", "550 5.1.3"},
		{"EHLO c|MAIL FROM:<>", "RCPT TO:<\xc3\xa4@b.example>", "553 5.6.7"},
		{"EHLO c|MAIL FROM:<>", "RCPT TO:<a@\xc3\xa4.example>", "553 5.6.7"},
		{"EHLO c|MAIL FROM:<>", "RCPT TO:<a@b.example> NOTIFY=NEVER", "555 5.5.4"},
		{"EHLO c|MAIL FROM:<>", "XCLIENT ADDR=192.0.2.1", "550 5.7.0"},
		{"EHLO c|MAIL FROM:<>", "XFORWARD ADDR=192.0.2.1", "550 5.7.0"},
		{"EHLO c|MAIL FROM:<>|RCPT TO:<a@b.example>", "DATA now", "501 5.5.4"},
		{"EHLO c|MAIL FROM:<>|RSET", "RCPT TO:<a@b.example>", "503 5.5.1"},
		{"EHLO c|MAIL FROM:<>|EHLO c", "RCPT TO:<a@b.example>", "503 5.5.1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct peer *peer = open_session(false);
		void *as_state = peer;
		char before[256];
		char *rest = before;

		snprintf(before, sizeof before, "%s", cases[i].before);
		for (char *line = strsep(&rest, "|"); line != NULL && *line != '\0';
			line = strsep(&rest, "|"))
			say(peer, line);
		assert_begins(say(peer, cases[i].line), cases[i].code);
		teardown(&as_state);
	}
}

static void local_parts_are_lowered_and_the_same_recipient_is_taken_once(void **state)
{
	struct peer *peer = *state;

	say(peer, "EHLO c");
	say(peer, "MAIL FROM:<Mixed@Example.COM>");
	assert_begins(say(peer, "rcpt to:<AbC@MX.Example>"), "250");
	assert_string_equal(peer->asked, "abc@mx.example");
	assert_begins(say(peer, "RCPT TO:<abc@mx.example>"), "250");
	assert_int_equal(peer->asked_count, 1);
	say(peer, "DATA");
	say(peer, ".");
	assert_int_equal(peer->mail.recipient_count, 1);
	assert_string_equal(peer->mail.mail_from, "Mixed@Example.COM");
}

static void the_hundred_and_first_recipient_is_put_off(void **state)
{
	struct peer *peer = *state;
	char line[64];

	say(peer, "EHLO c");
	say(peer, "MAIL FROM:<>");
	for (int i = 0; i < SMTP_RECIPIENTS_MAX; i++) {
		snprintf(line, sizeof line, "RCPT TO:<r%d@mx.example>", i);
		assert_begins(say(peer, line), "250");
	}
	for (int i = 0; i < 2 * SMTP_ERRORS_MAX; i++)
		assert_begins(say(peer, "RCPT TO:<more@mx.example>"), "452 4.5.3");
	assert_begins(say(peer, "DATA"), "354");
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

static void a_command_has_2048_octets_at_most(void **state)
{
	struct peer *peer = *state;
	char line[SMTP_LINE_MAX + 2];

	memset(line, 'x', sizeof line);
	memcpy(line, "NOOP ", 5);
	line[SMTP_LINE_MAX] = '\0';
	assert_begins(say(peer, line), "250");
	line[SMTP_LINE_MAX] = 'x';
	line[SMTP_LINE_MAX + 1] = '\0';
	assert_begins(say(peer, line), "500 5.5.2");
	memset(line, 'x', sizeof line);
	for (int i = 0; i < 10; i++)
		assert_string_equal(say_bytes(peer, line, sizeof line), "");
	assert_begins(say(peer, ""), "500 5.5.2");
	assert_begins(say(peer, "NOOP"), "250");
}

static void commands_end_with_crlf_and_hold_neither_cr_nor_nul(void **state)
{
	struct peer *peer = *state;

	assert_begins(say_bytes(peer, "NOOP\n", 5), "500 5.5.2");
	assert_begins(say_bytes(peer, "NO\rOP\r\n", 7), "500 5.5.2");
	assert_begins(say_bytes(peer, "NO\0OP\r\n", 7), "500 5.5.2");
	assert_begins(say(peer, "NOOP"), "250");
}

static void twenty_errors_end_the_session(void **state)
{
	struct peer *peer = *state;

	for (int i = 1; i < SMTP_ERRORS_MAX; i++)
		assert_begins(say(peer, "WHAT"), "500");
	assert_false(peer->closed);
	assert_non_null(strstr(say(peer, "WHAT"), "\r\n421 4.7.0"));
	assert_true(peer->closed);
	assert_string_equal(say(peer, "NOOP"), "");
}

static void a_group_of_commands_is_answered_in_order(void **state)
{
	const char group[] =
		"MAIL FROM:<>\r\nRCPT TO:<a@mx.example>\r\nRCPT TO:<unknown@mx.example>\r\n"
		"DATA\r\n";
	struct peer *peer = *state;
	const char *answer;

	say(peer, "EHLO c");
	answer = say_bytes(peer, group, strlen(group));
	assert_begins(answer, "250 2.1.0");
	answer = strchr(answer, '\n') + 1;
	assert_begins(answer, "250 2.1.5");
	answer = strchr(answer, '\n') + 1;
	assert_begins(answer, "550 5.1.1");
	answer = strchr(answer, '\n') + 1;
	assert_begins(answer, "354");
}

static void what_must_end_a_group_is_refused_within_it(void **state)
{
	static const char *const groups[] = {"EHLO c\r\nNOOP\r\n", "HELO c\r\nNOOP\r\n",
		"DATA\r\nSubject: x\r\n\r\n.\r\nMAIL FROM:<>\r\n"};

	(void)state;
	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
		struct peer *peer = open_session(false);
		void *as_state = peer;
		const char *answer;

		say(peer, "EHLO c");
		say(peer, "MAIL FROM:<>");
		say(peer, "RCPT TO:<a@mx.example>");
		answer = say_bytes(peer, groups[i], strlen(groups[i]));
		assert_begins(answer, "503 5.5.1");
		assert_non_null(strstr(answer, "421 4.7.0"));
		assert_true(peer->closed);
		assert_int_equal(peer->mails, 0);
		teardown(&as_state);
	}
}

static void input_waits_for_the_verdict_on_a_recipient(void **state)
{
	const char group[] = "RCPT TO:<a@mx.example>\r\nRSET\r\n";
	struct peer *peer = *state;
	size_t used;

	say(peer, "EHLO c");
	say(peer, "MAIL FROM:<>");
	peer->wait = true;
	used = smtp_session_input(peer->session, group, strlen(group));
	assert_int_equal(used, strlen("RCPT TO:<a@mx.example>\r\n"));
	assert_int_equal(smtp_session_input(peer->session, group + used, strlen(group) - used), 0);
	smtp_session_recipient(peer->session, SMTP_RECIPIENT_TAKEN, "tester", NULL);
	assert_int_equal(smtp_session_input(peer->session, group + used, strlen(group) - used), 6);
}

static void octets_behind_starttls_drop_the_connection(void **state)
{
	const char injected[] = "STARTTLS\r\nMAIL FROM:<attacker@example.com>\r\n";
	struct peer *peer = *state;

	say(peer, "EHLO c");
	assert_string_equal(say_bytes(peer, injected, strlen(injected)), "");
	assert_true(peer->closed);
	assert_false(peer->tls_started);
}

static void starttls_forgets_what_was_said_before_it(void **state)
{
	struct peer *peer = *state;
	const char *answer;

	say(peer, "EHLO c");
	say(peer, "MAIL FROM:<>");
	assert_begins(say(peer, "STARTTLS"), "220");
	assert_true(peer->tls_started);
	assert_string_equal(say(peer, "NOOP"), ""); /* until the handshake is over */
	smtp_session_tls(peer->session, "TLSv1.3 TLS_AES_256_GCM_SHA384");
	assert_begins(say(peer, "MAIL FROM:<>"), "503");
	answer = say(peer, "EHLO c");
	assert_null(strstr(answer, "STARTTLS"));
	assert_begins(say(peer, "STARTTLS"), "503");
	say(peer, "MAIL FROM:<>");
	say(peer, "RCPT TO:<a@mx.example>");
	say(peer, "DATA");
	say(peer, ".");
	assert_string_equal(peer->mail.protocol, "ESMTPS");
	assert_string_equal(peer->mail.tls, "TLSv1.3 TLS_AES_256_GCM_SHA384");
}

static void a_host_name_that_would_spoil_a_field_is_cleaned(void **state)
{
	struct peer *peer = *state;

	begin_message(peer);
	say(peer, ".");
	say(peer, "EHLO a(b)\tc\xff;[x]");
	say(peer, "MAIL FROM:<>");
	say(peer, "RCPT TO:<a@mx.example>");
	say(peer, "DATA");
	say(peer, ".");
	assert_string_equal(peer->mail.helo, "a?b??c??[x]");
}

static void a_trusted_proxy_speaks_for_its_client(void **state)
{
	struct peer *peer = *state;

	assert_non_null(strstr(say(peer, "EHLO proxy.example"), "250-XCLIENT NAME ADDR"));
	assert_begins(
		say(peer, "XCLIENT NAME=[UNAVAILABLE] ADDR=IPV6:2001:db8::1 HELO=real+2Eexample"),
		"220");
	assert_begins(say(peer, "MAIL FROM:<>"), "503"); /* the session begins anew */
	say(peer, "EHLO proxy.example");
	say(peer, "MAIL FROM:<>");
	say(peer, "RCPT TO:<a@mx.example>");
	say(peer, "DATA");
	say(peer, ".");
	assert_string_equal(peer->mail.client_ip, "2001:db8::1");
	assert_string_equal(peer->mail.helo, "real.example");
}

static void xforward_holds_for_one_message(void **state)
{
	struct peer *peer = *state;

	say(peer, "EHLO proxy.example");
	assert_begins(say(peer, "XFORWARD ADDR=198.51.100.9"), "250");
	assert_begins(say(peer, "XFORWARD HELO=real.example PORT=25 SOURCE=REMOTE"), "250");
	say(peer, "MAIL FROM:<>");
	say(peer, "RCPT TO:<a@mx.example>");
	say(peer, "DATA");
	say(peer, ".");
	assert_string_equal(peer->mail.client_ip, "198.51.100.9");
	assert_string_equal(peer->mail.helo, "real.example");
	say(peer, "MAIL FROM:<>");
	say(peer, "RCPT TO:<a@mx.example>");
	say(peer, "DATA");
	say(peer, ".");
	assert_string_equal(peer->mail.client_ip, "192.0.2.7");
	assert_string_equal(peer->mail.helo, "proxy.example");
}

static void malformed_proxy_attributes_change_nothing(void **state)
{
	static const char *const lines[] = {"XCLIENT", "XCLIENT ADDR=300.1.1.1", "XCLIENT =x",
		"XCLIENT FOO=bar", "XCLIENT HELO=a+0Ab", "XCLIENT HELO=a+2", "XFORWARD ADDR="};
	struct peer *peer = *state;

	say(peer, "EHLO proxy.example");
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		assert_begins(say(peer, lines[i]), "501 5.5.4");
	say(peer, "MAIL FROM:<>");
	assert_begins(say(peer, "XCLIENT ADDR=192.0.2.1"), "503");
	say(peer, "RCPT TO:<a@mx.example>");
	say(peer, "DATA");
	say(peer, ".");
	assert_string_equal(peer->mail.client_ip, "192.0.2.7");
}

static void a_client_unknown_to_the_proxy_is_unknown_to_us(void **state)
{
	struct peer *peer = *state;

	say(peer, "XCLIENT ADDR=[UNAVAILABLE]");
	begin_message(peer);
	say(peer, ".");
	assert_string_equal(peer->mail.client_ip, "");
}

int main(void)
{
#define SESSION(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
#define PROXY(test) cmocka_unit_test_setup_teardown(test, setup_trusted, teardown)
	const struct CMUnitTest tests[] = {
		SESSION(a_good_message_is_stored_with_its_envelope),
		SESSION(the_extensions_are_offered_to_ehlo_and_not_to_helo),
		cmocka_unit_test(refusals_of_single_commands),
		SESSION(local_parts_are_lowered_and_the_same_recipient_is_taken_once),
		SESSION(the_hundred_and_first_recipient_is_put_off),
		cmocka_unit_test(only_crlf_dot_crlf_ends_a_message),
		SESSION(dots_are_unstuffed_and_lines_that_only_look_like_the_end_are_data),
		SESSION(a_message_is_the_same_however_it_is_cut_into_pieces),
		SESSION(nul_and_eight_bit_octets),
		SESSION(a_line_of_8192_octets_is_taken_and_a_longer_one_is_not),
		SESSION(a_message_of_15_mib_is_taken_and_a_bigger_one_is_not),
		SESSION(a_message_that_went_through_more_than_50_servers_is_a_loop),
		SESSION(memory_for_messages_is_bounded_for_all_sessions_together),
		SESSION(nothing_is_acknowledged_that_was_not_stored),
		SESSION(a_command_has_2048_octets_at_most),
		SESSION(commands_end_with_crlf_and_hold_neither_cr_nor_nul),
		SESSION(twenty_errors_end_the_session),
		SESSION(a_group_of_commands_is_answered_in_order),
		cmocka_unit_test(what_must_end_a_group_is_refused_within_it),
		SESSION(input_waits_for_the_verdict_on_a_recipient),
		SESSION(octets_behind_starttls_drop_the_connection),
		SESSION(starttls_forgets_what_was_said_before_it),
		SESSION(a_host_name_that_would_spoil_a_field_is_cleaned),
		PROXY(a_trusted_proxy_speaks_for_its_client),
		PROXY(xforward_holds_for_one_message),
		PROXY(malformed_proxy_attributes_change_nothing),
		PROXY(a_client_unknown_to_the_proxy_is_unknown_to_us),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
