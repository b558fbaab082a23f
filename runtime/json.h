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

/* Makes the arena jansson's allocator for the process; NULL restores malloc. Only main() calls
 * it. */
void rt_json_use_arena(struct rt_arena *arena);

/* Until the end of the block, jansson allocates in the memory of ctx; afterwards in the same memory
 * as before the block. For work with a context of its own (rt_run_apart, rt_ctx_apart). JSON made
 * in the block may be read and changed later, in another block of the same memory. */
#define RT_JSON_MEMORY(ctx)                                                                        \
	struct rt_json_memory rt_json_memory                                                       \
		__attribute__((cleanup(rt_json_leave), unused)) = rt_json_enter((ctx)->arena)

struct rt_json_memory {
	struct rt_arena *before;
};
struct rt_json_memory rt_json_enter(struct rt_arena *arena);
void rt_json_leave(const struct rt_json_memory *within);

/* Strict: one value, depth 32, no duplicate keys, valid UTF-8, no NUL, no byte order mark (RFC
 * 8259). RT_BAD_INPUT "json-invalid" with the place. */
RT_MUST_USE rt_status rt_json_parse(
	struct rt_ctx *ctx, const char *text, size_t length, json_t **value);

/* The string member, or NULL when absent or of another type. Borrowed from the object. */
const char *rt_json_string(const json_t *object, const char *key);

#endif
