/* The replies to each SMTP command, word for word, and what a refused command leaves as it was. */
#include "local/smtp/smtp-session-state.h"
#include "runtime/ip.h"
#include "tests/unit/smtp_fixture.h"

/* A dialogue: what the client says, and the whole reply without its last line end. */
struct step {
	const char *line;
	const char *reply;
};

static void assert_dialogue(struct peer *peer, const struct step *steps)
{
	for (const struct step *step = steps; step->line != NULL; step++) {
		char wanted[1024];

		snprintf(wanted, sizeof wanted, "%s\r\n", step->reply);
		assert_string_equal(say(peer, step->line), wanted);
	}
}

static int setup(void **state)
{
	*state = open_session(false);
	return 0;
}

static void each_command_has_its_reply(void **state)
{
	static const struct step steps[] = {
		{"NOOP", "250 2.0.0 still here"},
		{"noop with words", "250 2.0.0 still here"},
		{"HELP", "214 2.0.0 EHLO HELO MAIL RCPT DATA RSET NOOP QUIT VRFY STARTTLS HELP"},
		{"VRFY root", "252 2.5.0 try RCPT"},
		{"EXPN all", "502 5.5.1 this server has no mailing lists to expand"},
		{"WHAT", "500 5.5.2 command not known"},
		{"MAIL FROM:<a@b.example>", "503 5.5.1 say EHLO first"},
		{"RCPT TO:<a@b.example>", "503 5.5.1 say MAIL first"},
		{"DATA", "503 5.5.1 say MAIL first"},
		{"EHLO", "501 5.5.4 say your host's name"},
		{"HELO c", "250 mx.example"},
		{"EHLO c",
			"250-mx.example\r\n250-PIPELINING\r\n250-SIZE 15728640\r\n"
			"250-8BITMIME\r\n250-SMTPUTF8\r\n250-STARTTLS\r\n"
			"250 ENHANCEDSTATUSCODES"},
		{"MAIL FROM:<a@b.example>", "250 2.1.0 sender noted"},
		{"DATA", "554 5.5.1 no valid recipients"},
		{"RCPT TO:<c@d.example>", "250 2.1.5 recipient noted"},
		{"RCPT TO:<C@D.example>", "250 2.1.5 recipient noted already"},
		{"DATA", "354 end with <CR><LF>.<CR><LF>"},
		{"A: b\r\n\r\nc\r\n.", "250 2.0.0 accepted as id-1"},
		{"RSET", "250 2.0.0 forgotten"},
		{"QUIT", "221 2.0.0 goodbye"},
		{0},
	};

	assert_dialogue(*state, steps);
	assert_true(((struct peer *)*state)->closed);
}

static void a_refused_command_leaves_the_message_under_way_as_it_was(void **state)
{
	static const struct step steps[] = {
		{"MAIL FROM:<a@b.example>", "250 2.1.0 sender noted"},
		{"RCPT TO:<c@d.example>", "250 2.1.5 recipient noted"},
		{"RSET now", "501 5.5.4 RSET takes no argument"},
		{"STARTTLS now", "501 5.5.4 STARTTLS takes no argument"},
		{"DATA now", "501 5.5.4 DATA takes no argument"},
		{"EHLO", "501 5.5.4 say your host's name"},
		{"MAIL FROM:<x@y.example>", "503 5.5.1 a message is under way already"},
		{"RCPT TO:<unknown@d.example>", "550 5.1.1 nobody??250"},
		{"RCPT TO:<broken@d.example>",
			"451 4.3.0 the recipient cannot be looked up now, try again"},
		{"RCPT TO:<>", "501 5.1.3 write RCPT TO:<user@example.com>"},
		{"RCPT TO:<postmaster>", "550 5.1.1 postmaster has no mailbox here"},
		{"RCPT TO:<c@d.example> NOTIFY=NEVER", "555 5.5.4 RCPT takes no parameters"},
		{"RCPT TO:<c!a@d.example>",
			"550 5.1.3 addresses of this form are not accepted here"},
		{"DATA", "354 end with <CR><LF>.<CR><LF>"},
		{"A: b\r\n.", "250 2.0.0 accepted as id-1"},
		{0},
	};
	struct peer *peer = *state;

	say(peer, "EHLO c");
	assert_dialogue(peer, steps);
	assert_false(peer->tls_started);
	assert_string_equal(peer->mail.mail_from, "a@b.example");
	assert_int_equal(peer->mail.recipient_count, 1);
	assert_string_equal(peer->recipients[0].address, "c@d.example");
}

static void a_sender_that_is_refused_begins_no_message(void **state)
{
	static const struct step steps[] = {
		{"MAIL FROM:a@b.example", "501 5.1.7 write MAIL FROM:<user@example.com>"},
		{"MAIL FROM:<a@b!example>", "501 5.1.7 write MAIL FROM:<user@example.com>"},
		{"MAIL FROM:<a@b&example>", "501 5.1.7 write MAIL FROM:<user@example.com>"},
		{"MAIL FROM:<@r.example:a@b.example>", "550 5.1.7 no source routes"},
		{"MAIL FROM:<a@b.example> RET=FULL", "555 5.5.4 a parameter of MAIL is not known"},
		{"MAIL FROM:<a@b.example> SIZE=1 AUTH=<>",
			"555 5.5.4 a parameter of MAIL is not known"},
		{"MAIL FROM:<a@b.example> BODY=8BIT", "501 5.5.4 a parameter of MAIL is malformed"},
		{"MAIL FROM:<a@b.example> SIZE=15728641",
			"552 5.3.4 a message may have 15728640 octets at most"},
		{"MAIL FROM:<\xc3\xa4@b.example>",
			"553 5.6.7 an address with characters outside ASCII needs SMTPUTF8"},
		{"MAIL FROM:<\xe4@b.example> SMTPUTF8", "553 5.6.7 the address is not UTF-8"},
		{"RCPT TO:<c@d.example>", "503 5.5.1 say MAIL first"},
		{"MAIL FROM:<a@b.example> BODY=7bit size=15728640", "250 2.1.0 sender noted"},
		{0},
	};
	struct peer *peer = *state;

	say(peer, "EHLO c");
	assert_dialogue(peer, steps);
}

