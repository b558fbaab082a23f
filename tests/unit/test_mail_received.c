#include "functions/lib/mail/received-spf.h"
#include "functions/lib/mail/received.h"
#include "tests/support/test-event.h"

struct received_case {
	const char *value;
	const char *helo;
	const char *rdns;
	const char *ip; /* each expected value is "" if the field does not have it */
	const char *by;
	const char *with;
};

static const char *ip_text(const struct rt_ip *ip)
{
	static char text[RT_IP_TEXT_MAX];

	rt_ip_format(ip, text);
	return text;
}

static bool parse(const char *value, struct eds_received *received)
{
	size_t length = strlen(value);

	return eds_received_parse(
		&test_event, rt_memdup(&test_event, value, length), length, received);
}

static void check_all(const struct received_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct received_case *c = &cases[i];
		struct eds_received got;

		if (!parse(c->value, &got))
			fail_msg("%s was not read", c->value);
		if (strcmp(got.helo, c->helo) || strcmp(got.rdns, c->rdns) ||
			strcmp(ip_text(&got.ip), c->ip) || strcmp(got.by, c->by) ||
			strcmp(got.with, c->with))
			fail_msg("%s gave helo %s, rdns %s, ip %s, by %s, with %s", c->value,
				got.helo, got.rdns, ip_text(&got.ip), got.by, got.with);
	}
}

#define CHECK_ALL(cases) check_all(cases, sizeof cases / sizeof cases[0])

static void fields_of_our_own_receiver_are_read(void **state)
{
	static const struct received_case cases[] = {
		{"from mail.example.com (unknown [192.0.2.1]) by mx.example.net with ESMTPS id "
		 "0192; "
		 "Fri, 20 Nov 2026 11:22:04 +0000",
			"mail.example.com", "", "192.0.2.1", "mx.example.net", "ESMTPS"},
		{"from mail.example.com (ptr.example.com [IPv6:2001:db8::1])\r\n\tby "
		 "MX.Example.Net "
		 "with ESMTP id 0192;\r\n\tFri, 20 Nov 2026 11:22:04 +0000",
			"mail.example.com", "ptr.example.com", "2001:db8::1", "mx.example.net",
			"ESMTP"},
		{"from [192.0.2.1] (unknown [192.0.2.1]) by mx.example.net with ESMTP id 1; D",
			"[192.0.2.1]", "", "192.0.2.1", "mx.example.net", "ESMTP"},
		{"from [IPv6:2001:db8::1] (unknown [IPv6:2001:db8::1]) by mx.example.net with "
		 "ESMTP "
		 "id 1; D",
			"[IPv6:2001:db8::1]", "", "2001:db8::1", "mx.example.net", "ESMTP"},
	};

	(void)state;
	CHECK_ALL(cases);
}

