#include "functions/lib/fetch/fetch-handle.h"

#include <errno.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/config/config.h"

enum {
	URL_BYTES = 512 + EDS_FETCH_PATH_MAX,
	READ_BYTES = 4096, /* size of curl's buffer: small, because policies are small */
	FIRST_BYTES = 1024,
	NAME_FLAGS = X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS,
};

/* The last check before a packet leaves: the socket's address is the chosen one, and connecting to
 * it is allowed. */
static curl_socket_t open_socket(void *arg, curlsocktype purpose, struct curl_sockaddr *address)
{
	const struct eds_fetch *fetch = arg;
	struct rt_ip ip;

	if (purpose != CURLSOCKTYPE_IPCXN || !rt_ip_from_sockaddr(&address->addr, &ip) ||
		!rt_ip_equal(&ip, &fetch->addresses[fetch->address]) ||
		!rt_ip_is_public(&ip, rt_config()->allow_private))
		return CURL_SOCKET_BAD;
	return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static int64_t time_of(const ASN1_TIME *time)
{
	struct tm tm;
	time_t seconds;

	if (time == NULL || ASN1_TIME_to_tm(time, &tm) != 1)
		return 0;
	seconds = timegm(&tm);
	return seconds > 0 ? (int64_t)seconds * 1000 : 0;
}

void eds_fetch_drop_leaf(void *leaf)
{
	X509_free(leaf);
}

bool eds_fetch_leaf_names(void *leaf, const char *host)
{
	return X509_check_host(leaf, host, 0, NAME_FLAGS, NULL) == 1;
}

static void keep_leaf(struct eds_fetch *fetch, X509 *certificate)
{
	eds_fetch_drop_leaf(fetch->leaf);
	fetch->leaf = X509_up_ref(certificate) == 1 ? certificate : NULL;
}

/* Verifies as OpenSSL does by default, and records the validity period of the certificate, even of
 * an invalid one. */
static int verify(X509_STORE_CTX *store, void *arg)
{
	struct eds_fetch *fetch = arg;
	X509 *certificate = X509_STORE_CTX_get0_cert(store);
	int verified;

	if (certificate != NULL)
		fetch->certificate = (struct eds_certificate){
			.from_ms = time_of(X509_get0_notBefore(certificate)),
			.until_ms = time_of(X509_get0_notAfter(certificate)),
		};
	verified = X509_verify_cert(store);
	if (certificate != NULL && verified == 1 && fetch->kind == EDS_FETCH_STARTTLS)
		keep_leaf(fetch, certificate);
	return verified;
}

/* The host must be among the certificate's subject alternative names: a common name does not count
 * (RFC 6125 section 6.4.4), and a wildcard is a whole label. OpenSSL makes this check and reports
 * the exact error; curl's own check would only report that there is an error. libcurl calls this
 * function when the server has accepted the connection. */
static CURLcode require_name(CURL *easy, void *ssl, void *arg)
{
	X509_VERIFY_PARAM *param = SSL_CTX_get0_param(ssl);
	struct eds_fetch *fetch = arg;

	(void)easy;
	fetch->reached = true;
	SSL_CTX_set_max_cert_list(ssl, EDS_FETCH_CHAIN_BYTES_MAX);
	SSL_CTX_set_cert_verify_callback(ssl, verify, arg);
	X509_VERIFY_PARAM_set_hostflags(param, NAME_FLAGS);
	return X509_VERIFY_PARAM_set1_host(param, fetch->host, 0) == 1 ? CURLE_OK
								       : CURLE_OUT_OF_MEMORY;
}

static bool make_room(struct eds_fetch *fetch, size_t length)
{
	size_t capacity = fetch->capacity > 0 ? fetch->capacity : FIRST_BYTES;
	char *body;

	while (capacity < fetch->length + length)
		capacity *= 2;
	if (capacity == fetch->capacity)
		return true;
	body = realloc(fetch->body, capacity);
	if (body == NULL)
		return false;
	fetch->body = body;
	fetch->capacity = capacity;
	return true;
}

/* Counts the octets received, because the announced length may be a lie. */
static size_t take_body(char *bytes, size_t size, size_t count, void *arg)
{
	struct eds_fetch *fetch = arg;
	size_t length = size * count;

	if (length > EDS_FETCH_BYTES_MAX - fetch->length) {
		fetch->too_large = true;
		return 0;
	}
	if (length > 0 && !make_room(fetch, length))
		return 0;
	memcpy(fetch->body + fetch->length, bytes, length);
	fetch->length += length;
	return length;
}

/* libcurl keeps every header line in memory, so a flood of them ends the fetch. */
static size_t take_header(char *bytes, size_t size, size_t count, void *arg)
{
	struct eds_fetch *fetch = arg;
	size_t length = size * count;

	(void)bytes;
	fetch->header_bytes += length;
	return fetch->header_bytes <= EDS_FETCH_HEADER_BYTES_MAX ? length : 0;
}

static void set_target(struct eds_fetch *fetch)
{
	bool https = fetch->kind == EDS_FETCH_HTTPS;
	char to[RT_IP_TEXT_MAX + 32];
	char address[RT_IP_TEXT_MAX];
	char url[URL_BYTES];

	/* The URL has no port: CURLOPT_CONNECT_TO sets the address and the port. The path of the
	 * SMTP URL is the name for EHLO. */
	snprintf(url, sizeof url, https ? "https://%s%s" : "smtp://%s/%s", fetch->host,
		https ? fetch->path : rt_config()->policy_host);
	rt_ip_format(&fetch->addresses[fetch->address], address);
	snprintf(to, sizeof to,
		fetch->addresses[fetch->address].family == AF_INET6 ? "::[%s]:%d" : "::%s:%d",
		address, fetch->port);
	curl_slist_free_all(fetch->connect_to);
	fetch->connect_to = curl_slist_append(NULL, to);
	curl_easy_setopt(fetch->easy, CURLOPT_URL, url);
	curl_easy_setopt(fetch->easy, CURLOPT_CONNECT_TO, fetch->connect_to);
	curl_easy_setopt(fetch->easy, CURLOPT_PROTOCOLS_STR, https ? "https" : "smtp");
	if (!https) {
		curl_easy_setopt(fetch->easy, CURLOPT_USE_SSL, CURLUSESSL_ALL);
		curl_easy_setopt(fetch->easy, CURLOPT_CONNECT_ONLY, 1L);
	}
}

static bool add_field(struct eds_fetch *fetch, const char *field)
{
	struct curl_slist *longer = curl_slist_append(fetch->fields, field);

	if (longer != NULL)
		fetch->fields = longer;
	return longer != NULL;
}

/* An earlier try may have used this handle at another address, so all fields are set again. Expect:
 * 100-continue is disabled, as it costs a round trip. */
static bool set_post(struct eds_fetch *fetch)
{
	const struct eds_fetch_post *post = fetch->post;
	CURL *easy = fetch->easy;
	bool added;

	if (post == NULL)
		return true;
	curl_slist_free_all(fetch->fields);
	fetch->fields = NULL;
	added = add_field(fetch, "Expect:");
	for (size_t i = 0; i < post->field_count && added; i++)
		added = add_field(fetch, post->fields[i]);
	curl_easy_setopt(easy, CURLOPT_HTTPHEADER, fetch->fields);
	curl_easy_setopt(easy, CURLOPT_POST, 1L);
	curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)post->length);
	curl_easy_setopt(easy, CURLOPT_POSTFIELDS, post->body);
	return added;
}

