/* Alert mails: their header and body, also with hostile text, and the addresses to which they may
 * be sent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "functions/alerts/mail-address.h"
#include "functions/alerts/mail-text.h"
#include "functions/alerts/quoted-printable.h"
#include "runtime/json.h"

static struct rt_ctx ctx;

static int begin(void **state)
{
	(void)state;
	setenv("EDS_BASE_URL", "https://eds.example.com", 1);
	setenv("EDS_TESTER_DOMAIN", "tester.example.com", 1);
	if (ctx.arena == NULL)
		ctx.arena = rt_arena_new();
	rt_arena_reset(ctx.arena);
	rt_json_use_arena(ctx.arena);
	return 0;
}

static int end_all(void **state)
{
	(void)state;
	rt_json_use_arena(NULL);
	rt_arena_free(ctx.arena);
	return 0;
}

static const char *write_mail(struct eds_alert_mail_event *events, size_t count)
{
	struct eds_alert_mail mail = {.alert_id = "a1",
		.address = "ops@example.org",
		.secret = "s3cret",
		.events = events,
		.count = count};
	struct rt_buffer out;

	alert_mail_write(&ctx, &mail, &out);
	assert_false(out.overflow);
	return out.bytes;
}

/* Checks for lines of ASCII that end with CRLF and are not longer than mail allows. */
static void assert_sound(const char *mail)
{
	size_t length = 0;

	for (const char *c = mail; *c != '\0'; c++) {
		if (*c == '\r') {
			assert_int_equal(c[1], '\n');
			c++;
			length = 0;
			continue;
		}
		assert_in_range(*c, ' ', '~');
		assert_in_range(++length, 1, 998);
	}
	assert_int_equal(length, 0);
}

static void a_weekly_summary_gives_the_state_of_each_domain_and_what_to_look_at_first(void **state)
{
	struct eds_alert_mail_event event = {.id = "e1",
		.type = "weekly-summary",
		.body = "{\"data\":{\"domains\":{\"all\":12,\"broken\":1,\"weak\":3,\"well\":7},\"mail\":{"
			"\"to\":\"2026-01-03\",\"messages\":1200,\"failed\":30,\"percent\":\"2.5 %\","
			"\"earlierPercent\":\"1.0 %\"},\"worst\":[{\"domain\":\"example.com\","
			"\"domainId\":\"d1\",\"state\":\"error\",\"messages\":200,\"failed\":30,"
			"\"percent\":\"15.0 %\"},{\"domain\":\"example.net\",\"domainId\":\"d2\","
			"\"state\":\"warning\",\"messages\":0,\"failed\":0,\"percent\":null}]}}"};
	const char *mail = write_mail(&event, 1);

	(void)state;
	assert_sound(mail);
	assert_non_null(strstr(mail, "Subject: Weekly summary: errors at 1 of 12 domains\r\n"));
	assert_non_null(
		strstr(mail, "\r\n  error: 1\r\n  warning: 3\r\n  ok: 7\r\n  unknown: 1\r\n"));
	assert_non_null(strstr(mail, "seven days to 2026-01-03"));
	assert_non_null(strstr(mail, "1.0 % in the week before"));
	assert_non_null(strstr(mail,
		"example.com: error; 30 messages failed DMARC (15.0 %)\r\n"
		"  https://eds.example.com/#/domains/d1\r\n"));
	assert_non_null(strstr(mail, "example.net: warning\r\n"));
}

static void a_summary_without_a_report_says_so(void **state)
{
	struct eds_alert_mail_event event = {.id = "e1",
		.type = "weekly-summary",
		.body = "{\"data\":{\"domains\":{\"all\":1,\"broken\":0,\"weak\":0,\"well\":1},\"mail\":"
			"null,\"worst\":[]}}"};
	const char *mail = write_mail(&event, 1);

	(void)state;
	assert_sound(mail);
	assert_non_null(strstr(mail, "Subject: Weekly summary: 1 domain, no errors\r\n"));
	assert_non_null(strstr(mail, "No DMARC report about this week has arrived.\r\n"));
	assert_null(strstr(mail, "Look at these first"));
}

