#include "functions/lib/mail/client.h"
#include "functions/lib/mail/received.h"
#include "runtime/config/config.h"
#include "tests/support/test-event.h"

#define OWN "mx.example.net"
#define OURS "Received: from h.example (p.example [8.8.4.4]) by " OWN " with ESMTPS id 1; D\n"
#define SES                                                                                        \
	"Received: from h.example (p.example [8.8.4.4]) by "                                       \
	"inbound-smtp.eu-west-1.amazonaws.com with SMTP id 1; D\n"
#define RELAY "Received: from r.example (p.example [8.8.8.8]) by relay.example with ESMTP id 2; D\n"
#define FORGED "Received: from f.example (f.example [9.9.9.9]) by " OWN " with ESMTPS id 3; D\n"

/* 10.1.0.0/16 and 2001:db8:1::/48 are our relays, see main. */
#define FROM_RELAY_1 "Received: from r1.example (r1 [10.1.0.1]) by " OWN " with ESMTPS id 1; D\n"
#define FROM_RELAY_2 "Received: from r2.example (r2 [10.1.0.2]) by r1.example with ESMTP id 2; D\n"

struct client_case {
	const char *message;
	const char *ip; /* "" if no client is found */
	const char *helo;
	const char *source;
};

static const char *ip_text(const struct rt_ip *ip)
{
	static char text[RT_IP_TEXT_MAX];

	rt_ip_format(ip, text);
	return text;
}

static struct eds_client find(const struct rt_mail_event *mail, const char *message)
{
	struct eds_header header;
	struct eds_client client;

	eds_header_read(&test_event, message, strlen(message), &header);
	eds_client_find(&test_event, mail, &header, OWN, &client);
	return client;
}

static void check_all(
	const struct rt_mail_event *mail, const struct client_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct eds_client client = find(mail, cases[i].message);

		if (strcmp(ip_text(&client.ip), cases[i].ip) ||
			strcmp(client.helo, cases[i].helo) ||
			strcmp(client.source, cases[i].source))
			fail_msg("%s gave %s, helo %s, source %s", cases[i].message,
				ip_text(&client.ip), client.helo, client.source);
	}
}

#define CHECK_ALL(mail, cases) check_all(mail, cases, sizeof cases / sizeof cases[0])

static struct rt_mail_event with_envelope(const char *client_ip, const char *helo)
{
	return (struct rt_mail_event){.has_envelope = true,
		.envelope = {
			.client_ip = client_ip, .helo = helo, .mail_from = "", .tls = "TLSv1.3 X"}};
}

static void the_envelope_decides_who_the_client_is(void **state)
{
	struct rt_mail_event mail = with_envelope("1.1.1.1", "e.example");
	static const struct client_case cases[] = {
		{"", "1.1.1.1", "e.example", "envelope"},
		{OURS "\n", "1.1.1.1", "e.example", "envelope"},
		{FORGED FORGED "\n", "1.1.1.1", "e.example", "envelope"},
	};
	struct eds_client client = find(&mail, OURS "\n");

	(void)state;
	CHECK_ALL(&mail, cases);
	assert_string_equal(client.tls, "TLSv1.3 X");
	assert_true(client.is_public);
	assert_false(client.helo_literal);
}

static void an_envelope_with_a_broken_address_gives_no_client(void **state)
{
	static const char *const addresses[] = {"", "unknown", "1.1.1", "[1.1.1.1]", "1.1.1.1:25"};

	(void)state;
	for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++) {
		struct rt_mail_event mail = with_envelope(addresses[i], "e.example");
		struct eds_client client = find(&mail, OURS "\n");

		assert_int_equal(client.ip.family, 0);
		assert_false(client.is_public);
		assert_string_equal(client.source, "none");
	}
}

static void an_envelope_that_does_not_name_the_client_leaves_it_to_received(void **state)
{
	struct rt_mail_event mail = with_envelope(NULL, NULL);
	static const struct client_case cases[] = {
		{OURS "\n", "8.8.4.4", "h.example", "received"},
		{RELAY FORGED "\n", "", "", "none"},
	};

	(void)state;
	CHECK_ALL(&mail, cases);
}

