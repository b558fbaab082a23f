/* Ids of requests and of stored things: their form, their time, and that each of their bits is
 * random by itself. */
#include "runtime/host/gateway/request-id.h"
#include "runtime/text/hex.h"
#include "runtime/uuid.h"
#include "tests/support/test-event.h"

enum {
	IDS = 100,
	BITS = 128,
};

static const char *request_id(void)
{
	char *id = rt_alloc(&test_event, REQUEST_ID_MAX);

	request_id_make(id, 1795175213000);
	return id;
}

static const char *uuid(void)
{
	return rt_uuid(&test_event);
}

/* A bit of an id, from 0, with its hyphens left out. */
static bool bit_of(const char *id, size_t bit)
{
	size_t digit = bit / 4;

	digit += digit >= 20 ? 4 : digit >= 16 ? 3 : digit >= 12 ? 2 : digit >= 8;
	return (rt_hex_value(id[digit]) >> (3 - bit % 4) & 1) != 0;
}

static void assert_random(const char *(*make)(void), size_t first)
{
	const char *ids[IDS];

	for (size_t i = 0; i < IDS; i++)
		ids[i] = make();
	for (size_t one = first; one < BITS; one++) {
		size_t ones = 0;

		for (size_t i = 0; i < IDS; i++)
			ones += bit_of(ids[i], one);
		if ((ones == 0 || ones == IDS) && one / 2 != 32)
			fail_msg("bit %zu is always the same", one);
		for (size_t other = first; other < one; other++) {
			size_t same = 0;

			for (size_t i = 0; i < IDS; i++)
				same += bit_of(ids[i], one) == bit_of(ids[i], other);
			if ((same == 0 || same == IDS) && one / 2 != 32 && other / 2 != 32)
				fail_msg("bit %zu follows from bit %zu", one, other);
		}
	}
}

static void a_request_id_has_the_time_and_the_version_of_a_uuid(void **state)
{
	(void)state;
	for (int i = 0; i < IDS; i++) {
		const char *id = request_id();

		assert_int_equal(strlen(id), 36);
		assert_memory_equal(id, "01a1f8c7-e7c8-7", 15);
		assert_int_equal(id[18], '-');
		assert_non_null(strchr("89ab", id[19]));
		assert_int_equal(id[23], '-');
		assert_int_equal(strspn(id, "0123456789abcdef-"), 36);
	}
}

/* After the time and the version; bits 64 and 65 are the variant, 1 and 0. */
static void each_bit_of_a_request_id_is_random_by_itself(void **state)
{
	(void)state;
	assert_random(request_id, 52);
}

static void each_of_the_last_bits_of_a_uuid_is_random_by_itself(void **state)
{
	(void)state;
	assert_random(uuid, 66);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_request_id_has_the_time_and_the_version_of_a_uuid),
		TEST(each_bit_of_a_request_id_is_random_by_itself),
		TEST(each_of_the_last_bits_of_a_uuid_is_random_by_itself),
	};

	return cmocka_run_group_tests_name("request-id", tests, NULL, NULL);
}