/* All handles share one store of authorities; libcurl shares this store only while no CA folder is
 * set. Session resumption is off, because a resumed session proves nothing about the
 * certificate. */
static void set_tls(struct eds_fetch *fetch)
{
	CURL *easy = fetch->easy;

	if (rt_config()->ca_file[0] != '\0')
		curl_easy_setopt(easy, CURLOPT_CAINFO, rt_config()->ca_file);
	curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
	curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	curl_easy_setopt(easy, CURLOPT_SSL_SESSIONID_CACHE, 0L);
	curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, require_name);
	curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, fetch);
}

static void set_limits(struct eds_fetch *fetch, int left_ms)
{
	bool https = fetch->kind == EDS_FETCH_HTTPS;
	CURL *easy = fetch->easy;
	/* for a mail server, connecting includes the greeting and STARTTLS, so it may take all the
	 * time left */
	long connect_ms = https && left_ms > EDS_FETCH_CONNECT_MS ? EDS_FETCH_CONNECT_MS : left_ms;

	curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)left_ms);
	curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, connect_ms);
	curl_easy_setopt(easy, CURLOPT_MAXFILESIZE, (long)EDS_FETCH_BYTES_MAX);
	curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, (long)READ_BYTES);
	curl_easy_setopt(easy, CURLOPT_DNS_CACHE_TIMEOUT, 0L);
	curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
	curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
}

