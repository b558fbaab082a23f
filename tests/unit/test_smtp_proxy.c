/* XCLIENT and XFORWARD from trusted proxies. */
#include "local/smtp/smtp-session.h"
#include "tests/unit/smtp_fixture.h"

static int setup_trusted(void **state)
{
	*state = open_session(true);
	return 0;
}

static void a_trusted_proxy_speaks_for_its_client(void **state)
{
	struct peer *peer = *state;

	assert_non_null(strstr(say(peer, "EHLO proxy.example"), "250-XCLIENT NAME ADDR"));
	assert_begins(
		say(peer, "XCLIENT NAME=[UNAVAILABLE] ADDR=IPV6:2001:db8::1 HELO=real+2Eexample"),
		"220");
	/* after XCLIENT the session begins again, without a HELO */
	assert_begins(say(peer, "MAIL FROM:<>"), "503");
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
	const struct CMUnitTest tests[] = {
		PROXY(a_trusted_proxy_speaks_for_its_client),
		PROXY(xforward_holds_for_one_message),
		PROXY(malformed_proxy_attributes_change_nothing),
		PROXY(a_client_unknown_to_the_proxy_is_unknown_to_us),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
