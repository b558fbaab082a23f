/* The answer of rspamd, or of another program at its address. */
#include <math.h>

#include "functions/tester/report/second-opinion-read.h"
#include "functions/tester/report/second-opinion.h"
#include "runtime/json-format.h"
#include "tests/fuzz/fuzz.h"

/* The form of an opinion when no answer could be read, or rspamd was not asked. */
static void show_without(struct rt_ctx *ctx)
{
	const struct second_opinion unread = {.asked = true, .failure = "did not answer"};
	const struct second_opinion unasked = {.asked = false};

	FUZZ_ASSERT(json_is_null(json_object_get(second_opinion_json(ctx, &unread), "score")));
	FUZZ_ASSERT(json_is_null(second_opinion_json(ctx, &unasked)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_ctx ctx = fuzz_begin();
	struct second_opinion opinion = {.asked = true};

	rt_json_use_arena(ctx.arena);
	if (second_opinion_read(&ctx, (const char *)data, size, &opinion)) {
		FUZZ_ASSERT(opinion.symbol_count <= OPINION_SYMBOLS_MAX);
		FUZZ_ASSERT(
			opinion.symbol_count == OPINION_SYMBOLS_MAX || opinion.other_symbols == 0);
		FUZZ_ASSERT(fabs(opinion.score) <= 1000000 &&
			strlen(opinion.action) <= OPINION_NAME_MAX);
		FUZZ_ASSERT(
			rt_json_format(&ctx, second_opinion_json(&ctx, &opinion), NULL) != NULL);
	} else {
		show_without(&ctx);
	}
	FUZZ_ASSERT(ctx.failure.category == RT_OK);
	rt_json_use_arena(NULL);
	fuzz_end(&ctx);
	return 0;
}
