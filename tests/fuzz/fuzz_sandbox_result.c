/* Data from a hostile child: the first byte chooses the kind of frame, the rest is its payload, or
 * the bytes of a whole stream of frames. An accepted result must be valid: shown text is UTF-8,
 * counts are within their arrays, and the result is the same after it is written and read again. */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "functions/lib/sandbox/protocol-result.h"
#include "functions/lib/sandbox/protocol.h"
#include "runtime/text/utf8.h"

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

static struct rt_buffer output(struct rt_ctx *ctx)
{
	struct rt_buffer out;

	rt_buffer_init(&out, ctx, EDS_FRAME_BYTES_MAX);
	return out;
}

/* The payload of the only frame in out. */
static struct eds_wire written(const struct rt_buffer *out)
{
	require(!out->overflow);
	return (struct eds_wire){
		.at = out->bytes + EDS_FRAME_HEADER_BYTES, .end = out->bytes + out->length};
}

static void write_spf(struct rt_ctx *ctx, const struct eds_spf_result *spf)
{
	struct rt_buffer out = output(ctx);
	struct eds_spf_result again;
	struct eds_wire wire;

	eds_put_spf(&out, EDS_FRAME_SPF, spf);
	wire = written(&out);
	require(eds_get_spf(ctx, &wire, &again) && again.code == spf->code);
	require(strcmp(again.record, spf->record) == 0 && again.tree_count == spf->tree_count);
}

static void write_dkim(struct rt_ctx *ctx, const struct eds_dkim_result *dkim)
{
	struct rt_buffer out = output(ctx);
	struct eds_dkim_result again;
	struct eds_wire wire;

	eds_put_dkim(&out, dkim);
	wire = written(&out);
	require(eds_get_dkim(ctx, &wire, &again) && again.count == dkim->count);
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
	write_spf(ctx, &spf);
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
	write_dkim(ctx, &dkim);
}

static void read_question(struct rt_ctx *ctx, struct eds_wire *wire)
{
	struct eds_question question;

	if (eds_get_question(ctx, wire, &question))
		require(strlen(question.name) <= EDS_DNS_NAME_MAX);
}

/* Reads the input as a stream of frames from a socket, into which all of it was written before. */
static void read_frames(struct rt_ctx *ctx, const uint8_t *data, size_t size)
{
	struct eds_frame_reader reader;
	struct eds_wire payload;
	uint32_t kind;
	int pair[2];

	require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) == 0);
	if (write(pair[0], data, size) == (ssize_t)size) {
		eds_frame_reader_init(&reader, ctx, pair[1]);
		if (size % 2 == 0)
			shutdown(pair[0], SHUT_WR);
		while (eds_frame_read(&reader, &kind, &payload) == EDS_FRAME_WHOLE)
			require(payload.end >= payload.at);
		require(eds_frame_reader_holds_more(&reader) == (reader.length > reader.start));
	}
	close(pair[0]);
	close(pair[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_ctx ctx = {.arena = rt_arena_new()};
	struct eds_wire wire;

	if (size > 0) {
		wire = (struct eds_wire){
			.at = (const char *)data + 1, .end = (const char *)data + size};
		if (data[0] == 255)
			read_frames(&ctx, data + 1, size - 1);
		else if (data[0] % 3 == 0)
			read_spf(&ctx, &wire);
		else if (data[0] % 3 == 1)
			read_dkim(&ctx, &wire);
		else
			read_question(&ctx, &wire);
	}
	rt_arena_free(ctx.arena);
	return 0;
}
