/* The distance between two words, by which misspelt names get a suggestion. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/slips.h"

static void each_added_missing_or_changed_octet_is_a_slip(void **state)
{
	static const struct {
		const char *word, *known;
		size_t slips;
	} cases[] = {{"domains", "domains", 0}, {"domain", "domains", 1},
		{"domainss", "domains", 1}, {"domaims", "domains", 1}, {"domians", "domains", 1},
		{"shwo", "show", 1}, {"wosh", "show", 4}, {"", "test", 4}, {"test", "", 4}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_int_equal(rt_slips(cases[i].word, strlen(cases[i].word), cases[i].known),
			cases[i].slips);
}

static void a_word_ends_at_its_given_length(void **state)
{
	(void)state;
	assert_int_equal(rt_slips("EDS_TOKEN=secret", 9, "EDS_TOKEN"), 0);
}

static void a_word_past_the_maximum_length_resembles_none(void **state)
{
	char word[RT_SLIPS_WORD_MAX + 2];

	(void)state;
	memset(word, 'a', sizeof word);
	word[sizeof word - 1] = '\0';
	assert_int_equal(rt_slips(word, strlen(word), word), 48);
	assert_int_equal(rt_slips(word, 48, "a"), 47);
}

static const char *meant_of(const char *word, const char *const *known)
{
	struct rt_meant meant = {.word = word, .length = strlen(word)};

	for (; *known != NULL; known++)
		rt_meant_offer(&meant, *known);
	return meant.found != NULL ? meant.found : "none";
}

static void a_word_is_suggested_if_at_most_a_third_differs_and_none_is_nearer(void **state)
{
	static const char *const parameters[] = {"clientIp", "helo", "mailFrom", NULL};
	static const char *const lists[] = {"search", "state", "sort", "limit", "cursor", NULL};
	static const char *const actions[] = {"list", "show", "add", "remove", NULL};
	char longest[200] = "";

	(void)state;
	assert_string_equal(meant_of("foo", parameters), "none");
	assert_string_equal(meant_of("hello", parameters), "helo");
	assert_string_equal(meant_of("client_ip", parameters), "clientIp");
	assert_string_equal(meant_of("limt", lists), "limit");
	assert_string_equal(meant_of("stort", lists), "sort");
	assert_string_equal(meant_of("start", lists), "none");
	assert_string_equal(meant_of("page", lists), "none");
	assert_string_equal(meant_of("", lists), "none");
	assert_string_equal(meant_of("shwo", actions), "show");
	assert_string_equal(meant_of("lst", actions), "list");
	assert_string_equal(meant_of("get", actions), "none");
	memset(longest, 'a', sizeof longest - 1);
	assert_string_equal(meant_of(longest, actions), "none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_added_missing_or_changed_octet_is_a_slip),
		cmocka_unit_test(a_word_ends_at_its_given_length),
		cmocka_unit_test(a_word_past_the_maximum_length_resembles_none),
		cmocka_unit_test(a_word_is_suggested_if_at_most_a_third_differs_and_none_is_nearer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
