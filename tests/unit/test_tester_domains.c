/* Reverse DNS and HELO, and the sender domain's mail exchangers, judged with scripted answers.
 */
#include <string.h>

#include "functions/lib/mx.h"
#include "functions/tester/ptr.h"
#include "runtime/config/config.h"
#include "tests/support/dns-table.h"
#include "tests/support/test-event.h"

/* The address in an address literal, without the brackets. */
static const char *inside(struct rt_ctx *ctx, const char *literal)
{
	return rt_memdup(ctx, literal + 1, strlen(literal) - 2);
}

static struct ptr_result check_ptr(struct rt_ctx *ctx, const char *helo, const char *zone)
{
	struct eds_client client = {.is_public = true, .helo = helo, .tls = ""};
	struct ptr_result result;
	struct eds_dns *dns;

	assert_true(rt_ip_parse("192.0.2.1", &client.ip));
	client.helo_literal = helo[0] == '[';
	if (client.helo_literal)
		assert_true(rt_ip_parse(inside(ctx, helo), &client.helo_ip));
	dns_table(zone);
	assert_int_equal(eds_dns_open(ctx, &dns), RT_OK);
	ptr_prefetch(ctx, dns, &client);
	ptr_check(ctx, dns, &client, &result);
	return result;
}

#define PTR_TO(name) "1.2.0.192.in-addr.arpa PTR " name "\n"

struct ptr_case {
	const char *helo;
	const char *zone;
	enum ptr_state wanted;
	enum helo_state helo_wanted;
};

static void assert_ptrs(struct rt_ctx *ctx, const struct ptr_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct ptr_result result = check_ptr(ctx, cases[i].helo, cases[i].zone);

		if (result.state != cases[i].wanted || result.helo != cases[i].helo_wanted)
			fail_msg("case %zu: PTR %s, HELO %s", i, ptr_state_name(result.state),
				helo_state_name(result.helo));
	}
}

static void reverse_dns_is_confirmed_by_helo_or_its_address(void **state)
{
	static const struct ptr_case cases[] = {
		/* the confirmed reverse name is the HELO name */
		{"mail.example.com", PTR_TO("mail.example.com") "mail.example.com A 192.0.2.1\n",
			PTR_STATE_VALID, HELO_CONFIRMED},
		{"MAIL.Example.com.", PTR_TO("mail.example.com") "mail.example.com A 192.0.2.1\n",
			PTR_STATE_VALID, HELO_CONFIRMED},
		/* the HELO name resolves to the address of the client */
		{"other.example.net",
			PTR_TO("mail.example.com") "mail.example.com A 192.0.2.1\n"
						   "other.example.net A 192.0.2.1\n",
			PTR_STATE_VALID, HELO_CONFIRMED},
		/* the second of two names is the valid one */
		{"mail.example.com",
			PTR_TO("bad.example.org") PTR_TO("mail.example.com") "mail.example.com A "
									     "192.0.2.1\n",
			PTR_STATE_VALID, HELO_CONFIRMED},
	};

	assert_ptrs(*state, cases, sizeof cases / sizeof cases[0]);
}

