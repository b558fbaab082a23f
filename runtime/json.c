#include "runtime/json.h"

#include <stdlib.h>
#include <string.h>

static struct rt_arena *memory;

static void *arena_malloc(size_t bytes)
{
	return rt_arena_alloc_raw(memory, bytes);
}

static void arena_free(void *pointer)
{
	(void)pointer; /* the arena releases all memory at once */
}

void rt_json_use_arena(struct rt_arena *arena)
{
	static bool in_use;

	memory = arena;
	if (arena != NULL && !in_use)
		json_set_alloc_funcs(arena_malloc, arena_free);
	if (arena == NULL && in_use)
		json_set_alloc_funcs(malloc, free);
	in_use = arena != NULL;
}

struct rt_json_memory rt_json_enter(struct rt_arena *arena)
{
	struct rt_json_memory within = {memory};

	rt_json_use_arena(arena);
	return within;
}

void rt_json_leave(const struct rt_json_memory *within)
{
	rt_json_use_arena(within->before);
}

/* True if the text is nested too deeply. Checked before jansson parses the text, because jansson
 * recurses up to 2048 levels. */
static bool too_deep(const char *text, size_t length)
{
	int depth = 0;
	bool in_string = false;

	for (size_t i = 0; i < length; i++) {
		char c = text[i];

		if (in_string) {
			if (c == '\\')
				i++;
			else if (c == '"')
				in_string = false;
		} else if (c == '"') {
			in_string = true;
		} else if (c == '{' || c == '[') {
			if (++depth > RT_JSON_DEPTH_MAX)
				return true;
		} else if (c == '}' || c == ']') {
			depth--;
		}
	}
	return false;
}

rt_status rt_json_parse(struct rt_ctx *ctx, const char *text, size_t length, json_t **value)
{
	json_error_t error;

	*value = NULL;
	if (too_deep(text, length))
		return rt_fail(ctx, RT_BAD_INPUT, "json-invalid",
			"JSON is nested more than %d levels deep", RT_JSON_DEPTH_MAX);
	/* jansson ignores a NUL that follows a number. */
	if (memchr(text, '\0', length) != NULL)
		return rt_fail(
			ctx, RT_BAD_INPUT, "json-invalid", "a NUL octet is not allowed in JSON");
	*value = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
	if (*value == NULL)
		return rt_fail(ctx, RT_BAD_INPUT, "json-invalid",
			"the JSON is invalid at line %d, column %d: %s", error.line, error.column,
			error.text);
	return RT_OK;
}

const char *rt_json_string(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}
