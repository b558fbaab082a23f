/* Code shared by the fuzz targets: each input gets an event of its own. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <string.h>

#include "runtime/ctx.h"
#include "runtime/time.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline struct rt_ctx fuzz_begin(void)
{
	return (struct rt_ctx){.arena = rt_arena_new(),
		.function = "fuzz",
		.request_id = "fuzz",
		.deadline_ms = rt_monotonic_ms() + 10000};
}

static inline void fuzz_end(struct rt_ctx *ctx)
{
	rt_arena_free(ctx->arena);
}

/* A property that must hold for every input. */
#define FUZZ_ASSERT(condition)                                                                     \
	do {                                                                                       \
		if (!(condition))                                                                  \
			__builtin_trap();                                                          \
	} while (0)

#endif