static void a_helo_in_the_same_domain_is_enough_if_it_resolves(void **state)
{
	static const struct ptr_case cases[] = {
		/* the reverse name and HELO have the same parent domain, and HELO resolves, even if
		 * only to IPv6 */
		{"out2.example.com",
			PTR_TO("out1.example.com") "out1.example.com A 192.0.2.1\n"
						   "out2.example.com A 192.0.2.9\n",
			PTR_STATE_VALID, HELO_ELSEWHERE},
		{"out2.example.com",
			PTR_TO("out1.example.com") "out1.example.com A 192.0.2.1\n"
						   "out2.example.com AAAA 2001:db8::1\n",
			PTR_STATE_VALID, HELO_ELSEWHERE},
		/* one of the reverse name and HELO is the parent of the other */
		{"example.com",
			PTR_TO("out1.example.com") "out1.example.com A 192.0.2.1\n"
						   "example.com A 192.0.2.9\n",
			PTR_STATE_VALID, HELO_ELSEWHERE},
		{"a.mx.example.com",
			PTR_TO("mx.example.com") "mx.example.com A 192.0.2.1\n"
						 "a.mx.example.com A 192.0.2.9\n",
			PTR_STATE_VALID, HELO_ELSEWHERE},
		/* no match: HELO is two labels above the reverse name */
		{"example.com",
			PTR_TO("a.mx.example.com") "a.mx.example.com A 192.0.2.1\n"
						   "example.com A 192.0.2.9\n",
			PTR_STATE_MISMATCH, HELO_ELSEWHERE},
		/* a greeting that resolves to nothing is never rewarded */
		{"out2.example.com", PTR_TO("out1.example.com") "out1.example.com A 192.0.2.1\n",
			PTR_STATE_MISMATCH, HELO_UNRESOLVED},
		{"out2.example.com",
			PTR_TO("out1.example.com") "out1.example.com A 192.0.2.1\n"
						   "out2.example.com FAIL SERVFAIL\n",
			PTR_STATE_UNKNOWN, HELO_UNKNOWN},
		/* a parent with one label does not count */
		{"b.com", PTR_TO("a.com") "a.com A 192.0.2.1\nb.com A 192.0.2.9\n",
			PTR_STATE_MISMATCH, HELO_ELSEWHERE},
		{"com", PTR_TO("a.com") "a.com A 192.0.2.1\ncom A 192.0.2.9\n", PTR_STATE_MISMATCH,
			HELO_ELSEWHERE},
	};

	assert_ptrs(*state, cases, sizeof cases / sizeof cases[0]);
}

static void an_address_literal_as_helo_counts_only_if_it_is_the_clients(void **state)
{
	static const struct ptr_case cases[] = {
		/* an address literal needs only forward confirmation */
		{"[192.0.2.1]", PTR_TO("mail.example.com") "mail.example.com A 192.0.2.1\n",
			PTR_STATE_VALID, HELO_LITERAL},
		{"[192.0.2.1]", PTR_TO("mail.example.com") "mail.example.com A 192.0.2.9\n",
			PTR_STATE_MISMATCH, HELO_LITERAL},
		/* a literal of another address is not the client's */
		{"[192.0.2.2]", PTR_TO("mail.example.com") "mail.example.com A 192.0.2.1\n",
			PTR_STATE_MISMATCH, HELO_ELSEWHERE},
	};

	assert_ptrs(*state, cases, sizeof cases / sizeof cases[0]);
}

static void a_reverse_name_that_does_not_resolve_to_the_client_is_a_mismatch(void **state)
{
	static const struct ptr_case cases[] = {
		/* the reverse name does not resolve to the address */
		{"mail.example.com", PTR_TO("mail.example.com") "mail.example.com A 192.0.2.9\n",
			PTR_STATE_MISMATCH, HELO_ELSEWHERE},
		{"mail.example.com", PTR_TO("mail.example.com"), PTR_STATE_MISMATCH,
			HELO_UNRESOLVED},
		/* HELO is unrelated to the reverse name and does not resolve */
		{"nowhere.test", PTR_TO("mail.example.com") "mail.example.com A 192.0.2.1\n",
			PTR_STATE_MISMATCH, HELO_UNRESOLVED},
	};

	assert_ptrs(*state, cases, sizeof cases / sizeof cases[0]);
}

