#include "runtime/ctx.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum {
	BRIEF_BYTES = 512,
	FIRST_ITEMS = 16, /* first capacity of an array that grows */
};

/* Tries a short buffer first, so that most texts are formatted only once. */
static char *format_text(struct rt_ctx *ctx, const char *format, va_list arguments)
{
	char brief[BRIEF_BYTES];
	va_list again;
	char *text;
	int length;

	va_copy(again, arguments);
	length = vsnprintf(brief, sizeof brief, format, again);
	va_end(again);
	if (length < 0)
		return rt_strdup(ctx, "");
	if ((size_t)length < sizeof brief)
		return rt_memdup(ctx, brief, (size_t)length);
	text = rt_alloc(ctx, (size_t)length + 1);
	vsnprintf(text, (size_t)length + 1, format, arguments);
	return text;
}

void rt_fail_keep(struct rt_ctx *ctx, rt_status category, const char *code, const char *format, ...)
{
	va_list arguments;

	if (ctx->failure.category != RT_OK)
		return;
	va_start(arguments, format);
	ctx->failure.category = category;
	ctx->failure.code = code;
	ctx->failure.detail = format_text(ctx, format, arguments);
	va_end(arguments);
}

void rt_fail_field(struct rt_ctx *ctx, const char *field, const char *format, ...)
{
	struct rt_failure *failure = &ctx->failure;
	va_list arguments;

	if (failure->field_count == RT_FAILURE_FIELDS_MAX)
		return;
	va_start(arguments, format);
	failure->fields[failure->field_count].field = rt_strdup(ctx, field);
	failure->fields[failure->field_count].detail = format_text(ctx, format, arguments);
	failure->field_count++;
	va_end(arguments);
}

void rt_fail_clear(struct rt_ctx *ctx)
{
	memset(&ctx->failure, 0, sizeof ctx->failure);
}

void rt_note_limit(struct rt_ctx *ctx, const struct rt_limit *limit)
{
	size_t i = 0;

	while (i < ctx->limit_count && strcmp(ctx->limits[i].name, limit->name) != 0)
		i++;
	if (i == RT_LIMITS_MAX)
		return;
	ctx->limits[i] = *limit;
	if (i == ctx->limit_count)
		ctx->limit_count++;
}

void *rt_alloc(struct rt_ctx *ctx, size_t bytes)
{
	return rt_arena_alloc(ctx->arena, bytes);
}

void *rt_alloc_array(struct rt_ctx *ctx, size_t count, size_t bytes)
{
	size_t total;

	if (__builtin_mul_overflow(count, bytes, &total))
		total = SIZE_MAX; /* too large for the arena, which then reports out of memory */
	return rt_arena_alloc(ctx->arena, total);
}

void *rt_grow(struct rt_ctx *ctx, void *items, size_t count, size_t *room, size_t item_bytes)
{
	void *larger;

	if (count < *room)
		return items;
	*room = *room * 2 + FIRST_ITEMS;
	larger = rt_alloc_array(ctx, *room, item_bytes);
	if (count > 0)
		memcpy(larger, items, count * item_bytes);
	return larger;
}

char *rt_memdup(struct rt_ctx *ctx, const void *bytes, size_t length)
{
	char *copy = rt_arena_alloc_raw(ctx->arena, length + 1);

	if (length > 0)
		memcpy(copy, bytes, length);
	copy[length] = '\0';
	return copy;
}

char *rt_strdup(struct rt_ctx *ctx, const char *text)
{
	return rt_memdup(ctx, text, strlen(text));
}

char *rt_printf(struct rt_ctx *ctx, const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	text = format_text(ctx, format, arguments);
	va_end(arguments);
	return text;
}

char *rt_lower(struct rt_ctx *ctx, const char *text)
{
	char *copy = rt_strdup(ctx, text);

	for (char *c = copy; *c != '\0'; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c - 'A' + 'a');
	return copy;
}

/* Copies the texts of the failure into the memory of ctx. */
static void keep_failure(struct rt_ctx *ctx)
{
	struct rt_failure *failure = &ctx->failure;

	failure->detail = rt_strdup(ctx, failure->detail);
	for (size_t i = 0; i < failure->field_count; i++) {
		failure->fields[i].field = rt_strdup(ctx, failure->fields[i].field);
		failure->fields[i].detail = rt_strdup(ctx, failure->fields[i].detail);
	}
}

static void release_arena(void *handle)
{
	rt_arena_free(handle);
}

struct rt_ctx rt_ctx_apart(struct rt_ctx *ctx)
{
	struct rt_ctx apart = *ctx;

	apart.arena = rt_arena_new();
	rt_on_release(ctx, release_arena, apart.arena);
	return apart;
}

struct rt_ctx rt_ctx_sooner(const struct rt_ctx *ctx, int kept_ms)
{
	struct rt_ctx sooner = *ctx;

	sooner.deadline_ms -= kept_ms;
	return sooner;
}

rt_status rt_ctx_join(struct rt_ctx *ctx, const struct rt_ctx *apart, rt_status status)
{
	if (status == RT_OK || ctx->failure.category != RT_OK)
		return status;
	ctx->failure = apart->failure;
	if (ctx->failure.category != RT_OK)
		keep_failure(ctx);
	return status;
}

rt_status rt_run_apart(
	struct rt_ctx *ctx, rt_status (*run)(struct rt_ctx *ctx, void *arg), void *arg)
{
	struct rt_ctx own = *ctx;
	rt_status status;

	own.arena = rt_arena_new();
	status = run(&own, arg);
	ctx->failure = own.failure;
	if (ctx->failure.category != RT_OK)
		keep_failure(ctx);
	rt_arena_free(own.arena);
	return status;
}

void rt_on_release(struct rt_ctx *ctx, void (*release)(void *handle), void *handle)
{
	rt_arena_on_reset(ctx->arena, release, handle);
}

void rt_random(void *bytes, size_t length)
{
	char *at = bytes;

	while (length > 0) {
		ssize_t got = getrandom(at, length, 0);

		if (got <= 0) {
			perror("getrandom");
			abort();
		}
		at += got;
		length -= (size_t)got;
	}
}
