#include "functions/lib/fetch/ask.h"
#include "runtime/time.h"

#include <string.h>

#include "runtime/config/config.h"
#include "runtime/libcurl.h"

enum {
	TURN_MS = 5, /* maximum time of a single wait of eds_ask_begin for the connection */
	STEP_MS = 100,
};

struct eds_ask {
	struct rt_ctx *ctx;
	const struct rt_libcurl *curl; /* NULL when libcurl cannot be loaded */
	CURLM *multi;
	CURL *easy;
	struct curl_slist *fields;
	struct rt_buffer body;
	size_t header_bytes;
	size_t body_bytes; /* octets of the request's body */
	int64_t until_ms;
	int time_ms;
	int running; /* libcurl's count of running transfers: 1 until there is an answer or an
		      * error */
};

static void release(void *handle)
{
	struct eds_ask *ask = handle;

	if (ask->multi != NULL && ask->easy != NULL)
		ask->curl->multi_remove_handle(ask->multi, ask->easy);
	if (ask->easy != NULL)
		ask->curl->easy_cleanup(ask->easy);
	if (ask->multi != NULL)
		ask->curl->multi_cleanup(ask->multi);
	if (ask->fields != NULL)
		ask->curl->slist_free_all(ask->fields);
	ask->multi = NULL;
	ask->easy = NULL;
	ask->fields = NULL;
}

static size_t take_body(char *bytes, size_t size, size_t count, void *arg)
{
	struct eds_ask *ask = arg;

	rt_buffer_add(&ask->body, bytes, size * count);
	return ask->body.overflow ? 0 : size * count;
}

static size_t take_header(char *bytes, size_t size, size_t count, void *arg)
{
	struct eds_ask *ask = arg;

	(void)bytes;
	ask->header_bytes += size * count;
	return ask->header_bytes > EDS_ASK_HEADER_BYTES_MAX ? 0 : size * count;
}

static bool add_field(struct eds_ask *ask, const char *field)
{
	struct curl_slist *longer = ask->curl->slist_append(ask->fields, field);

	if (longer != NULL)
		ask->fields = longer;
	return longer != NULL;
}

/* Adds the fields of the question, and disables Expect: 100-continue, which costs a round trip. */
static bool add_fields(struct eds_ask *ask, const struct eds_ask_question *question)
{
	bool added = add_field(ask, "Expect:") &&
		add_field(ask, "Content-Type: application/octet-stream");

	for (size_t i = 0; i < question->field_count && added; i++)
		added = add_field(ask, question->fields[i]);
	return added;
}

/* Sets the options of the transfer. With QUICK_EXIT, libcurl does not wait for its resolver thread
 * at the end: a hanging resolver could take half a minute. */
static void describe(struct eds_ask *ask, const struct eds_ask_question *question)
{
	const struct rt_libcurl *curl = ask->curl;
	CURL *easy = ask->easy;

	curl->easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl->easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
	curl->easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl->easy_setopt(easy, CURLOPT_PROXY, "");
	curl->easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	curl->easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	curl->easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl->easy_setopt(easy, CURLOPT_HTTP_CONTENT_DECODING, 0L);
	curl->easy_setopt(easy, CURLOPT_URL, question->url);
	curl->easy_setopt(easy, CURLOPT_HTTPHEADER, ask->fields);
	curl->easy_setopt(easy, CURLOPT_POST, 1L);
	curl->easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)question->body_bytes);
	curl->easy_setopt(easy, CURLOPT_POSTFIELDS, question->body);
	curl->easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)question->time_ms);
	curl->easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)EDS_ASK_CONNECT_MS);
	curl->easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
	curl->easy_setopt(easy, CURLOPT_HEADERDATA, ask);
	curl->easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
	curl->easy_setopt(easy, CURLOPT_WRITEDATA, ask);
	if (rt_config()->ca_file[0] != '\0')
		curl->easy_setopt(easy, CURLOPT_CAINFO, rt_config()->ca_file);
}