static void a_missing_helo_or_tls_is_empty(void **state)
{
	struct rt_mail_event mail = with_envelope("1.1.1.1", NULL);
	struct eds_client client;

	(void)state;
	mail.envelope.tls = NULL;
	client = find(&mail, "\n");
	assert_string_equal(client.helo, "");
	assert_string_equal(client.tls, "");
}

static void without_an_envelope_only_our_receivers_topmost_field_counts(void **state)
{
	struct rt_mail_event mail = {.has_envelope = false};
	static const struct client_case cases[] = {
		{OURS "\n", "8.8.4.4", "h.example", "received"},
		{"Return-Path: <a@b>\n" OURS "\n", "8.8.4.4", "h.example", "received"},
		{"Received: from h.example (p [8.8.4.4]) by MX.EXAMPLE.NET with ESMTP; D\n\n",
			"8.8.4.4", "h.example", "received"},
		{OURS FORGED "\n", "8.8.4.4", "h.example", "received"},
		{RELAY "\n", "", "", "none"},
		{RELAY OURS "\n", "", "", "none"},
		{"Received: garbage\n" OURS "\n", "", "", "none"},
		{"Received: from h (p [8.8.4.4]) by x" OWN "; D\n\n", "", "", "none"},
		{"Received: from h (p [8.8.4.4]) by " OWN ".evil.example; D\n\n", "", "", "none"},
		{"Received: from h.example by " OWN "; D\n\n", "", "", "none"},
		{"\n" OURS, "", "", "none"},
		{"", "", "", "none"},
	};

	(void)state;
	CHECK_ALL(&mail, cases);
}

static void the_receiver_of_ses_counts_as_ours(void **state)
{
	struct rt_mail_event mail = {.has_envelope = false};
	static const struct client_case cases[] = {
		{SES "\n", "8.8.4.4", "h.example", "received"},
		{SES FORGED "\n", "8.8.4.4", "h.example", "received"},
		{"Received: from h (p [8.8.4.4]) by inbound-smtp.evil.example; D\n\n", "", "",
			"none"},
		{"Received: from h (p [8.8.4.4]) by inbound-smtp.a.b.amazonaws.com; D\n\n", "", "",
			"none"},
		{"Received: from h (p [8.8.4.4]) by inbound-smtp..amazonaws.com; D\n\n", "", "",
			"none"},
		{"Received: from h (p [8.8.4.4]) by inbound-smtp.amazonaws.com; D\n\n", "", "",
			"none"},
		{"Received: from h (p [8.8.4.4]) by "
		 "inbound-smtp.eu-west-1.amazonaws.com.evil.example; "
		 "D\n\n",
			"", "", "none"},
		{"Received: from h (p [8.8.4.4]) by x.inbound-smtp.eu-west-1.amazonaws.com; D\n\n",
			"", "", "none"},
	};

	(void)state;
	CHECK_ALL(&mail, cases);
}

static void received_spf_above_the_receipt_line_of_ses_gives_helo(void **state)
{
	struct rt_mail_event mail = {.has_envelope = false};
	static const struct client_case cases[] = {
		{SES "Received-SPF: pass (x) client-ip=8.8.4.4; helo=s.example;\nX-SES-RECEIPT: "
		     "x\n\n",
			"8.8.4.4", "s.example", "received"},
		{SES "Received-SPF: pass (x) client-ip=8.8.4.4; helo=\"s.\\example\";\n"
		     "X-SES-RECEIPT: x\n\n",
			"8.8.4.4", "s.example", "received"},
		{SES "Received-SPF: pass (x) client-ip=\"8.8.4.4\"; note=\"a; helo=\\\"x\"; helo=s.example\n"
		     "X-SES-RECEIPT: x\n\n",
			"8.8.4.4", "s.example", "received"},
		/* below this line, or without it, the field is the sender's */
		{SES "X-SES-RECEIPT: x\nReceived-SPF: pass (x) client-ip=8.8.4.4; "
		     "helo=s.example;\n\n",
			"8.8.4.4", "h.example", "received"},
		{SES "Received-SPF: pass (x) client-ip=8.8.4.4; helo=s.example;\n\n", "8.8.4.4",
			"h.example", "received"},
		/* Received-SPF is about another client */
		{SES "Received-SPF: pass (x) client-ip=9.9.9.9; helo=s.example;\nX-SES-RECEIPT: "
		     "x\n\n",
			"8.8.4.4", "h.example", "received"},
		{SES "Received-SPF: pass (x) client-ip=8.8.4.4; helo=;\nX-SES-RECEIPT: x\n\n",
			"8.8.4.4", "h.example", "received"},
		/* our own SMTP server writes no Received-SPF, so the field is from the sender */
		{OURS "Received-SPF: pass (x) client-ip=8.8.4.4; helo=s.example;\nX-SES-RECEIPT: "
		      "x\n\n",
			"8.8.4.4", "h.example", "received"},
	};

	(void)state;
	CHECK_ALL(&mail, cases);
}

