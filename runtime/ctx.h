/* What one event carries with it: memory, deadline, request id, and why it failed.
 *
 * Every function of the system takes the context first. Strings and arrays made with the calls
 * below live until the event is answered.
 */
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
	const char *field;  /* JSON member, e.g. "mxPatterns" */
	const char *detail; /* a sentence */
};

struct rt_failure {
	rt_status category; /* RT_OK while nothing failed */
	const char *code;   /* stable, lower case with hyphens: "selector-invalid" */
	const char *
		detail; /* a sentence for the caller; of RT_TEMPORARY and RT_INTERNAL for the log */
	struct rt_field_error fields[RT_FAILURE_FIELDS_MAX];
	size_t field_count;
	int retry_after_s; /* 0: not said */
};

/* What a caller may do in a time, and what of it is left. */
struct rt_limit {
	char name[RT_LIMIT_NAME_MAX]; /* "checks": lower case and hyphens; one of the event each */
	int quota;
	int window_s;
	int left;       /* -1: not known */
	int restored_s; /* when all of it is there again; of one that is used up, when some is */
};

struct rt_trace;

struct rt_ctx {
	struct rt_arena *arena;
	const char *function;   /* "tester-analyze" */
	const char *request_id; /* of the event, or made */
	const struct rt_trace
		*trace;      /* of the event; NULL before it is read (runtime/event/trace.h) */
	int64_t deadline_ms; /* on the monotonic clock */
	struct rt_failure failure;
	struct rt_limit limits[RT_LIMITS_MAX]; /* that the event was counted by */
	size_t limit_count;
};

/* Keeps category, code (a literal) and sentence in the context and is the category:
 *     return rt_fail(ctx, RT_CONFLICT, "selector-exists", "%s is registered already", selector);
 * The first failure of an event stays; later ones are logged by nobody and lost. A macro, so that
 * compilers and analysers see that what comes out is never RT_OK. */
#define rt_fail(ctx, category, ...) (rt_fail_keep((ctx), (category), __VA_ARGS__), (category))
void rt_fail_keep(struct rt_ctx *ctx, rt_status category, const char *code, const char *format, ...)
	RT_PRINTF(4, 5);

/* Adds one {field, detail} to the failure that the caller will return. Past the maximum: dropped.
 */
void rt_fail_field(struct rt_ctx *ctx, const char *field, const char *format, ...) RT_PRINTF(3, 4);

/* Forgets a failure that the caller has dealt with. */
void rt_fail_clear(struct rt_ctx *ctx);

/* Keeps a limit for the caller to see (rt_respond_limits); the latest of a name counts. */
void rt_note_limit(struct rt_ctx *ctx, const struct rt_limit *limit);

/* Memory of the event; never NULL, zeroed. */
void *rt_alloc(struct rt_ctx *ctx, size_t bytes);
void *rt_alloc_array(struct rt_ctx *ctx, size_t count, size_t bytes);
char *rt_strdup(struct rt_ctx *ctx, const char *text);
/* length bytes and a NUL behind them; the bytes may hold NUL themselves. */
char *rt_memdup(struct rt_ctx *ctx, const void *bytes, size_t length);
char *rt_printf(struct rt_ctx *ctx, const char *format, ...) RT_PRINTF(2, 3);
/* ASCII letters made lower case. */
char *rt_lower(struct rt_ctx *ctx, const char *text);
void rt_on_release(struct rt_ctx *ctx, void (*release)(void *handle), void *handle);

/* Runs it with a context whose memory goes when it returns; the failure stays. For one of many
 * things that an event has to do, so that memory is what the greatest of them needs. */
RT_MUST_USE rt_status rt_run_apart(
	struct rt_ctx *ctx, rt_status (*run)(struct rt_ctx *ctx, void *arg), void *arg);

/* A context like the event's with memory of its own, which goes with the event's: for work that
 * gives its memory back (rt_arena_reset) while the event goes on. */
struct rt_ctx rt_ctx_apart(struct rt_ctx *ctx);

/* The event's context and memory with so much less of its time: for work after which the event has
 * something left to do. */
struct rt_ctx rt_ctx_sooner(const struct rt_ctx *ctx, int kept_ms);

/* The status; what failed with the context apart is told with the event's, in its memory. */
RT_MUST_USE rt_status rt_ctx_join(struct rt_ctx *ctx, const struct rt_ctx *apart, rt_status status);

/* Fills from the kernel's generator; ends the process when that fails. */
void rt_random(void *bytes, size_t length);

#endif
