/* An SMTP session: commands, their order and their limits, TLS. */
#include "local/smtp/smtp-session.h"
#include "local/smtp/smtp-transaction.h"
#include "tests/unit/smtp_fixture.h"

static int setup(void **state)
{
	*state = open_session(false);
	return 0;
}

static void a_good_message_is_stored_with_its_envelope(void **state)
{
	struct peer *peer = *state;

	assert_begins(peer->output, "220 mx.example");
	begin_message(peer);
	assert_begins(say(peer, "Subject: x\r\n\r\nhello\r\n."), "250 2.0.0 accepted as id-1");
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
	assert_non_null(strstr(answer, "250-SMTPUTF8\r\n"));
	assert_null(strstr(answer, "CHUNKING"));
	assert_string_equal(say(peer, "HELO c"), "250 mx.example\r\n");
	say(peer, "MAIL FROM:<>");
	say(peer, "RCPT TO:<b@mx.example>");
	say(peer, "DATA");
	say(peer, ".");
	assert_string_equal(peer->mail.protocol, "SMTP");
	assert_string_equal(peer->mail.mail_from, "");
}

struct command {
	const char *before; /* the commands that are sent first, separated by | */
	const char *line;
	const char *code;
};

static void assert_answers(const struct command *commands, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct peer *peer = open_session(false);
		void *as_state = peer;
		char before[256];
		char *rest = before;

		snprintf(before, sizeof before, "%s", commands[i].before);
		for (char *line = strsep(&rest, "|"); line != NULL && *line != '\0';
			line = strsep(&rest, "|"))
			say(peer, line);
		assert_begins(say(peer, commands[i].line), commands[i].code);
		teardown(&as_state);
	}
}

static void unknown_commands_and_commands_out_of_turn_are_refused(void **state)
{
	static const struct command commands[] = {
		{"", "MAIL FROM:<a@b.example>", "503 5.5.1"},
		{"", "RCPT TO:<a@b.example>", "503 5.5.1"},
		{"", "DATA", "503 5.5.1"},
		{"", "EHLO", "501 5.5.4"},
		{"", "BDAT 10 LAST", "500 5.5.2"},
		{"", "", "500 5.5.2"},
		{"", "VRFY root", "252"},
		{"", "EXPN all", "502"},
		{"EHLO c", "RCPT TO:<a@b.example>", "503 5.5.1"},
		{"EHLO c|MAIL FROM:<>", "MAIL FROM:<>", "503 5.5.1"},
		{"EHLO c|MAIL FROM:<>", "DATA", "554 5.5.1"},
		{"EHLO c|MAIL FROM:<>", "XCLIENT ADDR=192.0.2.1", "550 5.7.0"},
		{"EHLO c|MAIL FROM:<>", "XFORWARD ADDR=192.0.2.1", "550 5.7.0"},
		{"EHLO c|MAIL FROM:<>|RCPT TO:<a@b.example>", "DATA now", "501 5.5.4"},
		{"EHLO c|MAIL FROM:<>|RSET", "RCPT TO:<a@b.example>", "503 5.5.1"},
		{"EHLO c|MAIL FROM:<>|EHLO c", "RCPT TO:<a@b.example>", "503 5.5.1"},
	};

	(void)state;
	assert_answers(commands, sizeof commands / sizeof *commands);
}

static void a_sender_is_an_address_with_known_parameters(void **state)
{
	static const struct command commands[] = {
		{"EHLO c", "MAIL FROM: <a@b.example>", "250"},
		{"EHLO c", "MAIL FROM:a@b.example", "501 5.1.7"},
		{"EHLO c", "MAIL FROM:<a>", "501 5.1.7"},
		{"EHLO c", "MAIL FROM:<a@b.example", "501 5.1.7"},
		{"EHLO c", "MAIL FROM:<\"a b\"@c.example>", "250"},
		{"EHLO c", "MAIL FROM:<\"a> b\"@c.example>", "250"},
		{"EHLO c", "MAIL FROM:<\"a\\\"> b\"@c.example> SIZE=1", "250"},
		{"EHLO c", "MAIL FROM:<\"a>@c.example>", "501 5.1.7"},
		{"EHLO c", "MAIL FROM:<@r.example:a@b.example>", "550"},
		{"EHLO c", "MAIL FROM:<\xc3\xa4@b.example>", "553 5.6.7"},
		{"EHLO c", "MAIL FROM:<a@b.example> SIZE=15728640", "250"},
		{"EHLO c", "MAIL FROM:<a@b.example> SIZE=15728641", "552 5.3.4"},
		{"EHLO c", "MAIL FROM:<a@b.example> SIZE=99999999999999999999", "552 5.3.4"},
		{"EHLO c", "MAIL FROM:<a@b.example> SIZE=-1", "501 5.5.4"},
		{"EHLO c", "MAIL FROM:<a@b.example> BODY=8BITMIME", "250"},
		{"EHLO c", "MAIL FROM:<a@b.example> BODY=BINARYMIME", "501 5.5.4"},
		{"EHLO c", "MAIL FROM:<a@b.example> SMTPUTF8", "250"},
		{"EHLO c", "MAIL FROM:<\xc3\xa4@\xc3\xa4.example> SMTPUTF8", "250"},
		{"EHLO c", "MAIL FROM:<\xe4@b.example> SMTPUTF8", "553 5.6.7"},
		{"EHLO c", "MAIL FROM:<a@b.example> SMTPUTF8=1", "501 5.5.4"},
		{"EHLO c|MAIL FROM:<a@b.example> SMTPUTF8|RSET", "MAIL FROM:<\xc3\xa4@b.example>",
			"553 5.6.7"},
		{"EHLO c", "MAIL FROM:<postmaster>", "501 5.1.7"},
	};

	(void)state;
	assert_answers(commands, sizeof commands / sizeof *commands);
}

