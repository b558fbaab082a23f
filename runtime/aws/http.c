#include "runtime/aws/http.h"

#include <string.h>

#include "runtime/config/config.h"
#include "runtime/io.h"
#include "runtime/libcurl.h"

enum {
	STATUS_OK = 200,
};

/* One request in progress. */
struct exchange {
	const struct rt_libcurl *curl;
	CURL *handle;
	const struct aws_http_request *request;
	struct aws_http_answer *answer;
	int part;      /* index of the current part of the body */
	size_t offset; /* number of octets of this part that were sent */
};

static _Thread_local CURL *kept;

static size_t send_more(char *to, size_t size, size_t count, void *arg)
{
	struct exchange *exchange = arg;
	const struct aws_http_request *request = exchange->request;
	size_t room = size * count;
	size_t sent = 0;

	while (sent < room && exchange->part < request->part_count) {
		const struct iovec *part = &request->parts[exchange->part];
		size_t left = part->iov_len - exchange->offset;
		size_t now = left < room - sent ? left : room - sent;

		memcpy(to + sent, (const char *)part->iov_base + exchange->offset, now);
		sent += now;
		exchange->offset += now;
		if (exchange->offset == part->iov_len) {
			exchange->part++;
			exchange->offset = 0;
		}
	}
	return sent;
}

/* Called when libcurl sends the body again from the start, because a connection that was kept open
 * turned out to be dead. */
static int send_again(void *arg, curl_off_t offset, int origin)
{
	struct exchange *exchange = arg;

	if (origin != SEEK_SET || offset != 0)
		return CURL_SEEKFUNC_CANTSEEK;
	exchange->part = 0;
	exchange->offset = 0;
	return CURL_SEEKFUNC_OK;
}

static size_t take_more(char *bytes, size_t size, size_t count, void *arg)
{
	struct exchange *exchange = arg;
	struct aws_http_answer *answer = exchange->answer;
	size_t length = size * count;
	long status = 0;

	exchange->curl->easy_getinfo(exchange->handle, CURLINFO_RESPONSE_CODE, &status);
	if (exchange->request->sink < 0 || status != STATUS_OK) {
		rt_buffer_add(&answer->body, bytes, length);
		return answer->body.overflow ? 0 : length;
	}
	if (length > exchange->request->sink_bytes_max - answer->sunk_bytes ||
		!rt_write_all(exchange->request->sink, bytes, length))
		return 0;
	answer->sunk_bytes += length;
	return length;
}

static size_t body_length(const struct aws_http_request *request)
{
	size_t length = 0;

	for (int i = 0; i < request->part_count; i++)
		length += request->parts[i].iov_len;
	return length;
}

static bool is_upload(const struct aws_http_request *request)
{
	return strcmp(request->method, "PUT") == 0 || strcmp(request->method, "POST") == 0;
}

static void describe_body(struct exchange *exchange)
{
	const struct rt_libcurl *curl = exchange->curl;
	CURL *handle = exchange->handle;

	if (!is_upload(exchange->request))
		return;
	curl->easy_setopt(handle, CURLOPT_UPLOAD, 1L);
	curl->easy_setopt(
		handle, CURLOPT_INFILESIZE_LARGE, (curl_off_t)body_length(exchange->request));
	curl->easy_setopt(handle, CURLOPT_READFUNCTION, send_more);
	curl->easy_setopt(handle, CURLOPT_READDATA, exchange);
	curl->easy_setopt(handle, CURLOPT_SEEKFUNCTION, send_again);
	curl->easy_setopt(handle, CURLOPT_SEEKDATA, exchange);
}

static void describe(struct exchange *exchange, const struct curl_slist *headers)
{
	const struct aws_http_request *request = exchange->request;
	const struct rt_libcurl *curl = exchange->curl;
	CURL *handle = exchange->handle;
	int connect_ms = request->timeout_ms < AWS_CONNECT_MS ? request->timeout_ms
							      : AWS_CONNECT_MS;

	curl->easy_reset(handle); /* the connections of the handle stay open */
	curl->easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
	curl->easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
	curl->easy_setopt(handle, CURLOPT_PROXY, "");
	curl->easy_setopt(handle, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl->easy_setopt(handle, CURLOPT_URL, request->url);
	curl->easy_setopt(handle, CURLOPT_PATH_AS_IS, 1L);
	describe_body(exchange);
	curl->easy_setopt(handle, CURLOPT_CUSTOMREQUEST, request->method);
	curl->easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
	curl->easy_setopt(handle, CURLOPT_TIMEOUT_MS, (long)request->timeout_ms);
	curl->easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, (long)connect_ms);
	curl->easy_setopt(handle, CURLOPT_WRITEFUNCTION, take_more);
	curl->easy_setopt(handle, CURLOPT_WRITEDATA, exchange);
	if (rt_config()->ca_file != NULL && rt_config()->ca_file[0] != '\0')
		curl->easy_setopt(handle, CURLOPT_CAINFO, rt_config()->ca_file);
}

/* The header fields for libcurl. The empty Expect field prevents libcurl from sending "Expect:
 * 100-continue", which would cost a round trip. */
static struct curl_slist *header_list(
	const struct rt_libcurl *curl, const struct aws_http_request *request)
{
	struct curl_slist *headers = curl->slist_append(NULL, "Expect:");

	for (size_t i = 0; i < request->header_count && headers != NULL; i++) {
		struct curl_slist *longer = curl->slist_append(headers, request->headers[i]);

		if (longer == NULL)
			curl->slist_free_all(headers);
		headers = longer;
	}
	return headers;
}

static void perform(struct exchange *exchange, const struct curl_slist *headers)
{
	const struct rt_libcurl *curl = exchange->curl;
	CURLcode result;
	long status = 0;

	describe(exchange, headers);
	result = curl->easy_perform(exchange->handle);
	curl->easy_getinfo(exchange->handle, CURLINFO_RESPONSE_CODE, &status);
	if (result == CURLE_OK)
		exchange->answer->status = (int)status;
	else
		exchange->answer->error = curl->easy_strerror(result);
}

void aws_http(
	struct rt_ctx *ctx, const struct aws_http_request *request, struct aws_http_answer *answer)
{
	struct exchange exchange = {.curl = rt_libcurl(), .request = request, .answer = answer};
	struct curl_slist *headers = NULL;

	*answer = (struct aws_http_answer){.error = "libcurl cannot be used"};
	rt_buffer_init(&answer->body, ctx, AWS_BODY_BYTES_MAX);
	if (exchange.curl == NULL)
		return;
	if (kept == NULL)
		kept = exchange.curl->easy_init();
	exchange.handle = kept;
	if (kept != NULL)
		headers = header_list(exchange.curl, request);
	if (headers == NULL)
		return;
	perform(&exchange, headers);
	exchange.curl->slist_free_all(headers);
}

void aws_http_done(void)
{
	if (kept != NULL)
		rt_libcurl()->easy_cleanup(kept);
	kept = NULL;
}
