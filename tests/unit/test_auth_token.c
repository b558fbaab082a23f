/* The text of tokens: form, checksum, digest. */
#include "tests/support/test-event.h"

#include <openssl/sha.h>

#include "functions/lib/auth/token.h"

enum {
	MANY = 2000,
};

static void a_new_token_is_well_formed(void **state)
{
	(void)state;
	for (int i = 0; i < MANY; i++)
		assert_true(eds_token_well_formed(eds_token_new(&test_event)));
}

static void a_token_begins_with_its_mark_and_has_40_characters(void **state)
{
	const char *token = eds_token_new(&test_event);

	(void)state;
	assert_int_equal(strlen(token), 40);
	assert_memory_equal(token, "eds_", 4);
}

static void no_two_tokens_are_alike(void **state)
{
	const char *tokens[64];

	(void)state;
	for (int i = 0; i < 64; i++) {
		tokens[i] = eds_token_new(&test_event);
		for (int j = 0; j < i; j++)
			assert_string_not_equal(tokens[i], tokens[j]);
	}
}

/* Each of the 62 characters occurs about MANY * 30 / 62 = 967 times; a much lower number would show
 * a bias. */
static void every_character_is_drawn_about_as_often(void **state)
{
	int counts[256] = {0};
	int used = 0;

	(void)state;
	for (int i = 0; i < MANY; i++) {
		const char *token = eds_token_new(&test_event);

		for (int c = 4; c < 34; c++)
			counts[(unsigned char)token[c]]++;
	}
	for (int c = 0; c < 256; c++) {
		if (counts[c] == 0)
			continue;
		used++;
		assert_in_range(counts[c], 700, 1250);
	}
	assert_int_equal(used, 62);
}

static void the_checksum_is_the_crc32_of_the_characters_before_it(void **state)
{
	(void)state;
	/* CRC-32 of the first 34 characters is 439607511 (zlib), in base62 with the digits first */
	assert_true(eds_token_well_formed("eds_0000000000000000000000000000000TkXzj"));
}

static void one_wrong_character_anywhere_is_noticed(void **state)
{
	(void)state;
	for (size_t i = 0; i < EDS_TOKEN_LENGTH; i++) {
		char *token = eds_token_new(&test_event);

		token[i] = token[i] == 'A' ? 'B' : 'A';
		assert_false(eds_token_well_formed(token));
	}
}

static void two_neighbors_swapped_are_noticed(void **state)
{
	char *token = eds_token_new(&test_event);
	char first;

	(void)state;
	for (size_t i = 4; i + 1 < EDS_TOKEN_LENGTH; i++) {
		if (token[i] == token[i + 1])
			continue;
		first = token[i];
		token[i] = token[i + 1];
		token[i + 1] = first;
		assert_false(eds_token_well_formed(token));
		token[i + 1] = token[i];
		token[i] = first;
	}
	assert_true(eds_token_well_formed(token));
}

static void text_that_is_not_a_token_is_refused(void **state)
{
	const char *token = eds_token_new(&test_event);
	const char *const others[] = {"", "eds_", "token", "eds_' OR 1=1 --",
		rt_printf(&test_event, "%s ", token), rt_printf(&test_event, " %s", token),
		rt_printf(&test_event, "%sA", token), rt_printf(&test_event, "%.39s", token),
		rt_printf(&test_event, "EDS_%s", token + 4),
		"eds_\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
		"\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"};

	(void)state;
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		assert_false(eds_token_well_formed(others[i]));
}

/* The expected value is the example of the standard (FIPS 180-4). */
static void the_digest_of_abc_is_the_one_in_the_standard(void **state)
{
	(void)state;
	assert_string_equal(eds_token_digest(&test_event, "abc"),
		"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

static void the_digest_equals_that_of_openssl(void **state)
{
	(void)state;
	for (int i = 0; i < 100; i++) {
		const char *token = eds_token_new(&test_event);
		const char *digest = eds_token_digest(&test_event, token);
		unsigned char expected[SHA256_DIGEST_LENGTH];
		char hex[3];

		SHA256((const unsigned char *)token, strlen(token), expected);
		assert_int_equal(strlen(digest), EDS_TOKEN_DIGEST_LENGTH);
		for (size_t at = 0; at < sizeof expected; at++) {
			snprintf(hex, sizeof hex, "%02x", expected[at]);
			assert_memory_equal(digest + 2 * at, hex, 2);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_new_token_is_well_formed),
		TEST(a_token_begins_with_its_mark_and_has_40_characters),
		TEST(no_two_tokens_are_alike),
		TEST(every_character_is_drawn_about_as_often),
		TEST(the_checksum_is_the_crc32_of_the_characters_before_it),
		TEST(one_wrong_character_anywhere_is_noticed),
		TEST(two_neighbors_swapped_are_noticed),
		TEST(text_that_is_not_a_token_is_refused),
		TEST(the_digest_of_abc_is_the_one_in_the_standard),
		TEST(the_digest_equals_that_of_openssl),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