static void a_recipient_is_an_address_of_this_service_in_plain_form(void **state)
{
	static const struct command commands[] = {
		{"EHLO c|MAIL FROM:<>", "RCPT TO:<>", "501 5.1.3"},
		{"EHLO c|MAIL FROM:<>", "RCPT TO:<postmaster>", "550 5.1.1"},
		{"EHLO c|MAIL FROM:<>", "RCPT TO:<PostMaster>", "550 5.1.1"},
		{"EHLO c|MAIL FROM:<>", "RCPT TO:<postmasters>", "501 5.1.3"},
		{"EHLO c|MAIL FROM:<>", "RCPT TO:<postmaster@b.example>", "250"},
		{"EHLO c|MAIL FROM:<>", "RCPT TO:<unknown@b.example>", "550 5.1.1 nobody??250"},
		{"EHLO c|MAIL FROM:<>", "RCPT TO:<broken@b.example>", "451 4.3.0"},
		{"EHLO c|MAIL FROM:<>", "RCPT TO:<a%c@b.example>", "550 5.1.3"},
		{"EHLO c|MAIL FROM:<>", "RCPT TO:<c!a@b.example>", "550 5.1.3"},
		{"EHLO c|MAIL FROM:<>", "RCPT TO:<@r.example:a@b.example>", "550 5.1.3"},
		{"EHLO c|MAIL FROM:<>", "RCPT TO:<\"a\"@b.example>", "550 5.1.3"},
		{"EHLO c|MAIL FROM:<>", "RCPT TO:<\xc3\xa4@b.example>", "553 5.6.7"},
		{"EHLO c|MAIL FROM:<>", "RCPT TO:<a@\xc3\xa4.example>", "553 5.6.7"},
		{"EHLO c|MAIL FROM:<> SMTPUTF8", "RCPT TO:<\xe4@b.example>", "553 5.6.7"},
		{"EHLO c|MAIL FROM:<>", "RCPT TO:<a@b.example> NOTIFY=NEVER", "555 5.5.4"},
	};

	(void)state;
	assert_answers(commands, sizeof commands / sizeof *commands);
}

/* RFC 5321 section 4.5.3.1.2; a longer name would make a line of the Received field longer than
 * 998. */
static void a_host_name_has_two_hundred_and_fifty_five_octets_at_most(void **state)
{
	struct peer *peer = *state;
	char line[1600] = "EHLO ";

	memset(line + 5, 'h', 255);
	assert_begins(say(peer, line), "250");
	line[5 + 255] = 'h';
	assert_begins(say(peer, line), "501 5.5.4");
	memset(line + 5, 'h', 1500);
	memcpy(line, "HELO", 4);
	assert_begins(say(peer, line), "501 5.5.4");
	say(peer, "MAIL FROM:<>");
	say(peer, "RCPT TO:<b@mx.example>");
	say(peer, "DATA");
	say(peer, ".");
	assert_int_equal(strlen(peer->mail.helo), 255);
}

static void local_parts_become_lower_case_and_a_repeated_recipient_counts_once(void **state)
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

static void the_101st_recipient_is_refused_temporarily(void **state)
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

static void a_command_that_must_end_a_group_is_refused_within_it(void **state)
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

