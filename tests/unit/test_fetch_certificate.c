/* The time from which a certificate is about to end. */
#include "functions/lib/fetch/certificate.h"
#include "tests/support/test-event.h"

#define DAY_MS (INT64_C(24) * 3600 * 1000)
#define BEGIN_MS (INT64_C(20000) * DAY_MS)

static bool ends_soon(int64_t days, int64_t age_ms)
{
	const struct eds_certificate certificate = {BEGIN_MS, BEGIN_MS + days * DAY_MS};

	return eds_certificate_ends_soon(&certificate, BEGIN_MS + age_ms);
}

static void a_certificate_of_months_ends_soon_in_its_last_14_days(void **state)
{
	(void)state;
	assert_false(ends_soon(90, 76 * DAY_MS));
	assert_true(ends_soon(90, 76 * DAY_MS + 1));
	assert_true(ends_soon(90, 91 * DAY_MS));
	assert_false(ends_soon(42, 28 * DAY_MS));
	assert_true(ends_soon(42, 28 * DAY_MS + 1));
}

static void a_certificate_of_days_ends_soon_in_its_last_third(void **state)
{
	(void)state;
	assert_false(ends_soon(6, 4 * DAY_MS));
	assert_true(ends_soon(6, 4 * DAY_MS + 1));
}

static void a_certificate_without_an_end_never_ends_soon(void **state)
{
	const struct eds_certificate none = {0, 0};

	(void)state;
	assert_false(eds_certificate_ends_soon(&none, BEGIN_MS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_certificate_of_months_ends_soon_in_its_last_14_days),
		TEST(a_certificate_of_days_ends_soon_in_its_last_third),
		TEST(a_certificate_without_an_end_never_ends_soon),
	};

	return cmocka_run_group_tests_name("fetch-certificate", tests, NULL, NULL);
}
