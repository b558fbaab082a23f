/* The repair of octets that XML forbids, on the way to the parser. */
#include "tests/support/test-event.h"

#include "functions/lib/reports/xml/xml-repair.h"

enum { ROOM = 256 };

struct taken {
	char text[ROOM];
	size_t length;
};

static bool take(void *arg, const char *bytes, size_t length)
{
	struct taken *taken = arg;

	assert_in_range(taken->length + length, 0, ROOM - 1);
	memcpy(taken->text + taken->length, bytes, length);
	taken->length += length;
	taken->text[taken->length] = '\0';
	return true;
}

/* Passes on a block as a source does: nothing behind it may be read. */
static void pass_block(struct eds_xml_repair *repair, const char *text, size_t length, bool last)
{
	char *block = malloc(length > 0 ? length : 1);

	memcpy(block, text, length);
	assert_true(eds_xml_repair(repair, block, length, last));
	free(block);
}

/* Repairs the text whole and in two blocks, divided at each place. */
static void assert_repaired(const char *text, const char *expected, unsigned repairs)
{
	size_t length = strlen(text);

	for (size_t first = 0; first <= length; first++) {
		struct taken taken = {.length = 0};
		struct eds_xml_repair repair = {.take = take, .arg = &taken, .octets = true};

		pass_block(&repair, text, first, false);
		pass_block(&repair, text + first, length - first, true);
		if (strcmp(taken.text, expected) != 0)
			fail_msg("%s became %s, divided at %zu", text, taken.text, first);
		assert_int_equal(repair.repairs, repairs);
	}
}

static void characters_of_every_length_pass_in_every_order(void **state)
{
	/* the first and the last character of each length, U+D7FF, U+E000 and U+FFFD */
	static const char *const characters[] = {" ", "~", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80",
		"\xed\x9f\xbf", "\xee\x80\x80", "\xef\xbf\xbd", "\xf0\x90\x80\x80",
		"\xf4\x8f\xbf\xbf"};
	enum { COUNT = sizeof characters / sizeof *characters };

	(void)state;
	for (size_t i = 0; i < COUNT; i++)
		for (size_t j = 0; j < COUNT; j++) {
			char text[64];

			snprintf(text, sizeof text, "%s%s", characters[i], characters[j]);
			assert_repaired(text, text, 0);
			snprintf(text, sizeof text, "12345678%s%s12345678", characters[i],
				characters[j]);
			assert_repaired(text, text, 0);
		}
}

#define NO_CHARACTER "\xef\xbf\xbd"

static void each_octet_of_what_is_no_character_is_replaced(void **state)
{
	static const struct {
		const char *text;
		const char *expected;
		unsigned repairs;
	} cases[] = {
		{"\x80", NO_CHARACTER, 1},
		{"a\xe9z", "a" NO_CHARACTER "z", 1},
		{"\xc3", NO_CHARACTER, 1},
		{"\xc3z", NO_CHARACTER "z", 1},
		{"\xe2\x82", NO_CHARACTER NO_CHARACTER, 2},
		{"\xf0\x90\x80z", NO_CHARACTER NO_CHARACTER NO_CHARACTER "z", 3},
		{"\xc0\xaf", NO_CHARACTER NO_CHARACTER, 2},
		{"\xed\xa0\x80", NO_CHARACTER NO_CHARACTER NO_CHARACTER, 3},
		{"\xef\xbf\xbe", NO_CHARACTER NO_CHARACTER NO_CHARACTER, 3},
		{"\xef\xbf\xbf", NO_CHARACTER NO_CHARACTER NO_CHARACTER, 3},
		{"\xff\xc3\xa9", NO_CHARACTER "\xc3\xa9", 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_repaired(cases[i].text, cases[i].expected, cases[i].repairs);
}

static void an_ampersand_stays_only_before_a_reference(void **state)
{
	static const struct {
		const char *text;
		const char *expected;
		unsigned repairs;
	} cases[] = {
		{"&amp;&lt;&gt;&quot;&apos;", "&amp;&lt;&gt;&quot;&apos;", 0},
		{"&#1;&#65;&#x41;&#xfF;", "&#1;&#65;&#x41;&#xfF;", 0},
		{"&", "&amp;", 1},
		{"&;", "&amp;;", 1},
		{"&&amp;", "&amp;&amp;", 1},
		{"&#;", "&amp;#;", 1},
		{"&#x;", "&amp;#x;", 1},
		{"&#xg;", "&amp;#xg;", 1},
		{"&#a;", "&amp;#a;", 1},
		{"&x41;", "&amp;x41;", 1},
		{"&ampx;", "&amp;ampx;", 1},
		{"&am;", "&amp;am;", 1},
		{"&AMP;", "&amp;AMP;", 1},
		{"&#1234567890123;", "&#1234567890123;", 0},
		{"&#12345678901234;", "&amp;#12345678901234;", 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_repaired(cases[i].text, cases[i].expected, cases[i].repairs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(characters_of_every_length_pass_in_every_order),
		cmocka_unit_test(each_octet_of_what_is_no_character_is_replaced),
		cmocka_unit_test(an_ampersand_stays_only_before_a_reference),
	};

	return cmocka_run_group_tests_name("xml repair", tests, NULL, NULL);
}
