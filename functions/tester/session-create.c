/* tester-session-create: POST /api/inbound-tester/sessions
 *
 * in    nothing, or any JSON object
 * out   201 {testId, email, expiresAt, status: "pending"}
 * err   400 json-invalid, body-not-object; 413 body-too-large; 415 media-type-unsupported;
 *       429 too-many-sessions with Retry-After
 *
 * Needs no token; what a client may make in an hour is limited.
 */
#include <stdio.h>
#include <string.h>

#include "functions/tester/session-json.h"
#include "runtime/handler.h"

/* Who is counted: an IPv4 address, or the /64 that one IPv6 customer has at least. */
static const char *counted_client(struct rt_ctx *ctx, const struct rt_request *req)
{
	char text[RT_IP_TEXT_MAX];
	struct rt_ip ip;

	if (!rt_ip_parse(rt_request_client(ctx, req), &ip))
		return "unknown";
	if (ip.family == AF_INET6)
		memset(ip.bytes + 8, 0, 8);
	rt_ip_format(&ip, text);
	return rt_printf(ctx, "%s%s", text, ip.family == AF_INET6 ? "/64" : "");
}

static rt_status create_session(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	struct eds_store *store;
	struct eds_session session;
	json_t *ignored;

	if (req->body_length > 0)
		RT_TRY(rt_body_object(ctx, req, &ignored));
	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_store_session_create(
		ctx, store, counted_client(ctx, req), rt_config()->sessions_per_hour, &session));
	rt_response_header(res, "location",
		rt_printf(ctx, "/api/inbound-tester/sessions/%s", session.test_id));
	return eds_session_respond(ctx, req, res, 201, &session);
}

int main(int argc, char **argv)
{
	return rt_main_http(argc, argv, create_session);
}