static const struct received_case common_servers[] = {
	/* a field of Amazon SES */
	{"from mail-yw1-f173.google.com (mail-yw1-f173.google.com [209.85.128.173])\r\n by "
	 "inbound-smtp.eu-west-1.amazonaws.com with SMTP id tjqb8v0\r\n for "
	 "a@example.net;\r\n "
	 "Fri, 20 Nov 2026 11:22:04 +0000 (UTC)",
		"mail-yw1-f173.google.com", "mail-yw1-f173.google.com", "209.85.128.173",
		"inbound-smtp.eu-west-1.amazonaws.com", "SMTP"},
	/* Postfix */
	{"from mail.example.com (mail.example.com [192.0.2.1])\r\n\t(using TLSv1.3 with "
	 "cipher TLS_AES_256_GCM_SHA384 (256/256 bits)\r\n\t key-exchange X25519 "
	 "server-signature RSA-PSS (2048 bits))\r\n\t(No client certificate "
	 "requested)\r\n\tby "
	 "mx.example.net (Postfix) with ESMTPS id 4Tx\r\n\tfor <a@example.net>; Fri, 20 "
	 "Nov "
	 "2026 11:22:04 +0000 (UTC)",
		"mail.example.com", "mail.example.com", "192.0.2.1", "mx.example.net", "ESMTPS"},
	{"from localhost (localhost [127.0.0.1]) by mx.example.net (Postfix) with ESMTP id "
	 "1; D",
		"localhost", "localhost", "127.0.0.1", "mx.example.net", "ESMTP"},
	{"by mx.example.net (Postfix, from userid 33)\r\n\tid 4Tx; D", "", "", "", "mx.example.net",
		""},
	/* Exim */
	{"from mail.example.com ([192.0.2.1] helo=helo.example.com)\r\n\tby mx.example.net "
	 "with "
	 "esmtps  (TLS1.3) tls TLS_AES_256_GCM_SHA384\r\n\t(Exim 4.96)\r\n\t(envelope-from "
	 "<a@example.com>)\r\n\tid 1qX\r\n\tfor b@example.net; D",
		"helo.example.com", "mail.example.com", "192.0.2.1", "mx.example.net", "esmtps"},
	{"from mail.example.com ([192.0.2.1]) by mx.example.net with esmtp (Exim 4.96) id "
	 "1; D",
		"mail.example.com", "", "192.0.2.1", "mx.example.net", "esmtp"},
	{"from [192.0.2.1] (helo=helo.example.com) by mx.example.net with esmtp id 1; D",
		"helo.example.com", "", "192.0.2.1", "mx.example.net", "esmtp"},
	{"from [192.0.2.1] (port=4711 helo=[192.0.2.9]) by mx.example.net with esmtp id 1; "
	 "D",
		"[192.0.2.9]", "", "192.0.2.1", "mx.example.net", "esmtp"},
	{"from [192.0.2.1]:4711 (helo=h.example) by mx.example.net with esmtp id 1; D", "h.example",
		"", "192.0.2.1", "mx.example.net", "esmtp"},
	{"from mail.example.com ([192.0.2.1]:4711 helo=h.example) by mx.example.net with "
	 "esmtp; D",
		"h.example", "mail.example.com", "192.0.2.1", "mx.example.net", "esmtp"},
	/* Sendmail */
	{"from helo.example.com (mail.example.com [192.0.2.1] (may be forged))\r\n\tby "
	 "mx.example.net (8.17.1/8.17.1) with ESMTPS id 3A\r\n\t(version=TLSv1.3 "
	 "cipher=TLS_AES_256_GCM_SHA384 bits=256 verify=NOT)\r\n\tfor <a@example.net>; D",
		"helo.example.com", "mail.example.com", "192.0.2.1", "mx.example.net", "ESMTPS"},
	{"from helo.example.com ([192.0.2.1]) by mx.example.net (8.17.1) with ESMTP id 3; "
	 "D",
		"helo.example.com", "", "192.0.2.1", "mx.example.net", "ESMTP"},
	{"from helo.example.com (IDENT:root@mail.example.com [192.0.2.1]) by "
	 "mx.example.net "
	 "with ESMTP id 3; D",
		"helo.example.com", "mail.example.com", "192.0.2.1", "mx.example.net", "ESMTP"},
	{"(from root@localhost)\r\n\tby mx.example.net (8.17.1/8.17.1/Submit) id 3A; D", "", "", "",
		"mx.example.net", ""},
	/* Exchange */
	{"from AM6PR01.example.com (2001:db8:10a6::15) by DB8PR02.example.com "
	 "(2001:db8:10a6::16) with Microsoft SMTP Server (version=TLS1_2, cipher=X) id "
	 "15.20.1.2; D",
		"AM6PR01.example.com", "", "2001:db8:10a6::15", "db8pr02.example.com", "Microsoft"},
	{"from mail.example.com (192.0.2.1) by DB5EUR.mail.example.com (10.152.4.222) with "
	 "Microsoft SMTP Server id 15.20; D",
		"mail.example.com", "", "192.0.2.1", "db5eur.mail.example.com", "Microsoft"},
	{"from A.example.com ([fe80::1%12]) by A.example.com ([fe80::1%12]) with mapi id "
	 "15; D",
		"A.example.com", "", "", "a.example.com", "mapi"},
	/* Gmail */
	{"from mail.example.com (mail.example.com. [192.0.2.1])\r\n        by "
	 "mx.google.com with "
	 "ESMTPS id a1\r\n        for <a@example.net>\r\n        (version=TLS1_3 cipher=X "
	 "bits=256/256);\r\n        Fri, 20 Nov 2026 03:22:04 -0800 (PST)",
		"mail.example.com", "mail.example.com", "192.0.2.1", "mx.google.com", "ESMTPS"},
	{"by 2002:a05:6102:3752:b0:457:abcd:1 with SMTP id u18; D", "", "", "",
		"2002:a05:6102:3752:b0:457:abcd:1", "SMTP"},
	/* fields of qmail, Yahoo and Courier */
	{"from unknown (HELO helo.example.com) (192.0.2.1)\r\n  by mx.example.net with "
	 "SMTP; D",
		"helo.example.com", "", "192.0.2.1", "mx.example.net", "SMTP"},
	{"from mail.example.com (HELO [192.0.2.9]) (user@192.0.2.1) by mx.example.net with "
	 "SMTP; D",
		"[192.0.2.9]", "mail.example.com", "192.0.2.1", "mx.example.net", "SMTP"},
	{"from 192.0.2.1 (EHLO helo.example.com) by 10.1.2.3 with SMTPs; D", "helo.example.com", "",
		"192.0.2.1", "10.1.2.3", "SMTPs"},
	{"from helo.example.com (mail.example.com [::ffff:192.0.2.1]) (TLS: x) by "
	 "mx.example.net with ESMTPS; D",
		"helo.example.com", "mail.example.com", "192.0.2.1", "mx.example.net", "ESMTPS"},
};

