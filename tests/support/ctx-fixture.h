/* A context for unit tests: a cmocka group uses ctx_setup and ctx_teardown for each test and finds
 * the context in *state. */
#ifndef TEST_CTX_FIXTURE_H
#define TEST_CTX_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "runtime/json.h"

static inline int ctx_setup(void **state)
{
	struct rt_ctx *ctx = calloc(1, sizeof *ctx);

	if (ctx == NULL)
		return -1;
	ctx->arena = rt_arena_new();
	ctx->function = "test";
	ctx->request_id = "test-request";
	ctx->deadline_ms = rt_monotonic_ms() + 30000;
	rt_json_use_arena(ctx->arena);
	*state = ctx;
	return 0;
}

static inline int ctx_teardown(void **state)
{
	struct rt_ctx *ctx = *state;

	rt_json_use_arena(NULL);
	rt_arena_free(ctx->arena);
	free(ctx);
	return 0;
}

#define ctx_test(test) cmocka_unit_test_setup_teardown(test, ctx_setup, ctx_teardown)

#endif
