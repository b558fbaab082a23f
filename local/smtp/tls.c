#include "local/smtp/tls.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	FILE_MODE = 0600,
	SERIAL_BYTES = 16,
	/* maximum number of characters: ub-common-name of RFC 5280 appendix A.1 */
	COMMON_NAME_MAX = 64,
	DAY_SECONDS = 24 * 60 * 60,
};

static bool set_names(X509 *certificate, const char *host_name)
{
	X509_NAME *name = X509_get_subject_name(certificate);
	const char *common = strlen(host_name) <= COMMON_NAME_MAX ? host_name : "mail receiver";
	char alternative[300];
	X509_EXTENSION *extension;
	bool ok;

	snprintf(alternative, sizeof alternative, "DNS:%s", host_name);
	extension = X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, alternative);
	ok = extension != NULL && X509_add_ext(certificate, extension, -1) == 1 &&
		X509_NAME_add_entry_by_txt(
			name, "CN", MBSTRING_ASC, (const unsigned char *)common, -1, -1, 0) == 1 &&
		X509_set_issuer_name(certificate, name) == 1;
	X509_EXTENSION_free(extension);
	return ok;
}

static bool set_serial(X509 *certificate)
{
	unsigned char bytes[SERIAL_BYTES];
	BIGNUM *number;
	bool ok;

	if (RAND_bytes(bytes, sizeof bytes) != 1)
		return false;
	bytes[0] &= 0x7f; /* the serial number must be positive (RFC 5280 section 4.1.2.2) */
	number = BN_bin2bn(bytes, sizeof bytes, NULL);
	ok = number != NULL &&
		BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != NULL;
	BN_free(number);
	return ok;
}

/* Makes the certificate. It is valid from a day ago, for clients whose clocks are slow. */
static X509 *make_certificate(EVP_PKEY *key, const char *host_name)
{
	X509 *certificate = X509_new();

	if (certificate != NULL && X509_set_version(certificate, X509_VERSION_3) == 1 &&
		set_serial(certificate) &&
		X509_gmtime_adj(X509_getm_notBefore(certificate), -DAY_SECONDS) != NULL &&
		X509_gmtime_adj(X509_getm_notAfter(certificate),
			(long)TLS_CERTIFICATE_DAYS * DAY_SECONDS) != NULL &&
		X509_set_pubkey(certificate, key) == 1 && set_names(certificate, host_name) &&
		X509_sign(certificate, key, EVP_sha256()) > 0)
		return certificate;
	X509_free(certificate);
	return NULL;
}

static bool write_pem(const char *path, EVP_PKEY *key, X509 *certificate)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, FILE_MODE);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	bool ok;

	if (file == NULL) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	ok = PEM_write_PrivateKey(file, key, NULL, NULL, 0, NULL, NULL) == 1 &&
		PEM_write_X509(file, certificate) == 1 && fflush(file) == 0 && fsync(fd) == 0;
	return fclose(file) == 0 && ok;
}

/* Syncs the folder: only then does the new name survive a power failure. */
static bool sync_folder(const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool ok = fd >= 0 && fsync(fd) == 0;
	int error = errno;

	if (fd >= 0)
		close(fd);
	errno = error;
	return ok;
}

static bool make_file(const char *folder, const char *path, const char *host_name)
{
	EVP_PKEY *key = EVP_EC_gen("P-256");
	X509 *certificate = key == NULL ? NULL : make_certificate(key, host_name);
	char temporary[TLS_PATH_MAX + 8];
	bool ok;

	/* The file is first written under another name, so that a crash leaves no incomplete one.
	 */
	snprintf(temporary, sizeof temporary, "%s.new", path);
	unlink(temporary); /* an earlier crash may have left the file */
	ok = certificate != NULL && write_pem(temporary, key, certificate) &&
		rename(temporary, path) == 0 && sync_folder(folder);
	X509_free(certificate);
	EVP_PKEY_free(key);
	return ok;
}

static bool load(SSL_CTX *context, const char *path)
{
	return SSL_CTX_use_certificate_chain_file(context, path) == 1 &&
		SSL_CTX_use_PrivateKey_file(context, path, SSL_FILETYPE_PEM) == 1 &&
		SSL_CTX_check_private_key(context) == 1;
}

SSL_CTX *tls_server_new(const char *folder, const char *host_name, char error[TLS_ERROR_MAX])
{
	SSL_CTX *context = SSL_CTX_new(TLS_server_method());
	const char *reason;
	char path[TLS_PATH_MAX];

	if (context == NULL || snprintf(path, sizeof path, "%s/tls.pem", folder) >= TLS_PATH_MAX) {
		snprintf(error, TLS_ERROR_MAX, "TLS cannot be started");
		SSL_CTX_free(context);
		return NULL;
	}
	SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
	/* Renegotiation lets a client make the server repeat costly handshakes; compression
	 * leaks secrets through lengths (CRIME). */
	SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
	SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
	if ((access(path, F_OK) == 0 || make_file(folder, path, host_name)) && load(context, path))
		return context;
	reason = ERR_reason_error_string(ERR_peek_error());
	snprintf(error, TLS_ERROR_MAX, "the certificate in %.300s cannot be made or read (%s)",
		path, reason != NULL ? reason : strerror(errno));
	ERR_clear_error();
	SSL_CTX_free(context);
	return NULL;
}

void tls_describe(const SSL *ssl, char *text, size_t size)
{
	snprintf(text, size, "%s %s", SSL_get_version(ssl), SSL_get_cipher_name(ssl));
}
