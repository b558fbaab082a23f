/* The self-signed certificate of the SMTP server: made at the first start and kept across restarts.
 *
 * Mail senders do not verify it (opportunistic TLS, RFC 7435), so STARTTLS works without any setup.
 * Key and certificate are in one file, tls.pem in the spool folder, so that they always match. An
 * operator who has a certificate from a public authority replaces the content of this file by that
 * key and certificate.
 */
#ifndef RUNNER_TLS_H
#define RUNNER_TLS_H

#include <openssl/ssl.h>
#include <stdbool.h>

enum {
	TLS_CERTIFICATE_DAYS = 3650,
	TLS_ERROR_MAX = 512,
	TLS_PATH_MAX = 4096,
};

/* Makes the TLS context of the server, for TLS 1.2 and later. NULL, with a sentence in error, on
 * failure. */
SSL_CTX *tls_server_new(const char *folder, const char *host_name, char error[TLS_ERROR_MAX]);

/* Writes version and cipher: "TLSv1.3 TLS_AES_256_GCM_SHA384". */
void tls_describe(const SSL *ssl, char *text, size_t size);

#endif
