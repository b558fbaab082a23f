/* The JSON values of one event (jansson) in the event's memory: no value needs json_decref.
 *
 * Within the handler loop jansson's allocator is the arena of the event, so a value must not
 * outlive its event.
 */
#ifndef RT_JSON_H
#define RT_JSON_H

#include <jansson.h>

#include "runtime/buffer.h"

enum {
	RT_JSON_DEPTH_MAX = 32,
};

/* Makes jansson allocate in this arena for the whole process; NULL restores malloc. Only the
 * handler loop, RT_JSON_MEMORY and the command eds do this. */
void rt_json_use_arena(struct rt_arena *arena);

/* Makes jansson allocate in the memory of ctx until the end of the block; afterwards it uses the
 * same memory as before the block. For work with a separate context (rt_run_apart(),
 * rt_ctx_apart()). JSON made in the block may be read and changed later, in another block with the
 * same memory. */
#define RT_JSON_MEMORY(ctx)                                                                        \
	struct rt_json_memory rt_json_memory                                                       \
		__attribute__((cleanup(rt_json_leave), unused)) = rt_json_enter((ctx)->arena)

struct rt_json_memory {
	struct rt_arena *before;
};
struct rt_json_memory rt_json_enter(struct rt_arena *arena);
void rt_json_leave(const struct rt_json_memory *within);

/* Parses JSON strictly: one value, at most 32 levels, no duplicate keys, valid UTF-8, no NUL, no
 * byte order mark (RFC 8259). Fails with RT_BAD_INPUT "json-invalid"; for a syntax error the
 * sentence has line and column. */
RT_MUST_USE rt_status rt_json_parse(
	struct rt_ctx *ctx, const char *text, size_t length, json_t **value);

/* The member if it is a string; NULL when it is absent or of another type. Borrowed from the
 * object. */
const char *rt_json_string(const json_t *object, const char *key);

#endif
