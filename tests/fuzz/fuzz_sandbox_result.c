/* What a hostile child may send: the first byte chooses the kind of frame, the rest is its payload.
 * What is taken must be sound: shown text is UTF-8, counts are within their arrays. */
#include <stdlib.h>
#include <string.h>

#include "functions/lib/sandbox/protocol.h"
#include "runtime/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void require_shown(const char *text)
{
	size_t length = strlen(text);

	for (size_t i = 0, octets; i < length; i += octets) {
		octets = rt_utf8_length(text + i, length - i);
		require(octets > 0);
	}
}

static void read_spf(struct rt_ctx *ctx, struct eds_wire *wire)
{
	struct eds_spf_result spf;

	if (!eds_get_spf(ctx, wire, &spf))
		return;
	require(spf.tree_count <= EDS_SPF_TREE_MAX && spf.code <= EDS_SPF_PERMERROR);
	require(spf.code != EDS_SPF_PASS || spf.domain[0] != '\0');
	require_shown(spf.record);
	for (size_t i = 0; i < spf.tree_count; i++)
		require_shown(spf.tree[i].record);
}

static void read_dkim(struct rt_ctx *ctx, struct eds_wire *wire)
{
	struct eds_dkim_result dkim;

	if (!eds_get_dkim(ctx, wire, &dkim))
		return;
	require(dkim.count <= EDS_DKIM_SIGNATURES_MAX && dkim.count <= dkim.total);
	for (size_t i = 0; i < dkim.count; i++) {
		require(dkim.signatures[i].errors.count <= EDS_FINDINGS_MAX);
		require(dkim.signatures[i].warnings.count <= EDS_FINDINGS_MAX);
		require_shown(dkim.signatures[i].domain);
		for (size_t j = 0; j < dkim.signatures[i].errors.count; j++)
			require_shown(dkim.signatures[i].errors.items[j].message);
	}
}

static void read_question(struct rt_ctx *ctx, struct eds_wire *wire)
{
	struct eds_question question;

	if (eds_get_question(ctx, wire, &question))
		require(strlen(question.name) <= EDS_DNS_NAME_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_ctx ctx = {.arena = rt_arena_new()};
	struct eds_wire wire;

	if (size > 0) {
		wire = (struct eds_wire){
			.at = (const char *)data + 1, .end = (const char *)data + size};
		if (data[0] % 3 == 0)
			read_spf(&ctx, &wire);
		else if (data[0] % 3 == 1)
			read_dkim(&ctx, &wire);
		else
			read_question(&ctx, &wire);
	}
	rt_arena_free(ctx.arena);
	return 0;
}
