/* The hash for tables whose keys are untrusted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/keyed-hash.h"

/* The key 00 01 … 0f and the text 00 01 02 …, from the test vectors of the authors. */
static const struct rt_hash_key published = {{0x0706050403020100, 0x0f0e0d0c0b0a0908}};

static void the_hash_gives_the_published_values_of_siphash(void **state)
{
	static const struct {
		size_t length;
		uint64_t hash;
	} vectors[] = {
		{0, 0x726fdb47dd0e0e31},
		{1, 0x74f839c593dc67fd},
		{7, 0xab0200f58b01d137},
		{8, 0x93f5f5799a932462},
		{15, 0xa129ca6149be45e5},
		{63, 0x958a324ceb064572},
	};
	uint8_t text[64];

	(void)state;
	for (size_t i = 0; i < sizeof text; i++)
		text[i] = (uint8_t)i;
	for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
		assert_true(rt_hash(&published, text, vectors[i].length) == vectors[i].hash);
}

static void each_table_has_a_random_key(void **state)
{
	struct rt_hash_key one;
	struct rt_hash_key other;

	(void)state;
	rt_hash_key_make(&one);
	rt_hash_key_make(&other);
	assert_true(rt_hash(&one, "a", 1) != rt_hash(&other, "a", 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_hash_gives_the_published_values_of_siphash),
		cmocka_unit_test(each_table_has_a_random_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
