#include "runtime/host/gateway/problem.h"

#include "runtime/event/problem.h"
#include "runtime/host/json-write.h"

void problem_write(struct rt_buffer *fields, struct rt_buffer *body, int status, const char *code,
	const char *detail)
{
	rt_buffer_clear(fields);
	rt_buffer_clear(body);
	rt_buffer_text(fields, "content-type: application/problem+json\r\n");
	rt_buffer_text(body, "{\"type\":\"/problems#");
	rt_buffer_text(body, code);
	rt_buffer_text(body, "\",\"title\":");
	json_write_text(body, rt_http_reason(status));
	rt_buffer_text(body, ",\"status\":");
	rt_buffer_integer(body, status);
	rt_buffer_text(body, ",\"detail\":");
	json_write_text(body, detail);
	rt_buffer_text(body, ",\"code\":");
	json_write_text(body, code);
	rt_buffer_text(body, "}");
}