static void fields_of_common_servers_are_read(void **state)
{
	(void)state;
	CHECK_ALL(common_servers);
}

static void text_that_a_client_chooses_is_not_taken_for_its_address(void **state)
{
	static const struct received_case cases[] = {
		/* the client put a comment into its HELO */
		{"from a(x[198.51.100.9]) (mail.example.com [192.0.2.1]) by mx.example.net with "
		 "SMTP; D",
			"a", "mail.example.com", "192.0.2.1", "mx.example.net", "SMTP"},
		{"from a(198.51.100.9) (unknown [192.0.2.1]) by mx.example.net with SMTP; D", "a",
			"", "192.0.2.1", "mx.example.net", "SMTP"},
		/* the HELO is a keyword of the field */
		{"from by (unknown [192.0.2.1]) by mx.example.net with SMTP; D", "by", "",
			"192.0.2.1", "mx.example.net", "SMTP"},
		{"from from (unknown [192.0.2.1]) by mx.example.net with SMTP; D", "from", "",
			"192.0.2.1", "mx.example.net", "SMTP"},
		/* the name in a client's certificate */
		{"from h (m.example 192.0.2.1) by mx.example.net with ESMTP; D", "h", "", "",
			"mx.example.net", "ESMTP"},
		{"from h (a m.example [192.0.2.1]) by mx.example.net with ESMTP; D", "h", "", "",
			"mx.example.net", "ESMTP"},
		{"from h (m.example [192.0.2.1]) (Client CN \"x [198.51.100.9] y\", Issuer \"z\" "
		 "(not "
		 "verified)) by mx.example.net with ESMTPS; D",
			"h", "m.example", "192.0.2.1", "mx.example.net", "ESMTPS"},
		/* an address literal as HELO is only a claim */
		{"from [198.51.100.9] (m.example [192.0.2.1]) by mx.example.net with SMTP; D",
			"[198.51.100.9]", "m.example", "192.0.2.1", "mx.example.net", "SMTP"},
		{"from [198.51.100.9] by mx.example.net with SMTP; D", "[198.51.100.9]", "", "",
			"mx.example.net", "SMTP"},
		{"from 198.51.100.9 (m.example [192.0.2.1]) by mx.example.net with SMTP; D",
			"198.51.100.9", "m.example", "192.0.2.1", "mx.example.net", "SMTP"},
		/* the text after "by" is about the server */
		{"from h by mx.example.net ([198.51.100.9]) with SMTP; D", "h", "", "",
			"mx.example.net", "SMTP"},
		{"from h (m.example [192.0.2.1]) by mx.example.net (e [198.51.100.9]) by "
		 "evil.example "
		 "with SMTP; D",
			"h", "m.example", "192.0.2.1", "mx.example.net", "SMTP"},
		/* an invalid address */
		{"from h (m.example [192.0.2.256]) by mx.example.net; D", "h", "", "",
			"mx.example.net", ""},
		{"from h (m.example [192.0.2.1) by mx.example.net; D", "h", "", "",
			"mx.example.net", ""},
	};

	(void)state;
	CHECK_ALL(cases);
}

static void a_field_without_a_date_is_read(void **state)
{
	static const struct received_case cases[] = {
		{"from h (m.example [192.0.2.1]) by mx.example.net", "h", "m.example", "192.0.2.1",
			"mx.example.net", ""},
		{"FROM h (m.example [192.0.2.1]) BY mx.example.net WITH smtp", "h", "m.example",
			"192.0.2.1", "mx.example.net", "smtp"},
		{"from h (m.example [192.0.2.1]) by mx.example.net with", "h", "m.example",
			"192.0.2.1", "mx.example.net", ""},
	};

	(void)state;
	CHECK_ALL(cases);
}

static void text_that_is_not_a_received_field_is_refused(void **state)
{
	static const char *const cases[] = {
		"",
		"   ",
		";",
		"hello",
		"from",
		"by",
		"from h",
		"from h (m.example [192.0.2.1])",
		"from h (m.example [192.0.2.1]) by",
		"from h (m.example [192.0.2.1]) by; D",
		"from h; (m.example [192.0.2.1]) by mx.example.net",
		"from h (m.example [192.0.2.1] by mx.example.net; D",
		"from h( (m.example [192.0.2.1]) by mx.example.net; D",
		"from (m.example [192.0.2.1]) by mx.example.net; D",
		"from h (m.example [192.0.2.1]) by (mx.example.net); D",
		"(((((((((",
		"(a) (b)",
		"fromh (m.example [192.0.2.1]) by mx.example.net; D",
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct eds_received received;

		if (parse(cases[i], &received))
			fail_msg("%s was read", cases[i]);
	}
}