static void one_event_is_described_in_plain_words(void **state)
{
	struct eds_alert_mail_event event = {.id = "e1",
		.type = "dmarc-weakened",
		.body = "{\"type\":\"dmarc-weakened\",\"timestamp\":\"2026-01-31T23:59:59Z\",\"data\":{"
			"\"domain\":\"example.com\",\"domainId\":\"d1\",\"what\":\"It is weaker.\","
			"\"before\":{\"record\":\"v=DMARC1; p=reject\"},\"after\":{\"record\":null},"
			"\"advice\":\"Publish it again.\"}}"};
	const char *mail = write_mail(&event, 1);

	(void)state;
	assert_sound(mail);
	assert_non_null(strstr(mail, "From: eds <alerts@tester.example.com>\r\n"));
	assert_non_null(strstr(mail, "To: ops@example.org\r\n"));
	assert_non_null(
		strstr(mail, "Subject: example.com: the DMARC policy was weakened or removed\r\n"));
	assert_non_null(strstr(mail, "Message-ID: <e1.1.e1@tester.example.com>\r\n"));
	assert_non_null(strstr(mail, "Auto-Submitted: auto-generated\r\n"));
	assert_non_null(strstr(mail,
		"List-Unsubscribe: <https://eds.example.com/alerts/a1/off?key=s3cret>\r\n"
		"List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"));
	assert_non_null(strstr(mail, "\r\nWhat happened: It is weaker.\r\n"));
	assert_non_null(strstr(mail, "\r\nNoticed: 2026-01-31 23:59 UTC\r\n"));
	assert_non_null(strstr(mail, "\r\nRecord before: v=3DDMARC1; p=3Dreject\r\n"));
	assert_null(strstr(mail, "Record now"));
	assert_non_null(strstr(mail, "\r\nWhat to do: Publish it again.\r\n"));
	assert_non_null(strstr(mail, "\r\nDetails: https://eds.example.com/#/domains/d1\r\n"));
}