bool eds_fetch_prepare(struct eds_fetch *fetch, int left_ms)
{
	CURL *easy = fetch->easy;

	fetch->detail[0] = '\0';
	fetch->length = 0;
	fetch->header_bytes = 0;
	fetch->too_large = false;
	fetch->certificate = (struct eds_certificate){0};
	eds_fetch_drop_leaf(fetch->leaf);
	fetch->leaf = NULL;
	curl_easy_setopt(easy, CURLOPT_PRIVATE, fetch);
	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, fetch->detail);
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_PROXY, "");
	curl_easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(easy, CURLOPT_HTTP_CONTENT_DECODING, 0L);
	curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
	curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, fetch);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, fetch);
	if (fetch->kind == EDS_FETCH_HTTPS) {
		curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
		curl_easy_setopt(easy, CURLOPT_HEADERDATA, fetch);
	}
	set_target(fetch);
	set_tls(fetch);
	set_limits(fetch, left_ms);
	return set_post(fetch) && fetch->connect_to != NULL;
}

static enum eds_fetch_outcome of_certificate(const struct eds_fetch *fetch)
{
	long result = X509_V_OK;

	curl_easy_getinfo(fetch->easy, CURLINFO_SSL_VERIFYRESULT, &result);
	switch (result) {
	case X509_V_ERR_CERT_HAS_EXPIRED:
		return EDS_FETCH_CERT_EXPIRED;
	case X509_V_ERR_CERT_NOT_YET_VALID:
		return EDS_FETCH_CERT_EARLY;
	case X509_V_OK: /* OpenSSL accepted the certificate, so curl's own check of the names
			 * failed */
	case X509_V_ERR_HOSTNAME_MISMATCH:
		return EDS_FETCH_CERT_NAME;
	default:
		return EDS_FETCH_CERT_UNTRUSTED;
	}
}

static enum eds_fetch_outcome of_connect(const struct eds_fetch *fetch)
{
	long error = 0;

	curl_easy_getinfo(fetch->easy, CURLINFO_OS_ERRNO, &error);
	return error == ECONNREFUSED ? EDS_FETCH_REFUSED : EDS_FETCH_UNREACHABLE;
}

static enum eds_fetch_outcome of_time(const struct eds_fetch *fetch)
{
	CURLINFO connected = fetch->kind == EDS_FETCH_HTTPS ? CURLINFO_APPCONNECT_TIME_T
							    : CURLINFO_CONNECT_TIME_T;
	curl_off_t after_us = 0;

	curl_easy_getinfo(fetch->easy, connected, &after_us);
	return after_us > 0 ? EDS_FETCH_TOTAL_TIME : EDS_FETCH_CONNECT_TIME;
}

static enum eds_fetch_outcome of_tls(const struct eds_fetch *fetch)
{
	if (strstr(fetch->detail, "alert internal error") != NULL ||
		strstr(fetch->detail, "unrecognized name") != NULL)
		return EDS_FETCH_TLS_REFUSED;
	return EDS_FETCH_TLS;
}

enum eds_fetch_outcome eds_fetch_outcome_of(const struct eds_fetch *fetch, CURLcode code)
{
	if (fetch->too_large)
		return EDS_FETCH_TOO_LARGE;
	switch (code) {
	case CURLE_OK:
		return EDS_FETCH_DONE;
	case CURLE_COULDNT_CONNECT:
		return of_connect(fetch);
	case CURLE_OPERATION_TIMEDOUT:
		return of_time(fetch);
	case CURLE_SSL_CONNECT_ERROR:
		return of_tls(fetch);
	case CURLE_PEER_FAILED_VERIFICATION:
		return of_certificate(fetch);
	case CURLE_FILESIZE_EXCEEDED:
		return EDS_FETCH_TOO_LARGE;
	case CURLE_USE_SSL_FAILED:
		return EDS_FETCH_NO_STARTTLS;
	case CURLE_RECV_ERROR:
	case CURLE_SEND_ERROR:
	case CURLE_GOT_NOTHING:
	case CURLE_PARTIAL_FILE:
		return EDS_FETCH_UNREACHABLE;
	case CURLE_OUT_OF_MEMORY:
	case CURLE_FAILED_INIT:
	case CURLE_SSL_CACERT_BADFILE:
		return EDS_FETCH_FAILED;
	default:
		return EDS_FETCH_PROTOCOL;
	}
}
