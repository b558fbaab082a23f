#include "runtime/aws/signed.h"
#include "runtime/time.h"

#include <string.h>

#include "runtime/aws/sigv4.h"

/* A request in both forms: as it is signed and as it is sent. */
struct message {
	struct sigv4_request request;
	struct aws_http_request http;
};

static void add_header(
	struct rt_ctx *ctx, struct message *message, const char *name, const char *value)
{
	if (value == NULL)
		return;
	message->request.headers[message->request.header_count++] = (struct sigv4_header){
		name, value};
	message->http.headers[message->http.header_count++] = rt_printf(ctx, "%s: %s", name, value);
}

/* Makes the headers of the request. All of them are signed, except Authorization, which has the
 * signature. */
static void sign(struct rt_ctx *ctx, const struct aws_signed_request *request,
	const struct aws_credentials *credentials, struct message *message)
{
	const struct sigv4_key key = {credentials->id, credentials->secret};
	struct sigv4_scope scope = {.region = request->region, .service = request->service->name};
	const char *token = credentials->token[0] == '\0' ? NULL
							  : rt_strdup(ctx, credentials->token);

	sigv4_time(rt_wall_ms(), scope.time);
	add_header(ctx, message, "content-type", request->content_type);
	add_header(ctx, message, "host", request->endpoint.host);
	add_header(ctx, message, "x-amz-content-sha256", message->request.payload_hash);
	add_header(ctx, message, "x-amz-date", rt_strdup(ctx, scope.time));
	add_header(ctx, message, "x-amz-security-token", token);
	add_header(ctx, message, "x-amz-target", request->target);
	message->http.headers[message->http.header_count++] = rt_printf(ctx, "Authorization: %s",
		sigv4_authorization(ctx, &message->request, &scope, &key));
}

rt_status aws_send(struct rt_ctx *ctx, const struct aws_signed_request *request, bool renew,
	struct aws_http_answer *answer)
{
	char hash[SIGV4_HASH_TEXT_BYTES];
	struct message message = {
		.request = {.method = request->http.method,
			.path = request->path,
			.query = request->query,
			.payload_hash = hash},
		.http = request->http,
	};
	struct aws_credentials credentials;
	int left_ms;

	RT_TRY(aws_credentials_get(ctx, request->service, renew, &credentials));
	sigv4_hash(request->http.parts, request->http.part_count, hash);
	sign(ctx, request, &credentials, &message);
	explicit_bzero(&credentials, sizeof credentials);
	message.http.url = rt_printf(ctx, "%s%s%s%s%s", request->endpoint.scheme,
		request->endpoint.host, request->path, request->query[0] != '\0' ? "?" : "",
		request->query);
	left_ms = rt_remaining_ms(ctx);
	message.http.timeout_ms = left_ms < request->timeout_ms ? left_ms : request->timeout_ms;
	if (left_ms == 0)
		*answer = (struct aws_http_answer){.error = "no time is left for the request"};
	else
		aws_http(ctx, &message.http, answer);
	return RT_OK;
}