static void the_subject_names_the_event_and_the_domain(void **state)
{
	static const char *const subjects[][2] = {
		{"selector-broken", "a DKIM key is no longer valid"},
		{"selector-recovered", "a DKIM key is valid again"},
		{"key-changed", "a DKIM key has changed"},
		{"mta-sts-broken", "MTA-STS needs attention"},
		{"mta-sts-recovered", "MTA-STS works again"},
		{"posture-changed", "a record in DNS has changed"},
		{"mx-uncovered", "a mail server is missing from the MTA-STS policy"},
		{"mx-covered", "the MTA-STS policy covers all mail servers again"},
		{"certificate-expiring", "a certificate is about to expire"},
		{"certificate-renewed", "a certificate is no longer about to expire"},
		{"failures-rose", "more mail fails DMARC than usual"},
		{"failures-fell", "DMARC failures are back to normal"},
		{"reports-stopped", "DMARC reports have stopped"},
		{"reports-resumed", "DMARC reports arrive again"},
		{"new-source", "mail comes from a new source"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++) {
		struct eds_alert_mail_event event = {.id = "e1",
			.type = subjects[i][0],
			.body = "{\"data\":{\"domain\":\"example.com\"}}"};

		assert_non_null(strstr(write_mail(&event, 1),
			rt_printf(&ctx, "\r\nSubject: example.com: %s\r\n", subjects[i][1])));
	}
}

static void the_first_mail_asks_for_confirmation_and_says_how_to_refuse(void **state)
{
	struct eds_alert_mail mail = {.alert_id = "a1",
		.address = "ops@example.org",
		.secret = "s3cret",
		.domain = "example.com",
		.token = "t1"};
	struct rt_buffer out;

	(void)state;
	alert_mail_write(&ctx, &mail, &out);
	assert_sound(out.bytes);
	assert_non_null(
		strstr(out.bytes, "\r\nSubject: Do you want alerts by mail? Please confirm\r\n"));
	assert_non_null(strstr(out.bytes, "Someone who uses eds at https://eds.example.com asked"));
	assert_non_null(strstr(out.bytes, "If you did not ask for them, ignore this mail"));
}

static void nothing_that_strangers_wrote_becomes_a_field_or_a_line(void **state)
{
	struct eds_alert_mail_event events[] = {
		{.id = "e1",
			.type = "key-changed",
			.body = "{\"timestamp\":\"now\\r\\nX-At: 1\",\"data\":{\"domain\":"
				"\"a.example\\r\\nBcc: victim@example.net\\r\\n\\r\\n.\\r\\n\","
				"\"domainId\":\"d1\\r\\nX-Id: 1\",\"what\":\"x\\r\\n.\\r\\nQUIT\\u0007\","
				"\"after\":{\"record\":\"\\u00fc\\r\\nX-Record: 1\\u001b[2J\"}}}"},
	};
	const char *mail = write_mail(events, 1);

	(void)state;
	assert_sound(mail);
	assert_null(strstr(mail, "\r\nBcc:"));
	assert_null(strstr(mail, "\r\nX-"));
	assert_null(strstr(mail, "\r\n."));
	assert_null(strstr(mail, "\r\nQUIT"));
	assert_null(strstr(mail, "=1B"));
	assert_non_null(strstr(mail, "Record now: =C3=BC  X-Record: 1 [2J"));
}

static void controls_and_marks_of_direction_are_made_visible(void **state)
{
	struct eds_alert_mail_event event = {.id = "e1",
		.type = "posture-changed",
		.body = "{\"data\":{\"domain\":\"a\\u202e.example\",\"what\":\"\\u009b2J\","
			"\"after\":{\"record\":\"v=DMARC1;\\u2066 p=none\\u2028\"}}}"};
	const char *mail = write_mail(&event, 1);

	(void)state;
	assert_sound(mail);
	assert_non_null(strstr(mail, "\r\nSubject: a???.example: "));
	assert_non_null(strstr(mail, "\r\nDomain: a=EF=BF=BD.example\r\n"));
	assert_non_null(strstr(mail, "\r\nWhat happened: =EF=BF=BD2J\r\n"));
	assert_non_null(strstr(mail, "\r\nRecord now: v=3DDMARC1;=EF=BF=BD p=3Dnone=EF=BF=BD\r\n"));
}

static void an_event_that_is_not_json_and_one_that_is_too_long_still_make_a_sound_mail(void **state)
{
	char body[4096] = "{\"data\":{\"domain\":\"b.example\",\"what\":\"";
	size_t length = strlen(body);
	struct eds_alert_mail_event events[] = {
		{.id = "e1", .type = "test", .body = "no JSON"},
		{.id = "e2", .type = "later", .body = body},
	};
	const char *mail;

	(void)state;
	for (int i = 0; i < 1500; i++) {
		body[length++] = (char)0xc3;
		body[length++] = (char)0xbc;
	}
	memcpy(body + length, "\"}}", sizeof "\"}}");
	mail = write_mail(events, 2);
	assert_sound(mail);
	assert_non_null(strstr(mail, "Subject: 2 changes to your domains\r\n"));
	assert_true(strlen(mail) < 5000);
}

static void events_that_do_not_fit_in_a_mail_wait_for_the_next_mail(void **state)
{
	static char body[800] = "{\"data\":{\"domain\":\"b.example\",\"after\":{\"record\":\"";
	size_t length = strlen(body);
	struct eds_alert_mail_event events[400];
	struct eds_alert_mail mail = {.alert_id = "a1",
		.address = "ops@example.org",
		.secret = "s3cret",
		.events = events,
		.count = 400};
	struct rt_buffer out;
	size_t told = 0;

	(void)state;
	memset(body + length, '=', 541);
	memcpy(body + length + 541, "\"}}}", sizeof "\"}}}");
	for (size_t i = 0; i < 400; i++)
		events[i] = (struct eds_alert_mail_event){
			.id = "e1", .type = "posture-changed", .body = body};
	alert_mail_write(&ctx, &mail, &out);
	assert_false(out.overflow);
	assert_sound(out.bytes);
	assert_in_range(mail.count, 200, 230);
	for (const char *at = out.bytes; (at = strstr(at, "\r\nDomain: ")) != NULL; at++)
		told++;
	assert_int_equal(told, mail.count);
	assert_non_null(
		strstr(out.bytes, rt_printf(&ctx, "Subject: b.example: %zu changes\r\n", told)));
	assert_non_null(
		strstr(out.bytes, "To stop these mails: https://eds.example.com/alerts/a1/"));
}

static void a_line_of_quoted_printable_has_76_characters_at_most(void **state)
{
	struct rt_buffer out;
	char text[400];

	(void)state;
	memset(text, 'a', sizeof text);
	text[75] = '=';
	text[200] = ' ';
	text[201] = '\n';
	rt_buffer_init(&out, &ctx, 4096);
	quoted_printable_write(&out, text, sizeof text);
	for (const char *line = out.bytes; *line != '\0'; line = strstr(line, "\r\n") + 2)
		assert_in_range(strstr(line, "\r\n") - line, 0, 76);
	assert_non_null(strstr(out.bytes, "=20\r\n"));
	assert_non_null(strstr(out.bytes, "=3D"));
}

static void an_address_has_a_plain_local_part_and_a_full_domain_name(void **state)
{
	static const char *const good[][2] = {
		{"ops@example.com", "ops@example.com"},
		{"O.p's+x=1@Example.COM", "O.p's+x=1@example.com"},
		{"ops@b\xc3\xbc"
		 "cher.example",
			"ops@xn--bcher-kva.example"},
	};
	static const char *const bad[] = {"", "@", "ops", "ops@", "@example.com", "ops@localhost",
		"ops@192.0.2.1", "ops@[192.0.2.1]", "a b@example.com", "\"a\"@example.com",
		".a@example.com", "a.@example.com", "a..b@example.com", "a@example.com\r\nBcc: b",
		"a\r\n@example.com", "a@b@example.com", "<a@example.com>", "a,b@example.com",
		"\xc3\xbc@example.com", "a(b)@example.com", "a@example.com>", "a@_x.example"};

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
		assert_string_equal(mail_address_read(&ctx, good[i][0]), good[i][1]);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (mail_address_read(&ctx, bad[i]) != NULL)
			fail_msg("\"%s\" was accepted", bad[i]);
}

static void an_address_that_is_too_long_is_refused(void **state)
{
	char long_local[80];
	char long_domain[300] = "ops@";

	(void)state;
	memset(long_local, 'a', 65);
	memcpy(long_local + 65, "@example.com", sizeof "@example.com");
	assert_null(mail_address_read(&ctx, long_local));
	assert_non_null(mail_address_read(&ctx, long_local + 1));
	while (strlen(long_domain) < 252)
		strcat(long_domain, "a.");
	strcat(long_domain, "example");
	assert_null(mail_address_read(&ctx, long_domain));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			a_weekly_summary_gives_the_state_of_each_domain_and_what_to_look_at_first,
			begin),
		cmocka_unit_test_setup(a_summary_without_a_report_says_so, begin),
		cmocka_unit_test_setup(one_event_is_described_in_plain_words, begin),
		cmocka_unit_test_setup(the_subject_names_the_event_and_the_domain, begin),
		cmocka_unit_test_setup(
			the_first_mail_asks_for_confirmation_and_says_how_to_refuse, begin),
		cmocka_unit_test_setup(
			nothing_that_strangers_wrote_becomes_a_field_or_a_line, begin),
		cmocka_unit_test_setup(controls_and_marks_of_direction_are_made_visible, begin),
		cmocka_unit_test_setup(
			an_event_that_is_not_json_and_one_that_is_too_long_still_make_a_sound_mail,
			begin),
		cmocka_unit_test_setup(
			events_that_do_not_fit_in_a_mail_wait_for_the_next_mail, begin),
		cmocka_unit_test_setup(a_line_of_quoted_printable_has_76_characters_at_most, begin),
		cmocka_unit_test_setup(
			an_address_has_a_plain_local_part_and_a_full_domain_name, begin),
		cmocka_unit_test_setup(an_address_that_is_too_long_is_refused, begin),
	};

	return cmocka_run_group_tests(tests, NULL, end_all);
}
