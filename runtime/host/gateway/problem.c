#include "runtime/host/gateway/problem.h"

#include "runtime/event/problem.h"
#include "runtime/host/json-write.h"

void problem_write(
	struct bytes *fields, struct bytes *body, int status, const char *code, const char *detail)
{
	bytes_clear(fields);
	bytes_clear(body);
	bytes_text(fields, "content-type: application/problem+json\r\n");
	bytes_text(body, "{\"type\":\"/problems#");
	bytes_text(body, code);
	bytes_text(body, "\",\"title\":");
	json_write_text(body, rt_http_reason(status));
	bytes_text(body, ",\"status\":");
	bytes_number(body, status);
	bytes_text(body, ",\"detail\":");
	json_write_text(body, detail);
	bytes_text(body, ",\"code\":");
	json_write_text(body, code);
	bytes_text(body, "}");
}
