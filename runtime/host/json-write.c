#include "runtime/host/json-write.h"

#include <string.h>

#include "runtime/text/json-string.h"

void json_write_part(struct bytes *out, const char *text, size_t length)
{
	char *start = bytes_room(out, length * RT_JSON_ESCAPED_MAX);

	if (start != NULL)
		out->length += (size_t)(rt_json_escape(start, text, length) - start);
}

void json_write_string(struct bytes *out, const char *text, size_t length)
{
	bytes_add(out, "\"", 1);
	json_write_part(out, text, length);
	bytes_add(out, "\"", 1);
}

void json_write_text(struct bytes *out, const char *text)
{
	json_write_string(out, text, strlen(text));
}
