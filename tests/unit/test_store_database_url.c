/* The address of the database if a file contains it (EDS_DATABASE_URL=file:PATH). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h requires the four headers above. */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "functions/lib/store/db/database-url.h"
#include "runtime/config/config.h"
#include "tests/unit/temp_folder.h"

static char folder[TEMP_FOLDER_BYTES];
static char file[TEMP_FOLDER_BYTES + 16];
static struct rt_ctx ctx;

static int set_up_group(void **state)
{
	char setting[sizeof file + 8];

	(void)state;
	assert_true(make_temp_folder(folder, "eds-url"));
	snprintf(file, sizeof file, "%s/address", folder);
	snprintf(setting, sizeof setting, "file:%s", file);
	setenv("EDS_DATABASE_URL", setting, 1);
	rt_config_require();
	ctx.arena = rt_arena_new();
	return 0;
}

static int tear_down_group(void **state)
{
	(void)state;
	rt_arena_free(ctx.arena);
	unlink(file);
	return rmdir(folder);
}

static void write_file(const char *text)
{
	FILE *out = fopen(file, "w");

	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

static void assert_refused(const char *because)
{
	const char *url;

	rt_fail_clear(&ctx);
	assert_int_equal(eds_database_url(&ctx, &url), RT_TEMPORARY);
	assert_string_equal(ctx.failure.code, "store-unavailable");
	assert_non_null(strstr(ctx.failure.detail, because));
	assert_null(strstr(ctx.failure.detail, "secret"));
}

static void the_address_is_read_from_the_first_line_of_the_file_each_time(void **state)
{
	const char *url;

	(void)state;
	write_file("postgresql://eds:secret-1@db/eds\n");
	assert_int_equal(eds_database_url(&ctx, &url), RT_OK);
	assert_string_equal(url, "postgresql://eds:secret-1@db/eds");
	write_file("postgres://eds:secret-2@db/eds");
	assert_int_equal(eds_database_url(&ctx, &url), RT_OK);
	assert_string_equal(url, "postgres://eds:secret-2@db/eds");
}

static void a_missing_file_is_a_temporary_failure(void **state)
{
	(void)state;
	unlink(file);
	assert_refused("No such file or directory");
}

static void text_that_is_not_a_postgresql_address_is_refused_and_not_repeated(void **state)
{
	static const char *const wrong[] = {"", "\n", "secret", "sqlite:secret.db\n",
		"\npostgresql://eds:secret@db/eds\n", "file:secret"};

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		write_file(wrong[i]);
		assert_refused("contains no address of PostgreSQL");
	}
}

static void a_file_longer_than_4096_octets_is_refused(void **state)
{
	static char text[4096 + 2] = "postgresql://";
	const char *url;

	(void)state;
	memset(text + strlen(text), 'x', 4096 - strlen(text));
	write_file(text);
	assert_int_equal(eds_database_url(&ctx, &url), RT_OK);
	text[4096] = 'x';
	write_file(text);
	assert_refused("contains no address of PostgreSQL");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_address_is_read_from_the_first_line_of_the_file_each_time),
		cmocka_unit_test(a_missing_file_is_a_temporary_failure),
		cmocka_unit_test(text_that_is_not_a_postgresql_address_is_refused_and_not_repeated),
		cmocka_unit_test(a_file_longer_than_4096_octets_is_refused),
	};

	return cmocka_run_group_tests(tests, set_up_group, tear_down_group);
}
