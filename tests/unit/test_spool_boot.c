/* Which boot of the machine this is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h requires the four headers above. */
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "local/spool/spool-boot.h"

#define NO_FILE "/proc/nowhere"

static int without_variable(void **state)
{
	(void)state;
	return unsetenv("BOOT_ID");
}

static void the_variable_of_a_unit_is_the_id_that_the_kernel_shows(void **state)
{
	char shown[SPOOL_BOOT_BYTES];
	char id[SPOOL_BOOT_BYTES];
	char digits[SPOOL_BOOT_BYTES] = "";
	size_t count = 0;

	(void)state;
	assert_true(spool_boot(SPOOL_BOOT_FILE, shown));
	for (const char *at = shown; *at != '\n'; at++)
		if (*at != '-')
			digits[count++] = *at;
	setenv("BOOT_ID", digits, 1);
	assert_true(spool_boot(NO_FILE, id));
	assert_memory_equal(id, shown, sizeof id);
}

static void another_variable_of_this_name_is_no_id(void **state)
{
	char id[SPOOL_BOOT_BYTES];

	(void)state;
	setenv("BOOT_ID", "91fbdf95", 1);
	assert_false(spool_boot(NO_FILE, id));
}

static void the_id_is_unknown_where_nothing_shows_it(void **state)
{
	static const char zeros[SPOOL_BOOT_BYTES];
	char id[SPOOL_BOOT_BYTES] = "before";

	(void)state;
	assert_false(spool_boot(NO_FILE, id));
	assert_memory_equal(id, zeros, sizeof id);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			the_variable_of_a_unit_is_the_id_that_the_kernel_shows, without_variable),
		cmocka_unit_test_setup(another_variable_of_this_name_is_no_id, without_variable),
		cmocka_unit_test_setup(the_id_is_unknown_where_nothing_shows_it, without_variable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