static void without_a_record_or_an_answer_there_is_no_mismatch(void **state)
{
	static const struct ptr_case cases[] = {
		/* the address has no PTR record */
		{"mail.example.com", "mail.example.com A 192.0.2.1\n", PTR_STATE_MISSING,
			HELO_CONFIRMED},
		/* temporary failures give no verdict */
		{"mail.example.com",
			"1.2.0.192.in-addr.arpa FAIL SERVFAIL\nmail.example.com A 192.0.2.1\n",
			PTR_STATE_UNKNOWN, HELO_CONFIRMED},
		{"mail.example.com", PTR_TO("mail.example.com") "mail.example.com FAIL SERVFAIL\n",
			PTR_STATE_UNKNOWN, HELO_UNKNOWN},
		{"dead.test",
			PTR_TO("mail.example.com") "mail.example.com A 192.0.2.1\n"
						   "dead.test FAIL SERVFAIL\n",
			PTR_STATE_UNKNOWN, HELO_UNKNOWN},
	};

	assert_ptrs(*state, cases, sizeof cases / sizeof cases[0]);
}

static void the_confirmed_reverse_name_is_the_one_shown(void **state)
{
	struct ptr_result result = check_ptr(*state, "mail.example.com",
		PTR_TO("bad.example.org")
			PTR_TO("mail.example.com") "mail.example.com A 192.0.2.1\n");

	assert_string_equal(result.record, "mail.example.com");
	result = check_ptr(*state, "x.test", "x.test A 192.0.2.1\n");
	assert_null(result.record);
}

static void an_address_that_is_not_public_is_not_looked_up(void **state)
{
	struct eds_client client = {.is_public = false, .helo = "localhost"};
	struct ptr_result result;
	struct eds_dns *dns;

	assert_true(rt_ip_parse("127.0.0.1", &client.ip));
	dns_table("");
	assert_int_equal(eds_dns_open(*state, &dns), RT_OK);
	ptr_prefetch(*state, dns, &client);
	ptr_check(*state, dns, &client, &result);
	assert_int_equal(result.state, PTR_STATE_UNKNOWN);
	assert_int_equal(eds_dns_query_count(dns), 0);
}

static struct eds_mx_result check_mx(struct rt_ctx *ctx, const char *domain, const char *zone)
{
	struct eds_mx_result result;
	struct eds_dns *dns;

	dns_table(zone);
	assert_int_equal(eds_dns_open(ctx, &dns), RT_OK);
	eds_mx_prefetch(ctx, dns, domain);
	eds_mx_check(ctx, dns, domain, &result);
	return result;
}

static void mail_exchangers_are_judged_by_their_public_addresses(void **state)
{
	static const struct {
		const char *zone;
		enum eds_mx_verdict wanted;
	} cases[] = {
		{"example.com MX 10 mx.example.com\nmx.example.com A 1.1.1.1\n",
			EDS_MX_STATE_VALID},
		{"example.com MX 10 mx.example.com\nmx.example.com AAAA 2606:4700::1\n",
			EDS_MX_STATE_VALID},
		{"example.com MX 10 dead.example.com\nexample.com MX 20 mx.example.com\n"
		 "mx.example.com A 1.1.1.1\n",
			EDS_MX_STATE_VALID},
		{"example.com TXT hello\n", EDS_MX_STATE_NONE},
		{"", EDS_MX_STATE_NONE},
		{"example.com A 1.1.1.1\n", EDS_MX_STATE_NONE},
		{"example.com MX 0 .\n", EDS_MX_STATE_INVALID},
		/* an exchange must not be an alias, but another valid exchange suffices */
		{"example.com MX 10 mx.example.com\nmx.example.com CNAME real.example.com\n"
		 "real.example.com A 1.1.1.1\n",
			EDS_MX_STATE_INVALID},
		{"example.com MX 10 mx.example.com\nmx.example.com CNAME real.example.com\n"
		 "real.example.com A 1.1.1.1\nexample.com MX 20 real.example.com\n",
			EDS_MX_STATE_VALID},
		{"example.com MX 10 mx.example.com\n", EDS_MX_STATE_INVALID},
		{"example.com MX 10 mx.example.com\nmx.example.com A 10.0.0.1\n",
			EDS_MX_STATE_INVALID},
		{"example.com FAIL SERVFAIL\n", EDS_MX_STATE_UNKNOWN},
		{"example.com MX 10 mx.example.com\nmx.example.com FAIL SERVFAIL\n",
			EDS_MX_STATE_UNKNOWN},
		{"example.com MX 10 mx.example.com\nmx.example.com FAIL SERVFAIL\n"
		 "example.com MX 20 mx2.example.com\nmx2.example.com A 1.1.1.1\n",
			EDS_MX_STATE_VALID},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct eds_mx_result result = check_mx(*state, "example.com", cases[i].zone);

		if (result.state != cases[i].wanted)
			fail_msg("case %zu: MX %s", i, eds_mx_state_name(result.state));
	}
}

