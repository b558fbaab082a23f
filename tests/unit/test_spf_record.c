/* SPF records, checked against the ABNF of RFC 7208 section 12, and the choice of the SPF record
 * among TXT records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "functions/lib/spf/spf-record.h"
#include "functions/lib/spf/spf-syntax.h"

static struct rt_ctx ctx;

static int set_up(void **state)
{
	(void)state;
	ctx = (struct rt_ctx){.arena = rt_arena_new()};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	rt_arena_free(ctx.arena);
	return 0;
}

static bool parses(const char *text, struct eds_spf_record *record)
{
	return eds_spf_record_parse(&ctx, text, strlen(text), record);
}

static void records_that_follow_the_grammar_are_read(void **state)
{
	static const struct {
		const char *text;
		size_t terms;
	} good[] = {
		{"v=spf1", 0},
		{"V=SPF1", 0},
		{"v=spf1 ", 0},
		{"v=spf1   all  ", 1},
		{"v=spf1 -ALL", 1},
		{"v=spf1 +a ~mx ?ptr -exists:a.b", 4},
		{"v=spf1 a/24 a//64 a/24//64 a/0//0 a/32//128", 5},
		{"v=spf1 mx:example.com/24//64", 1},
		{"v=spf1 a:foo:bar/baz.example.com", 1},
		{"v=spf1 a:example.com.", 1},
		{"v=spf1 a:example.xn--zckzah a:example.a-b a:1.2.3.4a", 3},
		{"v=spf1 a:_spf.example.com a:-.com a:example...com", 3},
		{"v=spf1 ptr ptr:example.com", 2},
		{"v=spf1 ip4:192.0.2.0 ip4:192.0.2.0/24 ip4:0.0.0.0/0 ip4:192.0.2.1/32", 4},
		{"v=spf1 ip6:2001:db8::/32 ip6:::1 ip6:::/0 ip6:::ffff:192.0.2.1/128", 4},
		{"v=spf1 ip6:0000:0000:0000:0000:0000:ffff:255.255.255.255", 1},
		{"v=spf1 include:%{d}.example.com include:%{ir}.%{v}._spf.%{d2}", 2},
		{"v=spf1 exists:%{L1R-}.%{o}.%{i} exists:%{s10r.-+,/_=}", 2},
		{"v=spf1 a:%%%_%-.example.com", 1},
		{"v=spf1 redirect=example.com exp=%{d}", 2},
		{"v=spf1 REDIRECT=example.com Exp=why.example.com", 2},
		{"v=spf1 foo=bar foo=bar x.y-z_1= moo.cow-far_out=man:dog/cat", 4},
		/* "all" and "a" with = are modifiers of these names, not mechanisms */
		{"v=spf1 all=x a=", 2},
	};
	struct eds_spf_record record;

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		if (!parses(good[i].text, &record))
			fail_msg("refused: %s (at %s)", good[i].text, record.bad);
		assert_int_equal(record.count, good[i].terms);
		assert_string_equal(record.bad, "");
	}
}

