/* Encoded words of header fields (RFC 2047), as names of attachments have them. */
#include "functions/lib/shape/encoded-words.h"
#include "tests/support/test-event.h"

static void encoded_words_are_decoded_and_other_text_stays(void **state)
{
	static const char *const cases[][2] = {
		{"", ""},
		{"plain = text?", "plain = text?"},
		{"=?utf-8?B?w6TDtsO8?=", "\xc3\xa4\xc3\xb6\xc3\xbc"},
		{"=?utf-8?b?YWJj?=", "abc"},
		{"=?utf-8?B?Xw==?=", "_"},
		{"=?utf-8?Q?a_b=C3=a4_?=", "a b\xc3\xa4 "},
		{"=?iso-8859-1*de?q?a?=", "a"},
		/* "??=" would be a trigraph */
		{"=?x?Q?"
		 "?=",
			""},
		{"a =?x?Q?b?= c", "a b c"},
		{"a_b =?x?Q?c_d?= e_f", "a_b c d e_f"},
		{"(=?x?Q?b?=)", "(b)"},
		{"=?x?Q?a?= =?x?Q?b?=", "ab"},
		{"=?x?Q?a?= \t =?x?B?Yg==?=", "ab"},
		{"=?x?Q?a?==?x?Q?b?=", "ab"},
		{"=?x?Q?a?= b =?x?Q?c?=", "a b c"},
		{"=?x?Q?a?= ", "a "},
		{"=?x?Q?a=00b?=", "a"},
		{"=?x?Q?a", "=?x?Q?a"},
		{"=?x?Q", "=?x?Q"},
		{"=?x?", "=?x?"},
		{"=?x", "=?x"},
		{"=?", "=?"},
		{"=?x?X?a?=", "=?x?X?a?="},
		{"=?x??a?=", "=?x??a?="},
		{"=?x?QQ?a?=", "=?x?QQ?a?="},
		{"=?x?X?a?= =?x?Q?b?=", "=?x?X?a?= b"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_string_equal(eds_encoded_words(*state, cases[i][0]), cases[i][1]);
}

static void four_kibibytes_of_a_text_are_kept(void **state)
{
	char text[5001];

	memset(text, 'a', sizeof text);
	memcpy(text, "=?x?Q?b?=", 9);
	text[4096 + 8] = '\0';
	assert_int_equal(strlen(eds_encoded_words(*state, text)), 4096);
	assert_memory_equal(eds_encoded_words(*state, text), "baaa", 4);
	text[4096 + 8] = 'a';
	text[5000] = '\0';
	assert_in_range(strlen(eds_encoded_words(*state, text)), 1, 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(encoded_words_are_decoded_and_other_text_stays),
		TEST(four_kibibytes_of_a_text_are_kept),
	};

	return cmocka_run_group_tests_name("encoded-words", tests, NULL, NULL);
}
