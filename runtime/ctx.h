/* The context of one event: memory, deadline, request id, and the failure if there is one. A
 * function that works for an event takes the context as its first argument. Strings and arrays that
 * the functions of this header make live until the event is answered, or in a separate context
 * (rt_run_apart(), rt_ctx_apart()) until its memory is freed. */
#ifndef RT_CTX_H
#define RT_CTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/arena.h"
#include "runtime/status.h"

enum {
	RT_FAILURE_FIELDS_MAX = 32,
	RT_LIMITS_MAX = 4,
	RT_LIMIT_NAME_MAX = 40,
};

struct rt_field_error {
	const char *field;  /* the JSON member: "mxPatterns" */
	const char *detail; /* a sentence that says what is wrong with the field */
};

struct rt_failure {
	rt_status category; /* RT_OK while nothing failed */
	const char *code;   /* stable code in lower case with hyphens: "selector-invalid" */
	const char *detail; /* a sentence for the caller; for RT_TEMPORARY and RT_INTERNAL only for
			     * the log */
	struct rt_field_error fields[RT_FAILURE_FIELDS_MAX];
	size_t field_count;
	int retry_after_s; /* seconds after which to try again; 0: not given */
};

/* A rate limit of the caller, and how much of it is left. */
struct rt_limit {
	/* name of the limit: "checks"; lower case and hyphens, unique per event */
	char name[RT_LIMIT_NAME_MAX];
	int quota;
	int window_s;
	int left; /* requests that are still allowed; -1: unknown */
	/* seconds until the whole quota is available again; if nothing is left, seconds until the
	 * next request is allowed */
	int restored_s;
};

struct rt_trace;

struct rt_ctx {
	struct rt_arena *arena;
	const char *function;         /* name of the function: "tester-analyze" */
	const char *request_id;       /* id from the event, or a new one */
	const struct rt_trace *trace; /* trace of the event (runtime/event/trace.h); NULL until the
					 loop has read the event */
	int64_t deadline_ms;          /* when the event's time ends, on the monotonic clock */
	/* the event was read together with the previous event, so it had arrived when the previous
	 * event began */
	bool follows;
	struct rt_failure failure;
	struct rt_limit limits[RT_LIMITS_MAX]; /* the rate limits that have counted this event */
	size_t limit_count;
};

/* Stores category, code (a literal) and sentence in the context. The value of the macro is the
 * category:
 *     return rt_fail(ctx, RT_CONFLICT, "selector-exists", "%s is registered already", selector);
 * The first failure of an event stays; later ones are dropped without a log line. This is a macro
 * so that compilers and analysers see that the result is never RT_OK. */
#define rt_fail(ctx, category, ...) (rt_fail_keep((ctx), (category), __VA_ARGS__), (category))
void rt_fail_keep(struct rt_ctx *ctx, rt_status category, const char *code, const char *format, ...)
	RT_PRINTF(4, 5);

/* Adds one {field, detail} to the failure that the caller returns next. After RT_FAILURE_FIELDS_MAX
 * of them, further ones are dropped. */
void rt_fail_field(struct rt_ctx *ctx, const char *field, const char *format, ...) RT_PRINTF(3, 4);

/* Clears a failure that the caller has handled. */
void rt_fail_clear(struct rt_ctx *ctx);

/* Stores a rate limit that the answer shows (rt_respond_limits()); a later one with the same name
 * replaces it. At most RT_LIMITS_MAX are stored. */
void rt_note_limit(struct rt_ctx *ctx, const struct rt_limit *limit);

/* Allocates memory of the event, which is zeroed; never returns NULL. */
void *rt_alloc(struct rt_ctx *ctx, size_t bytes);
void *rt_alloc_array(struct rt_ctx *ctx, size_t count, size_t bytes);
/* Returns the array with room for one item more than count: the same array, or a larger copy.
 * *room: the number of items for which it has room; 0 at first. */
void *rt_grow(struct rt_ctx *ctx, void *items, size_t count, size_t *room, size_t item_bytes);
char *rt_strdup(struct rt_ctx *ctx, const char *text);
/* Copies length bytes and appends a NUL; the bytes may contain NUL. */
char *rt_memdup(struct rt_ctx *ctx, const void *bytes, size_t length);
char *rt_printf(struct rt_ctx *ctx, const char *format, ...) RT_PRINTF(2, 3);
/* A copy of the text with ASCII letters in lower case. */
char *rt_lower(struct rt_ctx *ctx, const char *text);
void rt_on_release(struct rt_ctx *ctx, void (*release)(void *handle), void *handle);

/* Runs the function with a context whose memory is freed when the function returns; a failure is
 * copied to ctx. Meant for an event with many tasks: if it does each task with a call of
 * rt_run_apart(), the event needs no more memory than its largest task. */
RT_MUST_USE rt_status rt_run_apart(
	struct rt_ctx *ctx, rt_status (*run)(struct rt_ctx *ctx, void *arg), void *arg);

/* A copy of ctx with separate memory, which is freed with the event. For work that frees its memory
 * (rt_arena_reset()) while the event continues. */
struct rt_ctx rt_ctx_apart(struct rt_ctx *ctx);

/* A copy of ctx with the same memory and a deadline that is kept_ms earlier. For work that must
 * leave time for later steps of the event. */
struct rt_ctx rt_ctx_sooner(const struct rt_ctx *ctx, int kept_ms);

/* Returns the status. If the status is not RT_OK and ctx has no failure yet, copies the failure of
 * the separate context into ctx and its memory. */
RT_MUST_USE rt_status rt_ctx_join(struct rt_ctx *ctx, const struct rt_ctx *apart, rt_status status);

/* Fills the bytes from the kernel's random generator; ends the process when that fails. */
void rt_random(void *bytes, size_t length);

#endif
