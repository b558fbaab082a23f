/* Random text for names and secrets. */
#include "functions/lib/random-text.h"

#include "tests/support/test-event.h"

enum {
	TEXTS = 100,
	BITS = 160, /* of 20 octets, which are exactly 32 letters */
};

static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";

static void octets_become_the_fewest_letters_that_hold_them(void **state)
{
	static const struct {
		size_t octets;
		size_t length;
	} cases[] = {{1, 2}, {2, 4}, {3, 5}, {4, 7}, {5, 8}, {16, 26}, {20, 32}, {32, 52}};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *text = eds_random_base32(*state, cases[i].octets);

		assert_int_equal(strlen(text), cases[i].length);
		assert_int_equal(strspn(text, letters), cases[i].length);
	}
}

static bool bit_of(const char *text, size_t bit)
{
	size_t letter = (size_t)(strchr(letters, text[bit / 5]) - letters);

	return (letter >> (4 - bit % 5) & 1) != 0;
}

/* A bit that repeats another one makes the text easier to guess. */
static void each_bit_is_random_by_itself(void **state)
{
	const char *texts[TEXTS];

	for (size_t i = 0; i < TEXTS; i++)
		texts[i] = eds_random_base32(*state, BITS / 8);
	for (size_t one = 0; one < BITS; one++) {
		for (size_t other = 0; other < one; other++) {
			size_t same = 0;

			for (size_t i = 0; i < TEXTS; i++)
				same += bit_of(texts[i], one) == bit_of(texts[i], other);
			if (same == 0 || same == TEXTS)
				fail_msg("bit %zu follows from bit %zu", one, other);
		}
	}
}

static void the_bits_beyond_the_last_octet_are_zero(void **state)
{
	for (size_t i = 0; i < TEXTS; i++) {
		const char *text = eds_random_base32(*state, 16);

		assert_false(bit_of(text, 128));
		assert_false(bit_of(text, 129));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(octets_become_the_fewest_letters_that_hold_them),
		TEST(each_bit_is_random_by_itself),
		TEST(the_bits_beyond_the_last_octet_are_zero),
	};

	return cmocka_run_group_tests_name("random-text", tests, NULL, NULL);
}