/* Invalid records, each with its invalid term. */
static const struct {
	const char *text;
	const char *bad;
} broken[] = {
	{"v=spf10", "v=spf1"},
	{"v=spf2 all", "v=spf2"},
	{"", ""},
	{"v=spf1 -all moo", "moo"},
	{"v=spf1 all.", "all."},
	{"v=spf1 all:example.com", "all:example.com"},
	{"v=spf1 all/8", "all/8"},
	{"v=spf1 --all", "--all"},
	{"v=spf1 -", "-"},
	{"v=spf1 - all", "-"},
	{"v=spf1 +redirect=example.com", "+redirect=example.com"},
	{"v=spf1 include", "include"},
	{"v=spf1 include:", "include:"},
	{"v=spf1 include:example.com/24", "include:example.com/24"},
	{"v=spf1 exists", "exists"},
	{"v=spf1 exists:example.com//64", "exists:example.com//64"},
	{"v=spf1 ptr/0", "ptr/0"},
	{"v=spf1 ptr:", "ptr:"},
	{"v=spf1 a:", "a:"},
	{"v=spf1 a:/24", "a:/24"},
	{"v=spf1 a/", "a/"},
	{"v=spf1 a//", "a//"},
	{"v=spf1 a/33", "a/33"},
	{"v=spf1 a//129", "a//129"},
	{"v=spf1 a/024", "a/024"},
	{"v=spf1 a/00", "a/00"},
	{"v=spf1 a/24/64", "a/24/64"},
	{"v=spf1 a///64", "a///64"},
	{"v=spf1 a//64/24", "a//64/24"},
	{"v=spf1 a/4294967320", "a/4294967320"},
	{"v=spf1 a/24x", "a/24x"},
	{"v=spf1 aa", "aa"},
	{"v=spf1 a:museum", "a:museum"},
	{"v=spf1 a:museum.", "a:museum."},
	{"v=spf1 a:.", "a:."},
	{"v=spf1 a:example.com..", "a:example.com.."},
	{"v=spf1 a:111.222.33.44", "a:111.222.33.44"},
	{"v=spf1 a:example.-com", "a:example.-com"},
	{"v=spf1 a:example.com-", "a:example.com-"},
	{"v=spf1 a:example.c_m", "a:example.c_m"},
	{"v=spf1 a:example.com:8080", "a:example.com:8080"},
	{"v=spf1 a:%{d}.", "a:%{d}."},
	{"v=spf1 a:%{a}.example.com", "a:%{a}.example.com"},
	{"v=spf1 a:%{c}.example.com", "a:%{c}.example.com"},
	{"v=spf1 a:%{r}.example.com", "a:%{r}.example.com"},
	{"v=spf1 a:%{t}.example.com", "a:%{t}.example.com"},
	{"v=spf1 a:%{d", "a:%{d"},
	{"v=spf1 a:%{}", "a:%{}"},
	{"v=spf1 a:%{d0}", "a:%{d0}"},
	{"v=spf1 a:%{d00}", "a:%{d00}"},
	{"v=spf1 a:%{dr2}", "a:%{dr2}"},
	{"v=spf1 a:%{d2rr}", "a:%{d2rr}"},
	{"v=spf1 a:%{d*}", "a:%{d*}"},
	{"v=spf1 a:%(d).example.com", "a:%(d).example.com"},
	{"v=spf1 a:foo%.example.com", "a:foo%.example.com"},
	{"v=spf1 a:example.com%", "a:example.com%"},
	{"v=spf1 ip4", "ip4"},
	{"v=spf1 ip4:", "ip4:"},
	{"v=spf1 ip4:1.2.3", "ip4:1.2.3"},
	{"v=spf1 ip4:1.2.3.4.5", "ip4:1.2.3.4.5"},
	{"v=spf1 ip4:01.2.3.4", "ip4:01.2.3.4"},
	{"v=spf1 ip4:1.2.3.256", "ip4:1.2.3.256"},
	{"v=spf1 ip4:1.2.3.4/33", "ip4:1.2.3.4/33"},
	{"v=spf1 ip4:1.2.3.4/032", "ip4:1.2.3.4/032"},
	{"v=spf1 ip4:1.2.3.4/", "ip4:1.2.3.4/"},
	{"v=spf1 ip4:1.2.3.4//32", "ip4:1.2.3.4//32"},
	{"v=spf1 ip4:1.2.3.4:8080", "ip4:1.2.3.4:8080"},
	{"v=spf1 ip4:::1", "ip4:::1"},
	{"v=spf1 ip4:%{i}", "ip4:%{i}"},
	{"v=spf1 ip6:192.0.2.1", "ip6:192.0.2.1"},
	{"v=spf1 ip6::CAFE::BABE", "ip6::CAFE::BABE"},
	{"v=spf1 ip6:::1/129", "ip6:::1/129"},
	{"v=spf1 ip6:fe80::1%eth0", "ip6:fe80::1%eth0"},
	{"v=spf1 ip6:[::1]", "ip6:[::1]"},
	{"v=spf1 ip6:1111:2222:3333:4444:5555:6666:7777:8888:9999",
		"ip6:1111:2222:3333:4444:5555:6666:7777:8888:9999"},
	/* an octet longer than the longest address */
	{"v=spf1 ip6:0000:0000:0000:0000:0000:ffff:255.255.255.2550",
		"ip6:0000:0000:0000:0000:0000:ffff:255.255.255.2550"},
	{"v=spf1 ip6:0000000000000000000000000000000000000000000000000000000000::1",
		"ip6:0000000000000000000000000000000000000000000000000000000000::1"},
	{"v=spf1 redirect=", "redirect="},
	{"v=spf1 redirect:example.com", "redirect:example.com"},
	{"v=spf1 redirect=-all ?all", "redirect=-all"},
	{"v=spf1 redirect=a.b redirect=c.d", "redirect=c.d"},
	{"v=spf1 redirect=a.b REDIRECT=a.b", "REDIRECT=a.b"},
	{"v=spf1 exp= -all", "exp="},
	{"v=spf1 exp=%{r}.example.com", "exp=%{r}.example.com"},
	{"v=spf1 exp=a.b exp=a.b", "exp=a.b"},
	{"v=spf1 =all", "=all"},
	{"v=spf1 1up=foo", "1up=foo"},
	{"v=spf1 foo=%abc", "foo=%abc"},
	{"v=spf1 foo=%{t}", "foo=%{t}"},
	{"v=spf1 moo.cow/far_out=man", "moo.cow/far_out=man"},
	{"v=spf1 a:ctrl.example.com\rptr -all", "a:ctrl.example.com?ptr"},
	{"v=spf1 ip4:192.0.2.5\n -all", "ip4:192.0.2.5?"},
	{"v=spf1\tall", ""},
	{"v=spf1 \tall", "?all"},
	{"v=spf1 a:\xef\xbb\xbfgarbage.example.net", "a:\xef\xbb\xbfgarbage.example.net"},
	{"v=spf1 \x80"
	 "a:example.net",
		"\x80"
		"a:example.net"},
	{"v=spf1 foo=\x7f", "foo=?"},
};

