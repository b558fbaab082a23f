/* A handler for tests of the runner that takes large bodies: answers their length and the sum of
 * their octets. */
#include <string.h>

#include "runtime/event/handler.h"
#include "runtime/event/response.h"

static rt_status measure(struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	uint32_t sum = 0;
	const char *text;

	for (size_t i = 0; i < req->body_length; i++)
		sum += (unsigned char)req->body[i];
	text = rt_printf(ctx, "{\"length\":%zu,\"sum\":%u}", req->body_length, sum);
	return rt_respond_bytes(ctx, res, 200, "application/json", text, strlen(text), false);
}

int main(int argc, char **argv)
{
	rt_takes_any_query();
	return rt_main_http_within(argc, argv, measure, RT_LARGE_EVENT_BYTES_MAX);
}
