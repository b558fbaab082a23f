/* The certificate of the SMTP server: made once, durable, and kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h requires the four headers above. */
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "local/smtp/tls.h"
#include "tests/unit/temp_folder.h"

static char folder[TEMP_FOLDER_BYTES];
static bool synced_with_name;
static bool folder_sync_fails;

/* Replaces the C library's function: it records whether the folder was synced after the
 * certificate's file had its final name, and it can fail for folders. */
int fsync(int fd)
{
	struct stat info;

	if (fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) {
		if (folder_sync_fails) {
			errno = EIO;
			return -1;
		}
		synced_with_name = faccessat(fd, "tls.pem", F_OK, 0) == 0;
	}
	return (int)syscall(SYS_fsync, fd);
}

static int make_folder(void **state)
{
	(void)state;
	synced_with_name = false;
	folder_sync_fails = false;
	return make_temp_folder(folder, "eds-tls") ? 0 : -1;
}

static int remove_folder(void **state)
{
	char path[TEMP_FOLDER_BYTES + 16];

	(void)state;
	snprintf(path, sizeof path, "%s/tls.pem", folder);
	unlink(path);
	return rmdir(folder);
}

static void the_directory_entry_of_a_new_certificate_is_synced(void **state)
{
	char error[TLS_ERROR_MAX];
	SSL_CTX *context = tls_server_new(folder, "mx.example.com", error);

	(void)state;
	assert_non_null(context);
	assert_true(synced_with_name);
	SSL_CTX_free(context);
}

static void a_certificate_is_kept_for_the_next_start(void **state)
{
	char error[TLS_ERROR_MAX];
	SSL_CTX *first = tls_server_new(folder, "mx.example.com", error);
	SSL_CTX *second = tls_server_new(folder, "other.example.com", error);

	(void)state;
	assert_non_null(first);
	assert_non_null(second);
	assert_int_equal(
		X509_cmp(SSL_CTX_get0_certificate(first), SSL_CTX_get0_certificate(second)), 0);
	SSL_CTX_free(first);
	SSL_CTX_free(second);
}

static void a_folder_that_cannot_be_synced_is_an_error(void **state)
{
	char error[TLS_ERROR_MAX];
	char expected[TLS_ERROR_MAX];

	(void)state;
	folder_sync_fails = true;
	assert_null(tls_server_new(folder, "mx.example.com", error));
	snprintf(expected, sizeof expected,
		"the certificate in %s/tls.pem cannot be made or read (Input/output error)",
		folder);
	assert_string_equal(error, expected);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_directory_entry_of_a_new_certificate_is_synced,
			make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(
			a_certificate_is_kept_for_the_next_start, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(
			a_folder_that_cannot_be_synced_is_an_error, make_folder, remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