static void records_that_break_the_grammar_are_refused_at_the_faulty_term(void **state)
{
	struct eds_spf_record record;

	(void)state;
	for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
		if (parses(broken[i].text, &record))
			fail_msg("accepted: %s", broken[i].text);
		assert_int_equal(record.count, 0);
		if (broken[i].bad[0] != '\0')
			assert_string_equal(record.bad, broken[i].bad);
	}
}

static void a_nul_inside_a_record_is_refused(void **state)
{
	static const char *const places[] = {
		"v=spf1 a:foo.example.com@",
		"v=spf1 @all",
		"v=spf1 all@",
		"v=spf1 ip4:1.2.3.4@",
		"v=spf1 ip4:1.2@.3.4",
		"v=spf1 foo=@",
		"v=spf1 @",
		"v=spf1 a:%{d@}",
		"v=spf1 a@",
		"v=spf1 ip6:@::1",
		"v=spf1 -@all",
		"v=spf1 f@=x",
	};
	struct eds_spf_record record;

	(void)state;
	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
		char *text = rt_strdup(&ctx, places[i]);

		*strchr(text, '@') = '\0';
		assert_false(eds_spf_record_parse(&ctx, text, strlen(places[i]), &record));
	}
	assert_string_equal(record.bad, "f?=x");
}

static void the_parts_of_a_term_are_read_separately(void **state)
{
	struct eds_spf_record record;
	struct rt_ip ip;

	(void)state;
	assert_true(parses("v=spf1 ~mx:%{d2}/24//64 -ip6:2001:db8::/33 a include:x.example "
			   "redirect=y.example",
		&record));
	assert_int_equal(record.terms[0].kind, EDS_SPF_MX);
	assert_int_equal(record.terms[0].qualifier, '~');
	assert_string_equal(record.terms[0].text, "~mx:%{d2}/24//64");
	assert_string_equal(record.terms[0].target, "%{d2}");
	assert_true(record.terms[0].macros);
	assert_int_equal(record.terms[0].prefix4, 24);
	assert_int_equal(record.terms[0].prefix6, 64);
	assert_int_equal(record.terms[1].kind, EDS_SPF_IP6);
	assert_int_equal(record.terms[1].network.prefix, 33);
	assert_true(rt_ip_parse("2001:db8:7fff::1", &ip));
	assert_true(rt_cidr_contains(&record.terms[1].network, &ip));
	assert_int_equal(record.terms[2].qualifier, '+');
	assert_string_equal(record.terms[2].target, "");
	assert_int_equal(record.terms[2].prefix4, 32);
	assert_int_equal(record.terms[2].prefix6, 128);
	assert_string_equal(record.terms[3].target, "x.example");
	assert_false(record.terms[3].macros);
	assert_string_equal(eds_spf_record_find(&record, EDS_SPF_REDIRECT)->target, "y.example");
	assert_null(eds_spf_record_find(&record, EDS_SPF_EXP));
}

