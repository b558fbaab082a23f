/* Any octets as an SPF record. The terms of a valid record, written again, must give the same
 * record. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "functions/lib/spf/spf-record.h"
#include "runtime/buffer.h"

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void read_again(struct rt_ctx *ctx, const struct eds_spf_record *record)
{
	struct eds_spf_record again;
	struct rt_buffer text;

	rt_buffer_init(&text, ctx, EDS_SPF_RECORD_MAX);
	rt_buffer_text(&text, "v=spf1");
	for (size_t i = 0; i < record->count; i++) {
		rt_buffer_text(&text, " ");
		rt_buffer_text(&text, record->terms[i].text);
	}
	require(!text.overflow);
	require(eds_spf_record_parse(ctx, text.bytes, text.length, &again));
	require(again.count == record->count);
	for (size_t i = 0; i < again.count; i++) {
		require(strcmp(again.terms[i].text, record->terms[i].text) == 0);
		require(strcmp(again.terms[i].target, record->terms[i].target) == 0);
		require(again.terms[i].kind == record->terms[i].kind);
		require(again.terms[i].prefix4 <= 32 && again.terms[i].prefix6 <= 128);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_ctx ctx = {.arena = rt_arena_new()};
	struct eds_spf_record record;
	char *text = rt_memdup(&ctx, data, size);

	if (eds_spf_record_parse(&ctx, text, size, &record))
		read_again(&ctx, &record);
	else
		require(record.count == 0);
	rt_arena_free(ctx.arena);
	return 0;
}
