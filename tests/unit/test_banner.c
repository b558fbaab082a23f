/* The text for the person who starts the service: addresses that can be opened on the same
 * machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h requires the four headers above. */
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "local/serve/banner.h"

/* Prints the banner into a file, and copies at most 4 KB of it into text. */
static void printed(const struct banner *banner, char text[4096])
{
	FILE *file = tmpfile();
	int output = dup(STDOUT_FILENO);
	size_t length;

	assert_non_null(file);
	fflush(stdout);
	assert_true(dup2(fileno(file), STDOUT_FILENO) >= 0);
	banner_print(banner);
	assert_true(dup2(output, STDOUT_FILENO) >= 0);
	close(output);
	rewind(file);
	length = fread(text, 1, 4095, file);
	text[length] = '\0';
	fclose(file);
}

static void a_wildcard_address_is_shown_as_the_loopback_address(void **state)
{
	static const struct first_token none = {0};
	const struct banner banner = {"0.0.0.0:8080", "[::]:2525", "0.0.0.0:9090",
		"tester.localhost", "dev", &none, "/a/eds.db", "/a/mail", "/a/mail.spool"};
	char text[4096];

	(void)state;
	printed(&banner, text);
	assert_non_null(strstr(text, "on http://127.0.0.1:8080/, mail on smtp://[::1]:2525,"));
	assert_non_null(strstr(text, " http://127.0.0.1:9090/healthz"));
	assert_non_null(strstr(text, "curl -X POST http://127.0.0.1:8080/api"));
	assert_non_null(strstr(text, "curl smtp://[::1]:2525 "));
	assert_null(strstr(text, "0.0.0.0"));
	assert_null(strstr(text, "[::]"));
}

static void any_other_address_is_shown_unchanged(void **state)
{
	static const struct first_token none = {0};
	const struct banner banner = {"192.0.2.7:80", "10.0.0.0:25", "[2001:db8::]:9090",
		"test.example.com", "dev", &none, "db.example:5432", "s3://bucket/mail",
		"/b/mail.spool"};
	char text[4096];

	(void)state;
	printed(&banner, text);
	assert_non_null(strstr(text, "on http://192.0.2.7:80/, mail on smtp://10.0.0.0:25,"));
	assert_non_null(strstr(text, " http://[2001:db8::]:9090/healthz"));
	assert_non_null(strstr(text, "--mail-rcpt TESTID@test.example.com "));
	assert_non_null(strstr(text, "the database db.example:5432\n"));
	assert_non_null(strstr(text, "mail         s3://bucket/mail\n"));
	assert_non_null(strstr(text, "the spool    /b/mail.spool\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wildcard_address_is_shown_as_the_loopback_address),
		cmocka_unit_test(any_other_address_is_shown_unchanged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