static void trusted_relays_are_skipped(void **state)
{
	struct rt_mail_event mail = {.has_envelope = false};
	static const struct client_case cases[] = {
		{FROM_RELAY_1 RELAY FORGED "\n", "8.8.8.8", "r.example", "received"},
		{FROM_RELAY_1 FROM_RELAY_2 RELAY FORGED "\n", "8.8.8.8", "r.example", "received"},
		{"Received: from r (r [IPv6:2001:db8:1::7]) by " OWN "; D\n" RELAY "\n", "8.8.8.8",
			"r.example", "received"},
		/* the relay's field names no client in a readable form */
		{FROM_RELAY_1 "\n", "", "", "none"},
		{FROM_RELAY_1 "Received: garbage\n" RELAY "\n", "", "", "none"},
		{FROM_RELAY_1 "Received: by relay.example (Postfix, from userid 33) id 1; D\n" RELAY
			      "\n",
			"", "", "none"},
		/* a field names a relay's address as the client, but no relay wrote that field */
		{OURS FROM_RELAY_2 RELAY "\n", "8.8.4.4", "h.example", "received"},
		{RELAY FROM_RELAY_1 "\n", "", "", "none"},
	};

	(void)state;
	CHECK_ALL(&mail, cases);
}

static void an_envelope_from_a_trusted_relay_leads_to_the_field_below_our_own(void **state)
{
	struct rt_mail_event mail = with_envelope("10.1.0.1", "r1.example");
	static const struct client_case cases[] = {
		{FROM_RELAY_1 RELAY FORGED "\n", "8.8.8.8", "r.example", "received"},
		{RELAY FORGED "\n", "8.8.8.8", "r.example", "received"},
		/* the topmost field is our own; it is never read as a field of a relay */
		{OURS RELAY FORGED "\n", "8.8.8.8", "r.example", "received"},
		{FROM_RELAY_1 FROM_RELAY_2 RELAY "\n", "8.8.8.8", "r.example", "received"},
		{FROM_RELAY_1 "\n", "", "", "none"},
		{"\n", "", "", "none"},
	};

	(void)state;
	CHECK_ALL(&mail, cases);
	assert_string_equal(find(&mail, FROM_RELAY_1 RELAY "\n").tls, "");
}