static bool prepare(struct eds_ask *ask, const struct eds_ask_question *question)
{
	ask->curl = rt_libcurl();
	if (ask->curl == NULL)
		return false;
	rt_on_release(ask->ctx, release, ask);
	ask->multi = ask->curl->multi_init();
	ask->easy = ask->curl->easy_init();
	if (ask->multi == NULL || ask->easy == NULL || !add_fields(ask, question))
		return false;
	describe(ask, question);
	return ask->curl->multi_add_handle(ask->multi, ask->easy) == CURLM_OK;
}

static bool is_sent(const struct eds_ask *ask)
{
	curl_off_t sent = 0;

	ask->curl->easy_getinfo(ask->easy, CURLINFO_SIZE_UPLOAD_T, &sent);
	return (size_t)sent >= ask->body_bytes;
}

/* Sends as much as can be sent at once: a small message to this machine is sent whole. */
struct eds_ask *eds_ask_begin(struct rt_ctx *ctx, const struct eds_ask_question *question)
{
	struct eds_ask *ask = rt_alloc(ctx, sizeof *ask);
	int64_t now_ms = rt_monotonic_ms();

	ask->ctx = ctx;
	ask->body_bytes = question->body_bytes;
	ask->time_ms = question->time_ms;
	ask->until_ms = now_ms + question->time_ms;
	rt_buffer_init(&ask->body, ctx, question->answer_bytes_max);
	if (!prepare(ask, question))
		return ask;
	ask->running = 1;
	while (rt_monotonic_ms() < now_ms + EDS_ASK_BEGIN_MS && !is_sent(ask) &&
		ask->curl->multi_perform(ask->multi, &ask->running) == CURLM_OK && ask->running)
		ask->curl->multi_poll(ask->multi, NULL, 0, TURN_MS, NULL);
	return ask;
}

static bool was_given(struct eds_ask *ask, CURLcode *result)
{
	CURLMsg *message;
	int left;

	while ((message = ask->curl->multi_info_read(ask->multi, &left)) != NULL)
		if (message->msg == CURLMSG_DONE) {
			*result = message->data.result;
			return true;
		}
	return false;
}

static const char *failure_of(struct eds_ask *ask, CURLcode result)
{
	if (ask->body.overflow)
		return "sent an answer longer than its limit";
	if (result == CURLE_OPERATION_TIMEDOUT)
		return rt_printf(ask->ctx, "did not answer within %d seconds", ask->time_ms / 1000);
	if (result == CURLE_COULDNT_CONNECT || result == CURLE_COULDNT_RESOLVE_HOST)
		return "cannot be reached";
	return "did not answer in valid HTTP";
}

static void take_answer(struct eds_ask *ask, CURLcode result, struct eds_ask_answer *answer)
{
	long status = 0;

	ask->curl->easy_getinfo(ask->easy, CURLINFO_RESPONSE_CODE, &status);
	answer->body = ask->body.bytes;
	answer->length = ask->body.length;
	if (result == CURLE_OK)
		answer->status = (int)status;
	else
		answer->failure = failure_of(ask, result);
}

void eds_ask_end(struct eds_ask *ask, struct eds_ask_answer *answer)
{
	CURLcode result = CURLE_OPERATION_TIMEDOUT;

	*answer = (struct eds_ask_answer){
		.body = "", .failure = "cannot be asked: libcurl is missing"};
	if (ask->curl == NULL || ask->multi == NULL)
		return;
	while (ask->running && rt_monotonic_ms() < ask->until_ms && rt_remaining_ms(ask->ctx) > 0 &&
		ask->curl->multi_perform(ask->multi, &ask->running) == CURLM_OK && ask->running)
		ask->curl->multi_poll(ask->multi, NULL, 0, STEP_MS, NULL);
	if (!was_given(ask, &result))
		result = CURLE_OPERATION_TIMEDOUT;
	take_answer(ask, result, answer);
	release(ask);
}