static void mail_exchangers_are_shown_by_preference_with_their_addresses(void **state)
{
	struct eds_mx_result result = check_mx(*state, "example.com",
		"example.com MX 20 b.example.com\nexample.com MX 10 a.example.com\n"
		"a.example.com A 1.1.1.1\nb.example.com A 1.0.0.1\n");

	assert_int_equal(result.count, 2);
	assert_string_equal(result.exchanges[0].name, "a.example.com");
	assert_int_equal(result.exchanges[0].address_count, 1);
}

/* Twelve exchanges, least preferred first; only the last, most preferred one has an address. */
static const char many_exchanges[] =
	"example.com MX 120 a.test\nexample.com MX 110 b.test\nexample.com MX 100 c.test\n"
	"example.com MX 90 d.test\nexample.com MX 80 e.test\nexample.com MX 70 f.test\n"
	"example.com MX 60 g.test\nexample.com MX 50 h.test\nexample.com MX 40 i.test\n"
	"example.com MX 30 j.test\nexample.com MX 20 k.test\nexample.com MX 10 l.test\n";

static void only_the_most_preferred_of_many_mail_exchangers_are_examined(void **state)
{
	struct rt_ctx *ctx = *state;
	struct eds_mx_result result = check_mx(
		ctx, "example.com", rt_printf(ctx, "%sl.test A 1.1.1.1\n", many_exchanges));

	assert_int_equal(result.state, EDS_MX_STATE_VALID);
	assert_int_equal(result.count, EDS_MX_EXCHANGES_MAX);
	assert_string_equal(result.exchanges[0].name, "l.test");
	assert_string_equal(result.exchanges[9].name, "c.test");
}

static void mail_exchangers_not_examined_are_not_called_unreachable(void **state)
{
	assert_int_equal(
		check_mx(*state, "example.com", many_exchanges).state, EDS_MX_STATE_UNKNOWN);
}

static void an_address_record_alone_is_distinguished_from_no_record(void **state)
{
	assert_true(check_mx(*state, "example.com", "example.com A 1.1.1.1\n").implicit);
	assert_false(check_mx(*state, "example.com", "example.com TXT x\n").implicit);
	assert_int_equal(check_mx(*state, NULL, "").state, EDS_MX_STATE_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(reverse_dns_is_confirmed_by_helo_or_its_address),
		TEST(a_helo_in_the_same_domain_is_enough_if_it_resolves),
		TEST(an_address_literal_as_helo_counts_only_if_it_is_the_clients),
		TEST(a_reverse_name_that_does_not_resolve_to_the_client_is_a_mismatch),
		TEST(without_a_record_or_an_answer_there_is_no_mismatch),
		TEST(the_confirmed_reverse_name_is_the_one_shown),
		TEST(an_address_that_is_not_public_is_not_looked_up),
		TEST(mail_exchangers_are_judged_by_their_public_addresses),
		TEST(mail_exchangers_are_shown_by_preference_with_their_addresses),
		TEST(only_the_most_preferred_of_many_mail_exchangers_are_examined),
		TEST(mail_exchangers_not_examined_are_not_called_unreachable),
		TEST(an_address_record_alone_is_distinguished_from_no_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
