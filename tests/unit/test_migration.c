/* The start of the runner: how long it waits for a database server, and how its messages name that
 * server. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h requires the four headers above. */
#include <cmocka.h>

#include "local/serve/migration.h"

static void pauses_grow_to_ten_seconds_and_end_within_a_minute(void **state)
{
	static const int expected_s[] = {1, 2, 4, 8, 10, 10, 10, 10, 0};
	int64_t waited_ms = 0;

	(void)state;
	for (int i = 0; i < 9; i++) {
		int pause_ms = migration_pause_ms(i + 1, waited_ms);

		assert_int_equal(pause_ms, expected_s[i] * 1000);
		waited_ms += pause_ms;
	}
}

static void the_time_spent_on_tries_counts_towards_the_minute(void **state)
{
	(void)state;
	assert_int_equal(migration_pause_ms(2, 30000), 2000);
	assert_int_equal(migration_pause_ms(3, 59000), 0);
	assert_int_equal(migration_pause_ms(1000, 0), 10000);
}

static void the_database_is_named_without_user_and_password(void **state)
{
	static const char *const cases[][2] = {
		{"postgresql://eds:secret@db.example:5432/eds", "db.example:5432"},
		{"postgresql://eds:se@cret@db.example/eds", "db.example"},
		{"postgres://[2001:db8::1]:5433/eds?sslmode=require", "[2001:db8::1]:5433"},
		{"postgresql://db.example?password=secret", "db.example"},
		{"postgresql://eds:sec/ret@db/eds", "the address in EDS_DATABASE_URL"},
		{"postgresql://eds:4321/ret@db/eds", "the address in EDS_DATABASE_URL"},
		{"postgresql://eds:sec?ret@db/eds", "the address in EDS_DATABASE_URL"},
		{"postgresql://eds:sec#ret@db/eds", "the address in EDS_DATABASE_URL"},
		{"postgresql://eds:a@sec/ret@db/eds", "the address in EDS_DATABASE_URL"},
		{"postgresql://eds:secret/eds", "the address in EDS_DATABASE_URL"},
		{"postgresql://eds:secret@[2001:db8::1]:5432,b:5433/eds",
			"[2001:db8::1]:5432,b:5433"},
		{"postgresql:///eds?host=/run/postgresql", "this machine"},
		{"postgresql://eds:secret@/eds", "this machine"},
		{"file:/run/secrets/database", "the address in file:/run/secrets/database"},
	};
	char host[MIGRATION_HOST_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		migration_host(cases[i][0], host);
		assert_string_equal(host, cases[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pauses_grow_to_ten_seconds_and_end_within_a_minute),
		cmocka_unit_test(the_time_spent_on_tries_counts_towards_the_minute),
		cmocka_unit_test(the_database_is_named_without_user_and_password),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