static void a_verdict_after_the_end_of_the_session_is_ignored(void **state)
{
	static const enum smtp_verdict verdicts[] = {
		SMTP_RECIPIENT_TAKEN, SMTP_RECIPIENT_REFUSED, SMTP_RECIPIENT_UNKNOWN};

	(void)state;
	for (size_t i = 0; i < sizeof verdicts / sizeof verdicts[0]; i++) {
		struct peer *peer = open_session(false);
		void *as_state = peer;
		size_t said;

		say(peer, "EHLO c");
		say(peer, "MAIL FROM:<>");
		peer->wait = true;
		say(peer, "RCPT TO:<a@mx.example>");
		smtp_session_end(peer->session, "4.4.2 too slow");
		assert_true(peer->closed);
		said = peer->output_length;
		assert_string_equal(peer->output + said - 20, "421 4.4.2 too slow\r\n");
		smtp_session_recipient(peer->session, verdicts[i], "tester", "nobody");
		assert_int_equal(peer->output_length, said);
		teardown(&as_state);
	}
}

/* Fills the stack with values, as earlier calls may, so that variables of later calls without a
 * value do not happen to be zero. */
static void fill_stack(void)
{
	volatile char room[16 * 1024];

	for (size_t i = 0; i < sizeof room; i++)
		room[i] = 'x';
}

static void a_refusal_gives_its_reason_and_no_further_text(void **state)
{
	struct peer *peer = *state;
	char reason[301];
	const char *answer;

	say(peer, "EHLO c");
	say(peer, "MAIL FROM:<>");
	peer->wait = true;
	answer = say(peer, "RCPT TO:<a@mx.example>");
	fill_stack();
	smtp_session_recipient(peer->session, SMTP_RECIPIENT_REFUSED, NULL, "nobody");
	assert_string_equal(answer, "550 5.1.1 nobody\r\n");
	memset(reason, 'r', sizeof reason - 1);
	reason[sizeof reason - 1] = '\0';
	answer = say(peer, "RCPT TO:<a@mx.example>");
	smtp_session_recipient(peer->session, SMTP_RECIPIENT_REFUSED, NULL, reason);
	assert_int_equal(strspn(answer + strlen("550 5.1.1 "), "r"), 255);
	assert_string_equal(answer + strlen("550 5.1.1 ") + 255, "\r\n");
}

static void assert_cut(struct peer *peer, size_t length)
{
	char reason[3000];
	size_t before;

	memset(reason, 'x', length);
	reason[length] = '\0';
	before = peer->output_length;
	smtp_session_end(peer->session, reason);
	assert_int_equal(peer->output_length - before, 1025);
	assert_string_equal(peer->output + peer->output_length - 3, "x\r\n");
}

static void an_overlong_reply_is_cut_and_keeps_its_line_end(void **state)
{
	assert_cut(*state, 2999);
}

static void a_reply_one_octet_too_long_loses_one_octet(void **state)
{
	assert_cut(*state, 1020); /* the room for text after "421 " */
}

static void octets_sent_after_starttls_drop_the_connection(void **state)
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
	/* commands get no reply until the TLS handshake has ended */
	assert_string_equal(say(peer, "NOOP"), "");
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
	say(peer, "EHLO a(b) d\tc\xff;[x]");
	say(peer, "MAIL FROM:<>");
	say(peer, "RCPT TO:<a@mx.example>");
	say(peer, "DATA");
	say(peer, ".");
	assert_string_equal(peer->mail.helo, "a?b??d?c??[x]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SESSION(a_good_message_is_stored_with_its_envelope),
		SESSION(the_extensions_are_offered_to_ehlo_and_not_to_helo),
		cmocka_unit_test(unknown_commands_and_commands_out_of_turn_are_refused),
		cmocka_unit_test(a_sender_is_an_address_with_known_parameters),
		cmocka_unit_test(a_recipient_is_an_address_of_this_service_in_plain_form),
		SESSION(a_host_name_has_two_hundred_and_fifty_five_octets_at_most),
		SESSION(local_parts_become_lower_case_and_a_repeated_recipient_counts_once),
		SESSION(the_101st_recipient_is_refused_temporarily),
		SESSION(a_command_has_2048_octets_at_most),
		SESSION(commands_end_with_crlf_and_hold_neither_cr_nor_nul),
		SESSION(twenty_errors_end_the_session),
		SESSION(a_group_of_commands_is_answered_in_order),
		cmocka_unit_test(a_command_that_must_end_a_group_is_refused_within_it),
		SESSION(input_waits_for_the_verdict_on_a_recipient),
		SESSION(a_verdict_after_the_end_of_the_session_is_ignored),
		SESSION(a_refusal_gives_its_reason_and_no_further_text),
		SESSION(an_overlong_reply_is_cut_and_keeps_its_line_end),
		SESSION(a_reply_one_octet_too_long_loses_one_octet),
		SESSION(octets_sent_after_starttls_drop_the_connection),
		SESSION(starttls_forgets_what_was_said_before_it),
		SESSION(a_host_name_that_would_spoil_a_field_is_cleaned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
