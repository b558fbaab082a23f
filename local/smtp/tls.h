/* The certificate of the SMTP server: self-signed, made at the first start, kept over restarts.
 *
 * Senders of mail do not verify it (RFC 7435: opportunistic); it makes STARTTLS work at once. Key
 * and certificate lie in one file, tls.pem in the spool folder, so that they always belong
 * together. Whoever has a certificate of a public authority puts it there in the same form.
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

/* A server's context, TLS 1.2 and later. NULL with a sentence. */
SSL_CTX *tls_server_new(const char *folder, const char *host_name, char error[TLS_ERROR_MAX]);

/* "TLSv1.3 TLS_AES_256_GCM_SHA384" */
void tls_describe(const SSL *ssl, char *text, size_t size);

#endif
