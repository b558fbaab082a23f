#include "local/eds/client.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "local/eds/show.h"

enum {
	CONNECT_MS = 10 * 1000,
	/* time-out of a request; a check of mail servers takes half a minute */
	ANSWER_MS = 60 * 1000,
	RETRY_AFTER_MOST_S = 24 * 3600,
};

struct transfer {
	struct rt_ctx *ctx;
	struct rt_buffer body;
	struct cli_answer *answer;
};

static size_t take_body(char *bytes, size_t size, size_t count, void *user)
{
	struct transfer *transfer = user;

	rt_buffer_add(&transfer->body, bytes, size * count);
	return transfer->body.overflow ? 0 : size * count;
}

/* The value of the header line, without the spaces before it; NULL when the line has another
 * name. */
static const char *field_value(struct rt_ctx *ctx, const char *line, const char *name)
{
	size_t length = strlen(name);
	const char *value = line + length + 1;

	if (strncasecmp(line, name, length) != 0 || line[length] != ':')
		return NULL;
	value += strspn(value, " \t");
	return rt_memdup(ctx, value, strcspn(value, "\r\n"));
}

/* Reads <PATH>; rel="next" (RFC 8288). Accepts only a path, so that the next page comes from the
 * same service. */
static const char *next_page(struct rt_ctx *ctx, const char *link)
{
	size_t length = strcspn(link, ">");

	if (link[0] != '<' || link[1] != '/' || strstr(link + length, "rel=\"next\"") == NULL)
		return NULL;
	return rt_memdup(ctx, link + 1, length - 1);
}

/* The decoded cursor in the path of a page: "a:b" for "…?limit=2&cursor=a%3Ab". */
static const char *cursor_of(struct rt_ctx *ctx, const char *page)
{
	const char *cursor = page != NULL ? strstr(page, "cursor=") : NULL;
	char *plain;
	char *copy;
	int length;

	if (cursor == NULL)
		return NULL;
	cursor += strlen("cursor=");
	plain = curl_easy_unescape(NULL, cursor, (int)strcspn(cursor, "&"), &length);
	copy = plain != NULL ? rt_memdup(ctx, plain, (size_t)length) : NULL;
	curl_free(plain);
	return copy;
}

static int seconds(const char *text)
{
	long value = strtol(text, NULL, 10);

	return value < 0 ? 0 : value > RETRY_AFTER_MOST_S ? RETRY_AFTER_MOST_S : (int)value;
}

static size_t take_field(char *bytes, size_t size, size_t count, void *user)
{
	struct transfer *transfer = user;
	const char *line = rt_memdup(transfer->ctx, bytes, size * count);
	const char *link = field_value(transfer->ctx, line, "link");
	const char *retry_after = field_value(transfer->ctx, line, "retry-after");

	if (link != NULL) {
		transfer->answer->next = next_page(transfer->ctx, link);
		transfer->answer->cursor = cursor_of(transfer->ctx, transfer->answer->next);
	}
	if (retry_after != NULL)
		transfer->answer->retry_after_s = seconds(retry_after);
	return size * count;
}

static struct curl_slist *fields_of(const struct cli_call *call, const struct cli_request *request)
{
	struct curl_slist *fields = curl_slist_append(NULL, "Accept: application/json");

	fields = curl_slist_append(fields, "Expect:");
	if (request->body != NULL)
		fields = curl_slist_append(
			fields, rt_printf(call->ctx, "Content-Type: %s", request->type));
	if (call->token != NULL && !call->command->open)
		fields = curl_slist_append(
			fields, rt_printf(call->ctx, "Authorization: Bearer %s", call->token));
	return fields;
}

static void set_body(CURL *easy, const struct cli_request *request)
{
	bool get = strcmp(request->method, "GET") == 0;

	if (request->body != NULL || !get) {
		curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->length);
		curl_easy_setopt(
			easy, CURLOPT_POSTFIELDS, request->body != NULL ? request->body : "");
	}
	curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request->method);
}

static void set_limits(CURL *easy, const struct cli_request *request)
{
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
	curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, ANSWER_MS + request->wait_s * 1000L);
	curl_easy_setopt(easy, CURLOPT_USERAGENT, "eds");
}

static CURLcode perform(struct cli_call *call, CURL *easy, const struct cli_request *request,
	struct transfer *transfer)
{
	struct curl_slist *fields = fields_of(call, request);
	CURLcode result;

	curl_easy_setopt(easy, CURLOPT_URL, rt_printf(call->ctx, "%s%s", call->url, request->path));
	curl_easy_setopt(easy, CURLOPT_HTTPHEADER, fields);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
	curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_field);
	curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
	set_limits(easy, request);
	set_body(easy, request);
	result = curl_easy_perform(easy);
	curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &transfer->answer->status);
	curl_slist_free_all(fields);
	return result;
}

static void read_json(struct cli_call *call, struct cli_answer *answer)
{
	json_t *json;

	if (rt_json_parse(call->ctx, answer->body, answer->length, &json) == RT_OK)
		answer->json = json;
	rt_fail_clear(call->ctx);
}

int cli_send(struct cli_call *call, const struct cli_request *request, struct cli_answer *answer)
{
	struct transfer transfer = {.ctx = call->ctx, .answer = answer};
	CURL *easy = curl_easy_init();
	CURLcode result;

	*answer = (struct cli_answer){0};
	rt_fail_clear(call->ctx);
	rt_buffer_init(&transfer.body, call->ctx, CLI_ANSWER_BYTES_MAX);
	result = easy == NULL ? CURLE_OUT_OF_MEMORY : perform(call, easy, request, &transfer);
	curl_easy_cleanup(easy);
	if (result != CURLE_OK) {
		rt_fail_keep(call->ctx, RT_TEMPORARY, "unavailable",
			"the service at %s does not answer: %s", call->url,
			curl_easy_strerror(result));
		return CLI_UNAVAILABLE;
	}
	answer->body = transfer.body.bytes;
	answer->length = transfer.body.length;
	read_json(call, answer);
	return CLI_DONE;
}

static void complain_of_fields(const struct cli_call *call, const json_t *errors)
{
	for (size_t i = 0; i < json_array_size(errors); i++) {
		const json_t *error = json_array_get(errors, i);

		cli_complain(call, "  %s: %s", cli_text(call, error, "field"),
			cli_text(call, error, "detail"));
	}
}

int cli_refusal(const struct cli_call *call, const struct cli_answer *answer)
{
	const char *detail = rt_json_string(answer->json, "detail");

	if (call->json && answer->json != NULL)
		cli_print_json(call, answer->body, answer->length);
	if (detail != NULL)
		cli_complain(call, "%s (%ld, %s)", cli_text(call, answer->json, "detail"),
			answer->status, cli_text(call, answer->json, "code"));
	else
		cli_complain(call,
			"%s answered %ld, but not like an eds service: is the address right?",
			call->url, answer->status);
	complain_of_fields(call, json_object_get(answer->json, "errors"));
	if (answer->retry_after_s > 0)
		cli_complain(call, "try again in %d seconds", answer->retry_after_s);
	return detail != NULL && answer->status >= 400 && answer->status < 500 ? CLI_REFUSED
									       : CLI_UNAVAILABLE;
}

int cli_ask(struct cli_call *call, const struct cli_request *request, struct cli_answer *answer)
{
	int status = cli_send(call, request, answer);

	if (status != CLI_DONE) {
		cli_complain(call, "%s", call->ctx->failure.detail);
		return status;
	}
	if (answer->status / 100 != 2 || answer->json == NULL)
		return cli_refusal(call, answer);
	return CLI_DONE;
}