static void only_terms_that_ask_dns_count_for_the_limit(void **state)
{
	struct eds_spf_record record;
	size_t counting = 0;

	(void)state;
	assert_true(parses("v=spf1 a mx ptr exists:a.b include:a.b ip4:1.2.3.4 ip6:::1 all "
			   "redirect=a.b exp=a.b foo=bar",
		&record));
	for (size_t i = 0; i < record.count; i++)
		counting += eds_spf_term_counts(&record.terms[i]);
	assert_int_equal(counting, 6);
}

static void a_record_of_4096_octets_is_read_but_not_a_longer_one(void **state)
{
	char text[EDS_SPF_RECORD_MAX + 2] = "v=spf1";
	struct eds_spf_record record;

	(void)state;
	for (size_t i = 6; i < EDS_SPF_RECORD_MAX; i++)
		text[i] = i % 2 == 0 ? ' ' : 'a';
	assert_true(eds_spf_record_parse(&ctx, text, EDS_SPF_RECORD_MAX, &record));
	assert_int_equal(record.count, (EDS_SPF_RECORD_MAX - 6) / 2);
	text[EDS_SPF_RECORD_MAX] = ' ';
	assert_false(eds_spf_record_parse(&ctx, text, EDS_SPF_RECORD_MAX + 1, &record));
}

static enum eds_spf_choice choose(const char *const *texts, const struct eds_dns_record **record)
{
	static struct eds_dns_record records[8];
	struct eds_dns_answer answer = {.state = EDS_DNS_FOUND, .records = records};

	for (; texts[answer.count] != NULL; answer.count++)
		records[answer.count] = (struct eds_dns_record){
			.txt = texts[answer.count], .txt_length = strlen(texts[answer.count])};
	return eds_spf_choose(&answer, record);
}

static void the_only_record_that_begins_with_the_version_is_chosen(void **state)
{
	static const char *const one[] = {"other", "v=spf10 a", "v=SPF1 -all", "v=spf2", NULL};
	static const char *const two[] = {"v=spf1 -all", "x", "v=spf1 -all", NULL};
	static const char *const none[] = {"v=spf1-all", " v=spf1", "", "v=spf", NULL};
	const struct eds_dns_record *record = NULL;
	struct eds_dns_answer failed = {.state = EDS_DNS_NO_NAME};

	(void)state;
	assert_int_equal(choose(one, &record), EDS_SPF_CHOICE_ONE);
	assert_string_equal(record->txt, "v=SPF1 -all");
	assert_int_equal(choose(two, &record), EDS_SPF_CHOICE_SEVERAL);
	assert_int_equal(choose(none, &record), EDS_SPF_CHOICE_NONE);
	assert_int_equal(eds_spf_choose(&failed, &record), EDS_SPF_CHOICE_NONE);
}

/* The text that a domain's only TXT record shows as a misspelt SPF record; the record ends where
 * its memory does. */
static const char *misspelt(const char *text)
{
	struct eds_dns_record record = {
		.txt = rt_memdup(&ctx, text, strlen(text)), .txt_length = strlen(text)};
	const struct eds_dns_answer answer = {
		.state = EDS_DNS_FOUND, .records = &record, .count = 1};

	return eds_spf_misspelt(&ctx, &answer);
}

static void a_record_that_was_meant_for_spf_is_told_from_other_text(void **state)
{
	static const char *const meant[] = {"v=spf1; -all", "v=spf1,-all", " v=spf1 -all",
		"\tV=SPF1", "\"v=spf1 -all\"", "'v=spf1'", "\"v=spf1", "v=spf10 -all",
		"v=spf1-all"};
	static const char *const other[] = {"", " ", "\"", "v", "v=spf", "v=spf2.0/pra -all",
		"spf1 -all", "v=spf1", "v=spf1 -all", "v=DMARC1; p=none", "text with v=spf1 -all",
		"site-verification=v=spf1"};

	(void)state;
	for (size_t i = 0; i < sizeof meant / sizeof *meant; i++) {
		if (misspelt(meant[i]) == NULL)
			fail_msg("%s is other text", meant[i]);
		assert_int_equal(strlen(misspelt(meant[i])), strlen(meant[i]));
	}
	for (size_t i = 0; i < sizeof other / sizeof *other; i++)
		if (misspelt(other[i]) != NULL)
			fail_msg("%s was meant for SPF", other[i]);
}