static void a_nul_makes_the_field_unreadable(void **state)
{
	struct eds_received received;
	const char value[] = "from h\0 (m.example [192.0.2.1]) by mx.example.net; D";

	(void)state;
	assert_false(eds_received_parse(&test_event, value, sizeof value - 1, &received));
}

static void controls_in_names_are_masked_and_long_names_cut(void **state)
{
	char *value = rt_alloc(&test_event, 6000);
	struct eds_received received;

	(void)state;
	assert_true(parse("from a\x01\x7f"
			  "b (m.example [192.0.2.1]) by mx.example.net; D",
		&received));
	assert_string_equal(received.helo, "a??b");
	memset(value, 'h', 5100);
	memcpy(value, "from ", 5);
	strcpy(value + 5100, " (m.example [192.0.2.1]) by mx.example.net; D");
	assert_true(parse(value, &received));
	assert_int_equal(strlen(received.helo), 1024);
}

static void received_spf_of_ses_is_read(void **state)
{
	struct eds_received_spf spf;
	const char *value =
		"pass (spfCheck: domain of example.com designates 192.0.2.1 as permitted "
		"sender) client-ip=192.0.2.1; envelope-from=a@example.com; "
		"helo=mail.example.com;";

	(void)state;
	assert_true(eds_received_spf_parse(&test_event, value, strlen(value), &spf));
	assert_string_equal(ip_text(&spf.client_ip), "192.0.2.1");
	assert_string_equal(spf.helo, "mail.example.com");
	assert_string_equal(spf.envelope_from, "a@example.com");
}

static void received_spf_is_read_in_each_of_its_forms(void **state)
{
	static const struct {
		const char *value;
		bool read;
		const char *ip;
		const char *helo;
		const char *from;
	} cases[] = {
		{"none client-ip=2001:db8::1; helo=h.example", true, "2001:db8::1", "h.example",
			""},
		{"fail\r\n (a (b) c)\r\n CLIENT-IP = 192.0.2.1 ;\r\n HELO = \"h \\\" e\"; x=y",
			true, "192.0.2.1", "h \" e", ""},
		{"pass (c) client-ip=192.0.2.1; client-ip=198.51.100.9; helo=a; helo=b;", true,
			"192.0.2.1", "a", ""},
		{"pass client-ip=192.0.2.1; envelope-from=\"a; helo=x\"@e.example; helo=h", true,
			"192.0.2.1", "h", "a; helo=x"},
		{"pass client-ip=192.0.2.1; envelope-from=<>; helo=", true, "192.0.2.1", "", "<>"},
		{"pass client-ip=192.0.2.1; helo=\"a\001\177\tb\"", true, "192.0.2.1", "a???b", ""},
		{"pass client-ip=192.0.2.999; helo=h", false, "", "h", ""},
		{"pass (client-ip=192.0.2.1; helo=h)", false, "", "", ""},
		{"pass (client-ip=192.0.2.1; helo=h", false, "", "", ""},
		{"client-ip=192.0.2.1", false, "", "", ""},
		{"", false, "", "", ""},
		{"pass", false, "", "", ""},
		{"pass ;;;;", false, "", "", ""},
		{"pass = = =", false, "", "", ""},
		{"pass client-ip", false, "", "", ""},
		{"pass client-ip=", false, "", "", ""},
		{"pass client-ip=\"", false, "", "", ""},
		{"pass client-ip=\"192.0.2.1\\", false, "", "", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		size_t length = strlen(cases[i].value);
		const char *value = rt_memdup(&test_event, cases[i].value, length);
		struct eds_received_spf spf;

		if (eds_received_spf_parse(&test_event, value, length, &spf) != cases[i].read ||
			strcmp(ip_text(&spf.client_ip), cases[i].ip) ||
			strcmp(spf.helo, cases[i].helo) || strcmp(spf.envelope_from, cases[i].from))
			fail_msg("%s gave ip %s, helo %s, from %s", value, ip_text(&spf.client_ip),
				spf.helo, spf.envelope_from);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(fields_of_our_own_receiver_are_read),
		TEST(fields_of_common_servers_are_read),
		TEST(text_that_a_client_chooses_is_not_taken_for_its_address),
		TEST(a_field_without_a_date_is_read),
		TEST(text_that_is_not_a_received_field_is_refused),
		TEST(a_nul_makes_the_field_unreadable),
		TEST(controls_in_names_are_masked_and_long_names_cut),
		TEST(received_spf_of_ses_is_read),
		TEST(received_spf_is_read_in_each_of_its_forms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