static void private_and_special_addresses_are_not_public(void **state)
{
	static const struct {
		const char *ip;
		bool is_public;
	} cases[] = {
		{"1.1.1.1", true},
		{"2606:4700::1111", true},
		{"10.2.0.1", false},
		{"127.0.0.1", false},
		{"192.0.2.1", false},
		{"169.254.1.1", false},
		{"224.0.0.1", false},
		{"::1", false},
		{"fe80::1", false},
		{"fd00::1", false},
		{"::ffff:10.0.0.1", false},
		{"64:ff9b::a00:1", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct rt_mail_event mail = with_envelope(cases[i].ip, "h");
		struct eds_client client = find(&mail, "\n");

		assert_int_not_equal(client.ip.family, 0);
		if (client.is_public != cases[i].is_public)
			fail_msg("%s", cases[i].ip);
	}
}

static void an_address_literal_as_helo_is_marked_as_one(void **state)
{
	static const struct {
		const char *helo;
		bool literal;
	} cases[] = {
		{"[192.0.2.1]", true},
		{"[IPv6:2001:db8::1]", true},
		{"[ipv6:2001:db8::1]", true},
		{"[2001:db8::1]", true},
		{"192.0.2.1", false},
		{"[]", false},
		{"[", false},
		{"[192.0.2.1", false},
		{"[192.0.2.999]", false},
		{"[example.com]", false},
		{"[IPv6:]", false},
		{"mail.example.com", false},
		{"", false},
		{"[aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		 "]",
			false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct rt_mail_event mail = with_envelope("1.1.1.1", cases[i].helo);

		if (find(&mail, "\n").helo_literal != cases[i].literal)
			fail_msg("%s", cases[i].helo);
	}
}

static void tls_is_known_only_from_a_receiver_that_saw_the_connection(void **state)
{
	static const struct {
		const char *tls; /* the TLS version in the envelope, NULL for none */
		enum eds_tls wanted;
		const char *text;
	} envelopes[] = {
		{"TLSv1.3 TLS_AES_256_GCM_SHA384", EDS_TLS_USED, "TLSv1.3 TLS_AES_256_GCM_SHA384"},
		{"none", EDS_TLS_NONE, ""},
		{"", EDS_TLS_UNKNOWN, ""},
		{NULL, EDS_TLS_UNKNOWN, ""},
	};
	static const struct {
		const char *message;
		enum eds_tls wanted;
		bool smtputf8;
	} fields[] = {
		{OURS "\n", EDS_TLS_USED, false},
		{"Received: from h (p [8.8.4.4]) by " OWN " with ESMTP id 1; D\n\n", EDS_TLS_NONE,
			false},
		{"Received: from h (p [8.8.4.4]) by " OWN " with UTF8SMTPS id 1; D\n\n",
			EDS_TLS_USED, true},
		{"Received: from h (p [8.8.4.4]) by " OWN " with UTF8SMTP id 1; D\n\n",
			EDS_TLS_NONE, true},
		{"Received: from h (p [8.8.4.4]) by " OWN " id 1; D\n\n", EDS_TLS_UNKNOWN, false},
		/* SES writes "with SMTP" for every connection, so TLS is unknown */
		{SES "\n", EDS_TLS_UNKNOWN, false},
		/* the relay's own field says how the relay's client connected */
		{FROM_RELAY_1 RELAY "\n", EDS_TLS_NONE, false},
		{RELAY "\n", EDS_TLS_UNKNOWN, false},
	};
	struct rt_mail_event none = {0};

	(void)state;
	for (size_t i = 0; i < sizeof envelopes / sizeof envelopes[0]; i++) {
		struct rt_mail_event mail = with_envelope("1.1.1.1", "e.example");
		struct eds_client client;

		mail.envelope.tls = envelopes[i].tls;
		client = find(&mail, "\n");
		assert_int_equal(client.tls_use, envelopes[i].wanted);
		assert_string_equal(client.tls, envelopes[i].text);
	}
	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
		struct eds_client client = find(&none, fields[i].message);

		if (client.tls_use != fields[i].wanted || client.smtputf8 != fields[i].smtputf8)
			fail_msg("%s gave %d", fields[i].message, (int)client.tls_use);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_envelope_decides_who_the_client_is),
		TEST(an_envelope_with_a_broken_address_gives_no_client),
		TEST(an_envelope_that_does_not_name_the_client_leaves_it_to_received),
		TEST(a_missing_helo_or_tls_is_empty),
		TEST(without_an_envelope_only_our_receivers_topmost_field_counts),
		TEST(the_receiver_of_ses_counts_as_ours),
		TEST(received_spf_above_the_receipt_line_of_ses_gives_helo),
		TEST(trusted_relays_are_skipped),
		TEST(an_envelope_from_a_trusted_relay_leads_to_the_field_below_our_own),
		TEST(private_and_special_addresses_are_not_public),
		TEST(an_address_literal_as_helo_is_marked_as_one),
		TEST(tls_is_known_only_from_a_receiver_that_saw_the_connection),
	};

	setenv("EDS_TRUSTED_RELAYS", "10.1.0.0/16,2001:db8:1::/48", 1);
	rt_config_require();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