/* What the readers of a text find in it: the octets of its first macro, and what it is. */
static int read_as_all(const char *text, size_t length)
{
	struct eds_spf_macro macro;
	int octets = (int)eds_spf_macro_read(text, length, EDS_SPF_IN_RECORD, &macro);
	bool is_string = eds_spf_macro_string_valid(text, length, EDS_SPF_IN_RECORD);
	bool is_spec = eds_spf_domain_spec_valid(text, length);

	assert_in_range(octets, 0, length);
	return octets * 4 + is_string * 2 + is_spec;
}

/* A text ends after a number of octets and not with a NUL. In sanitizer builds no octet may be read
 * behind the copy. */
static void octets_after_the_end_of_a_text_change_nothing(void **state)
{
	static const char text[] = "%{ir}.%{d2-}%%%{L10R.-+,/_=}._spf.example.com.%{v}";
	static const char after[] = "r}2-.%{a";

	(void)state;
	for (size_t begin = 0; begin < sizeof text - 1; begin++)
		for (size_t length = 1; length < sizeof text - begin; length++) {
			char *copy = malloc(length);
			char longer[sizeof text];
			int found;

			memcpy(copy, text + begin, length);
			memcpy(longer, text + begin, length);
			found = read_as_all(copy, length);
			free(copy);
			for (size_t i = 0; i < sizeof after - 1; i++) {
				longer[length] = after[i];
				assert_int_equal(read_as_all(longer, length), found);
			}
		}
}

static void a_macro_string_has_visible_octets_and_in_explanations_spaces(void **state)
{
	(void)state;
	for (int c = 0; c <= 255; c++) {
		const char text[] = {'a', (char)c, 'b'};
		bool visible = c >= 0x21 && c <= 0x7e && c != '%';

		assert_int_equal(
			eds_spf_macro_string_valid(text, sizeof text, EDS_SPF_IN_RECORD), visible);
		assert_int_equal(
			eds_spf_macro_string_valid(text, sizeof text, EDS_SPF_IN_EXPLANATION),
			visible || c == ' ');
	}
}

static void a_check_needs_a_well_formed_domain_of_at_least_two_labels(void **state)
{
	static const char *const good[] = {"example.com", "example.com.", "a.b", "_x.example.com",
		"1.example.2com", "xn--a.example", "EXAMPLE.COM"};
	static const char *const bad[] = {"", ".", "com", "com.", "a..b", ".a.b", "a.b..",
		"[1.2.3.4]", "1.2.3.4", "a b.com", "a@b.com", "ex\xc3\xa4mple.com", "a/b.com",
		"a1234567890123456789012345678901234567890123456789012345678901234.com"};
	char name[300] = "";

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
		assert_true(eds_spf_domain_valid(good[i]));
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_false(eds_spf_domain_valid(bad[i]));
	for (size_t i = 0; i < 253; i++)
		name[i] = i % 2 == 1 ? '.' : 'a';
	assert_true(eds_spf_domain_valid(name));
	memcpy(name + 253, ".a", 3);
	assert_false(eds_spf_domain_valid(name));
}

static void codes_are_named_as_in_the_header_field(void **state)
{
	(void)state;
	assert_string_equal(eds_spf_code_name(EDS_SPF_NONE), "none");
	assert_string_equal(eds_spf_code_name(EDS_SPF_SOFTFAIL), "softfail");
	assert_string_equal(eds_spf_code_name(EDS_SPF_PERMERROR), "permerror");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_that_follow_the_grammar_are_read),
		cmocka_unit_test(records_that_break_the_grammar_are_refused_at_the_faulty_term),
		cmocka_unit_test(a_nul_inside_a_record_is_refused),
		cmocka_unit_test(the_parts_of_a_term_are_read_separately),
		cmocka_unit_test(only_terms_that_ask_dns_count_for_the_limit),
		cmocka_unit_test(a_record_of_4096_octets_is_read_but_not_a_longer_one),
		cmocka_unit_test(the_only_record_that_begins_with_the_version_is_chosen),
		cmocka_unit_test(a_record_that_was_meant_for_spf_is_told_from_other_text),
		cmocka_unit_test(octets_after_the_end_of_a_text_change_nothing),
		cmocka_unit_test(a_macro_string_has_visible_octets_and_in_explanations_spaces),
		cmocka_unit_test(a_check_needs_a_well_formed_domain_of_at_least_two_labels),
		cmocka_unit_test(codes_are_named_as_in_the_header_field),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