static void starttls_is_refused_where_it_is_not_offered_or_active_already(void **state)
{
	static const struct step offered[] = {
		{"STARTTLS", "220 2.0.0 ready for TLS"},
		{0},
	};
	static const struct step active[] = {
		{"STARTTLS", "503 5.5.1 TLS is active already"},
		{"MAIL FROM:<a@b.example>", "503 5.5.1 say EHLO first"},
		{"EHLO c",
			"250-mx.example\r\n250-PIPELINING\r\n250-SIZE 15728640\r\n"
			"250-8BITMIME\r\n250-SMTPUTF8\r\n250 ENHANCEDSTATUSCODES"},
		{0},
	};
	static const struct step missing[] = {
		{"STARTTLS", "502 5.5.1 no TLS here"},
		{"EHLO c",
			"250-mx.example\r\n250-PIPELINING\r\n250-SIZE 15728640\r\n"
			"250-8BITMIME\r\n250-SMTPUTF8\r\n250 ENHANCEDSTATUSCODES"},
		{0},
	};
	struct peer *peer = *state;
	struct peer *plain = open_session(false);
	void *as_state = plain;

	say(peer, "EHLO c");
	assert_dialogue(peer, offered);
	assert_true(peer->tls_started);
	smtp_session_tls(peer->session, "TLSv1.3");
	assert_dialogue(peer, active);

	plain->session->settings.tls_offered = false;
	assert_dialogue(plain, missing);
	assert_false(plain->tls_started);
	teardown(&as_state);
}

static void the_protocol_of_a_message_is_named_by_its_greeting_tls_and_smtputf8(void **state)
{
	static const struct {
		const char *greeting;
		const char *parameter;
		const char *tls;
		const char *protocol;
	} cases[] = {
		{"HELO c", "", "none", "SMTP"},
		{"EHLO c", "", "none", "ESMTP"},
		{"EHLO c", "", "TLSv1.3", "ESMTPS"},
		{"EHLO c", " SMTPUTF8", "none", "UTF8SMTP"},
		{"EHLO c", " SMTPUTF8", "TLSv1.3", "UTF8SMTPS"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct peer *peer = open_session(false);
		void *as_state = peer;
		char line[64];

		if (strcmp(cases[i].tls, "none") != 0)
			smtp_session_tls(peer->session, cases[i].tls);
		say(peer, cases[i].greeting);
		snprintf(line, sizeof line, "MAIL FROM:<a@b.example>%s", cases[i].parameter);
		say(peer, line);
		say(peer, "RCPT TO:<c@d.example>");
		say(peer, "DATA");
		assert_begins(say(peer, "."), "250");
		assert_string_equal(peer->mail.protocol, cases[i].protocol);
		assert_string_equal(peer->mail.tls, cases[i].tls);
		teardown(&as_state);
	}
}

static void mail_of_a_blocked_network_is_refused_and_reported(void **state)
{
	static const char refused[] = "554 5.7.1 mail from your network is not accepted here";
	struct rt_cidr_list blocked = {.count = 2};
	struct peer *peer = *state;
	struct peer *proxy = open_session(true);
	void *as_state = proxy;
	const struct step from_it[] = {
		{"MAIL FROM:<a@b.example>", refused},
		{"RCPT TO:<c@d.example>", "503 5.5.1 say MAIL first"},
		{0},
	};

	assert_true(rt_cidr_parse("2001:db8::/32", &blocked.items[0]));
	assert_true(rt_cidr_parse("192.0.2.0/29", &blocked.items[1]));
	peer->session->settings.blocked = &blocked;
	say(peer, "EHLO c");
	assert_dialogue(peer, from_it);
	assert_int_equal(peer->refused, 1);
	assert_string_equal(peer->refusal,
		"192.0.2.7 c  554 5.7.1 mail from your network is not accepted here");

	/* behind a proxy the client counts, not the proxy */
	proxy->session->settings.blocked = &blocked;
	assert_begins(say(proxy, "XCLIENT ADDR=192.0.2.8"), "220");
	say(proxy, "EHLO c");
	assert_begins(say(proxy, "MAIL FROM:<a@b.example>"), "250");
	say(proxy, "RSET");
	assert_begins(say(proxy, "XCLIENT ADDR=IPV6:2001:db8::7"), "220");
	say(proxy, "EHLO c");
	assert_begins(say(proxy, "MAIL FROM:<a@b.example>"), "554 5.7.1");
	teardown(&as_state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SESSION(each_command_has_its_reply),
		SESSION(a_refused_command_leaves_the_message_under_way_as_it_was),
		SESSION(a_sender_that_is_refused_begins_no_message),
		SESSION(starttls_is_refused_where_it_is_not_offered_or_active_already),
		SESSION(the_protocol_of_a_message_is_named_by_its_greeting_tls_and_smtputf8),
		SESSION(mail_of_a_blocked_network_is_refused_and_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
