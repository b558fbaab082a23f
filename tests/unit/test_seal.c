/* Only the holder of the secret can read a sealed text. */
#include "tests/support/test-event.h"

#include "functions/lib/seal.h"

static const uint8_t SECRET[RT_HMAC_BYTES] = {1, 2, 3};
static const uint8_t OTHER[RT_HMAC_BYTES] = {1, 2, 4};

static void a_sealed_text_of_any_length_is_opened_again(void **state)
{
	struct rt_ctx *ctx = *state;
	char text[200];

	for (size_t length = 0; length < sizeof text; length++) {
		memset(text, 'a', length);
		text[length] = '\0';
		assert_string_equal(
			eds_seal_open(ctx, SECRET, "n", eds_seal(ctx, SECRET, "n", text)), text);
	}
}

static void a_sealed_text_opens_only_with_its_own_secret_and_name(void **state)
{
	struct rt_ctx *ctx = *state;
	const char *sealed = eds_seal(ctx, SECRET, "n", "a secret text");

	assert_null(eds_seal_open(ctx, OTHER, "n", sealed));
	assert_null(eds_seal_open(ctx, SECRET, "m", sealed));
}

static void a_changed_sealed_text_does_not_open(void **state)
{
	struct rt_ctx *ctx = *state;
	const char *sealed = eds_seal(ctx, SECRET, "n", "a secret text");

	for (size_t i = 0; i < strlen(sealed); i++) {
		char *changed = rt_memdup(ctx, sealed, strlen(sealed));

		changed[i] = changed[i] == 'A' ? 'B' : 'A';
		assert_null(eds_seal_open(ctx, SECRET, "n", changed));
		changed[i] = '\0';
		assert_null(eds_seal_open(ctx, SECRET, "n", changed));
	}
	assert_null(eds_seal_open(ctx, SECRET, "n", ""));
	assert_null(eds_seal_open(ctx, SECRET, "n", "."));
}

/* Computed with Python's hmac, HMAC-SHA256 in counter mode: the form must not change while answers
 * are stored.
 */
static void the_format_of_a_sealed_text_does_not_change(void **state)
{
	assert_string_equal(eds_seal(*state, SECRET, "n", "a text of more than thirty-two octets"),
		"w61wF049P0W9Y78815L0WtCYAZWevODMH7mDG+yOq0+jCU6r/g=="
		".HT6ZmfZqMV9K3oYDVq3OaKcDrjoFmdngdz/z0aYKJBI=");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_sealed_text_of_any_length_is_opened_again),
		TEST(a_sealed_text_opens_only_with_its_own_secret_and_name),
		TEST(a_changed_sealed_text_does_not_open),
		TEST(the_format_of_a_sealed_text_does_not_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
