/* How far words are from each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/slips.h"

static void each_octet_too_many_missing_or_other_is_a_slip(void **state)
{
	static const struct {
		const char *word, *known;
		size_t slips;
	} cases[] = {{"domains", "domains", 0}, {"domain", "domains", 1},
		{"domainss", "domains", 1}, {"domaims", "domains", 1}, {"domians", "domains", 2},
		{"", "test", 4}, {"test", "", 4}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_int_equal(rt_slips(cases[i].word, strlen(cases[i].word), cases[i].known),
			cases[i].slips);
}

static void a_word_counts_by_its_length_and_not_by_its_end(void **state)
{
	(void)state;
	assert_int_equal(rt_slips("EDS_TOKEN=secret", 9, "EDS_TOKEN"), 0);
}

static void a_word_past_the_maximum_is_like_none(void **state)
{
	char word[RT_SLIPS_WORD_MAX + 2];

	(void)state;
	memset(word, 'a', sizeof word);
	word[sizeof word - 1] = '\0';
	assert_int_equal(rt_slips(word, strlen(word), word), 48);
	assert_int_equal(rt_slips(word, 48, "a"), 47);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_octet_too_many_missing_or_other_is_a_slip),
		cmocka_unit_test(a_word_counts_by_its_length_and_not_by_its_end),
		cmocka_unit_test(a_word_past_the_maximum_is_like_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
