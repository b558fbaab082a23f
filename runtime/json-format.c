#include <stdint.h>
#include <string.h>

#include "runtime/buffer.h"
#include "runtime/json-format.h"
#include "runtime/json.h"
#include "runtime/text/json-string.h"
#include "runtime/text/utf8.h"

enum {
	REAL_DIGITS = 15,
	NUMBER_BYTES_MAX = 32,
};

static void write_array(struct rt_buffer *out, const json_t *array)
{
	rt_buffer_byte(out, '[');
	for (size_t i = 0; i < json_array_size(array); i++) {
		if (i > 0)
			rt_buffer_byte(out, ',');
		rt_json_write(out, json_array_get(array, i));
	}
	rt_buffer_byte(out, ']');
}

static void write_object(struct rt_buffer *out, json_t *object)
{
	const char *key;
	json_t *member;
	char before = '{';

	json_object_foreach(object, key, member)
	{
		rt_buffer_byte(out, before);
		rt_json_string_add(out, key, strlen(key));
		rt_buffer_byte(out, ':');
		rt_json_write(out, member);
		before = ',';
	}
	rt_buffer_text(out, before == '{' ? "{}" : "}");
}

static void write_real(struct rt_buffer *out, const json_t *real)
{
	char text[NUMBER_BYTES_MAX];
	size_t length = json_dumpb(
		real, text, sizeof text, JSON_ENCODE_ANY | JSON_REAL_PRECISION(REAL_DIGITS));

	rt_buffer_add(out, text, length);
}

/* Does not use jansson's writer, which tracks each array and object to detect cycles and therefore
 * takes six times as long. */
void rt_json_write(struct rt_buffer *out, const json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		write_object(out, (json_t *)(uintptr_t)value);
		break;
	case JSON_ARRAY:
		write_array(out, value);
		break;
	case JSON_STRING:
		rt_json_string_add(out, json_string_value(value), json_string_length(value));
		break;
	case JSON_INTEGER:
		rt_buffer_integer(out, json_integer_value(value));
		break;
	case JSON_REAL:
		write_real(out, value);
		break;
	case JSON_TRUE:
		rt_buffer_text(out, "true");
		break;
	case JSON_FALSE:
		rt_buffer_text(out, "false");
		break;
	case JSON_NULL:
		rt_buffer_text(out, "null");
		break;
	}
}

char *rt_json_format(struct rt_ctx *ctx, const json_t *value, size_t *length)
{
	struct rt_buffer buffer;

	rt_buffer_init(&buffer, ctx, SIZE_MAX / 4);
	rt_json_write(&buffer, value);
	if (length != NULL)
		*length = buffer.length;
	return buffer.bytes;
}

json_t *rt_json_text(struct rt_ctx *ctx, const char *text)
{
	size_t length;
	struct rt_buffer clean;

	if (text == NULL)
		return json_null();
	length = strlen(text);
	if (rt_utf8_is_text(text, length))
		return json_stringn_nocheck(text, length);
	rt_buffer_init(&clean, ctx, 3 * length);
	rt_utf8_add(&clean, text, length);
	return json_stringn_nocheck(clean.bytes, clean.length);
}

void rt_json_set(json_t *object, const char *key, json_t *value)
{
	json_object_set_new_nocheck(object, key, value != NULL ? value : json_null());
}

void rt_json_set_text(struct rt_ctx *ctx, json_t *object, const char *key, const char *text)
{
	rt_json_set(object, key, rt_json_text(ctx, text));
}

void rt_json_append(json_t *array, json_t *value)
{
	json_array_append_new(array, value != NULL ? value : json_null());
}
