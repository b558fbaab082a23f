#include "runtime/host/json-write.h"

#include <string.h>

#include "runtime/text/json-string.h"

void json_write_part(struct rt_buffer *out, const char *text, size_t length)
{
	char *start = rt_buffer_room(out, length * RT_JSON_ESCAPED_MAX);

	if (start != NULL)
		rt_buffer_used(out, (size_t)(rt_json_escape(start, text, length) - start));
}

void json_write_string(struct rt_buffer *out, const char *text, size_t length)
{
	rt_buffer_add(out, "\"", 1);
	json_write_part(out, text, length);
	rt_buffer_add(out, "\"", 1);
}

void json_write_text(struct rt_buffer *out, const char *text)
{
	json_write_string(out, text, strlen(text));
}
