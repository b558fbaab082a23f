/* Accept-Encoding fields of browsers, of libraries, and of clients that refuse compression. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h requires the four headers above. */
#include <cmocka.h>
#include <string.h>

#include "runtime/event/coding.h"

static bool asked(const char *field)
{
	return rt_coding_gzip_asked(field, strlen(field));
}

static void gzip_is_asked_for_by_its_names_or_by_any(void **state)
{
	(void)state;
	assert_true(asked("gzip"));
	assert_true(asked("gzip, deflate, br, zstd"));
	assert_true(asked("br;q=1.0, GZip;q=0.8, *;q=0.1"));
	assert_true(asked("deflate,\tx-gzip"));
	assert_true(asked("*"));
	assert_true(asked("identity;q=0.5, *;q=0.001"));
	assert_true(asked(",, gzip ; q=0.5 ,"));
}

static void a_coding_of_weight_zero_is_refused(void **state)
{
	(void)state;
	assert_false(asked("gzip;q=0"));
	assert_false(asked("gzip;q=0.000"));
	assert_false(asked("gzip;Q=0., br"));
	assert_false(asked("*;q=0"));
	assert_false(asked("gzip;q=0, *"));
	assert_false(asked("*, gzip;q=0"));
}

static void a_missing_or_unreadable_accept_encoding_asks_for_no_compression(void **state)
{
	(void)state;
	assert_false(asked(""));
	assert_false(asked("identity"));
	assert_false(asked("br, deflate"));
	assert_false(asked("gzipped"));
	assert_false(asked("gzip;level=9"));
	assert_false(asked("gzip;q="));
	assert_false(asked("gzip;q=a"));
	assert_false(asked("gzip;q=-1"));
	assert_false(rt_coding_gzip_asked("gzip", 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gzip_is_asked_for_by_its_names_or_by_any),
		cmocka_unit_test(a_coding_of_weight_zero_is_refused),
		cmocka_unit_test(a_missing_or_unreadable_accept_encoding_asks_for_no_compression),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
