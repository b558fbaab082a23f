/* HMAC-SHA256: the test vectors of RFC 4231, and keys as long as a block and one octet longer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/hmac.h"

static void assert_hmac(const void *key, size_t key_length, const char *text, const char *expected)
{
	uint8_t digest[RT_HMAC_BYTES];
	char hex[2 * RT_HMAC_BYTES + 1];

	rt_hmac(key, key_length, text, digest);
	for (size_t i = 0; i < sizeof digest; i++)
		snprintf(hex + 2 * i, 3, "%02x", digest[i]);
	assert_string_equal(hex, expected);
}

static void hmac_gives_the_values_of_rfc_4231(void **state)
{
	char key[131];

	(void)state;
	memset(key, 0x0b, 20);
	assert_hmac(key, 20, "Hi There",
		"b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
	assert_hmac("Jefe", 4, "what do ya want for nothing?",
		"5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
	memset(key, 0xaa, sizeof key);
	assert_hmac(key, 131, "Test Using Larger Than Block-Size Key - Hash Key First",
		"60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

static void a_key_of_more_than_64_octets_is_hashed_first(void **state)
{
	char key[65];

	(void)state;
	memset(key, 'k', sizeof key);
	assert_hmac(key, 64, "what is signed",
		"6507aeb80eeb997e4125a2e585eb1da31e6d59ea1c193ecb02406d64b6fe7c0d");
	assert_hmac(key, 65, "what is signed",
		"406dd0b3d1ecec6532fde35d878245202e18480306a266a203513e605a33f916");
}

static void the_digest_may_overwrite_its_key(void **state)
{
	uint8_t apart[RT_HMAC_BYTES];
	uint8_t key[RT_HMAC_BYTES];

	(void)state;
	memset(key, 'k', sizeof key);
	rt_hmac(key, sizeof key, "eu-west-1", apart);
	rt_hmac(key, sizeof key, "eu-west-1", key);
	assert_memory_equal(key, apart, sizeof key);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hmac_gives_the_values_of_rfc_4231),
		cmocka_unit_test(a_key_of_more_than_64_octets_is_hashed_first),
		cmocka_unit_test(the_digest_may_overwrite_its_key),
	};

	return cmocka_run_group_tests_name("hmac", tests, NULL, NULL);
}
