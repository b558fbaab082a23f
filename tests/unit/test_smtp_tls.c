/* The certificate of the SMTP server: made once, durable, and kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h requires the four headers above. */
#include <cmocka.h>
#include <errno.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>
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

static void assert_common_name(const X509 *certificate, const char *expected)
{
	char text[128] = "";

	X509_NAME_get_text_by_NID(
		X509_get_subject_name(certificate), NID_commonName, text, sizeof text);
	assert_string_equal(text, expected);
	assert_int_equal(X509_NAME_cmp(X509_get_subject_name(certificate),
				 X509_get_issuer_name(certificate)),
		0);
}

static void a_new_certificate_names_the_host_and_is_signed_by_its_own_key(void **state)
{
	char error[TLS_ERROR_MAX];
	SSL_CTX *context = tls_server_new(folder, "mx.example.com", error);
	X509 *certificate = SSL_CTX_get0_certificate(context);
	char path[TEMP_FOLDER_BYTES + 16];
	struct stat info;
	int days;
	int seconds;

	(void)state;
	assert_int_equal(X509_check_host(certificate, "mx.example.com", 0,
				 X509_CHECK_FLAG_NEVER_CHECK_SUBJECT, NULL),
		1);
	assert_int_equal(X509_check_host(certificate, "example.com", 0, 0, NULL), 0);
	assert_common_name(certificate, "mx.example.com");
	assert_int_equal(X509_get_version(certificate), X509_VERSION_3);
	assert_int_equal(X509_verify(certificate, SSL_CTX_get0_privatekey(context)), 1);
	assert_true(ASN1_TIME_diff(&days, &seconds, NULL, X509_get0_notBefore(certificate)));
	assert_in_range(-(days * 86400 + seconds), 86400, 86400 + 3600);
	assert_true(ASN1_TIME_diff(&days, &seconds, X509_get0_notBefore(certificate),
		X509_get0_notAfter(certificate)));
	assert_int_equal(days, TLS_CERTIFICATE_DAYS + 1);
	snprintf(path, sizeof path, "%s/tls.pem", folder);
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0600); /* it has the private key */
	SSL_CTX_free(context);
}

/* A common name may have 64 characters (RFC 5280 appendix A.1). */
static void a_host_name_too_long_for_a_common_name_is_an_alternative_name_alone(void **state)
{
	static const char *const names[] = {
		"a-name-of-64-octets-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.example.com",
		"a-name-of-65-octets-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.example.com"};

	(void)state;
	for (int i = 0; i < 2; i++) {
		char error[TLS_ERROR_MAX];
		char path[TEMP_FOLDER_BYTES + 16];
		SSL_CTX *context = tls_server_new(folder, names[i], error);
		X509 *certificate;

		assert_int_equal(strlen(names[i]), 64 + i);
		assert_non_null(context);
		certificate = SSL_CTX_get0_certificate(context);
		assert_common_name(certificate, i == 0 ? names[i] : "mail receiver");
		assert_int_equal(X509_check_host(certificate, names[i], 0,
					 X509_CHECK_FLAG_NEVER_CHECK_SUBJECT, NULL),
			1);
		SSL_CTX_free(context);
		snprintf(path, sizeof path, "%s/tls.pem", folder);
		unlink(path);
	}
}

static void two_certificates_have_different_serial_numbers(void **state)
{
	char error[TLS_ERROR_MAX];
	char path[TEMP_FOLDER_BYTES + 16];
	SSL_CTX *contexts[2];

	(void)state;
	snprintf(path, sizeof path, "%s/tls.pem", folder);
	for (int i = 0; i < 2; i++) {
		contexts[i] = tls_server_new(folder, "mx.example.com", error);
		unlink(path);
	}
	assert_int_not_equal(
		ASN1_INTEGER_cmp(X509_get0_serialNumber(SSL_CTX_get0_certificate(contexts[0])),
			X509_get0_serialNumber(SSL_CTX_get0_certificate(contexts[1]))),
		0);
	for (int i = 0; i < 2; i++)
		SSL_CTX_free(contexts[i]);
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
			a_new_certificate_names_the_host_and_is_signed_by_its_own_key, make_folder,
			remove_folder),
		cmocka_unit_test_setup_teardown(
			a_host_name_too_long_for_a_common_name_is_an_alternative_name_alone,
			make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(
			two_certificates_have_different_serial_numbers, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(
			a_folder_that_cannot_be_synced_is_an_error, make_folder, remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
