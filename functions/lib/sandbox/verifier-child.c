#include <unistd.h>

#include "functions/lib/sandbox/protocol-result.h"
#include "functions/lib/sandbox/protocol-shape.h"
#include "functions/lib/sandbox/verifier-child.h"
#include "functions/lib/sandbox/verifier-lookup.h"
#include "functions/lib/sandbox/verifier.h"

struct outlet {
	struct rt_ctx *ctx;
	int data;
	unsigned last; /* the last stage; its result and DONE are sent together */
};

static void outlet_open(struct rt_buffer *out, const struct outlet *outlet)
{
	rt_buffer_init(out, outlet->ctx, EDS_FRAME_BYTES_MAX + EDS_FRAME_HEADER_BYTES);
}

static void report_spf(void *arg, enum eds_frame_kind kind, const struct eds_spf_result *result)
{
	struct outlet *outlet = arg;
	struct rt_buffer out;

	outlet_open(&out, outlet);
	eds_put_spf(&out, kind, result);
	eds_child_write(outlet->data, &out);
}

static void report_dkim(void *arg, const struct eds_dkim_result *result)
{
	struct outlet *outlet = arg;
	struct rt_buffer out;

	outlet_open(&out, outlet);
	eds_put_dkim(&out, result);
	if (outlet->last == EDS_STAGE_DKIM)
		eds_put_done(&out);
	eds_child_write(outlet->data, &out);
}

static void report_shape(void *arg, const struct eds_shape *shape)
{
	struct outlet *outlet = arg;
	struct rt_buffer out;

	outlet_open(&out, outlet);
	eds_put_shape(&out, shape);
	eds_put_done(&out);
	eds_child_write(outlet->data, &out);
}

static bool read_task(
	struct rt_ctx *ctx, struct eds_frame_reader *reader, struct eds_verify_task *task)
{
	struct eds_wire payload;
	uint32_t kind;

	return eds_frame_read(reader, &kind, &payload) == EDS_FRAME_WHOLE &&
		kind == EDS_FRAME_INPUT && eds_get_task(ctx, &payload, task);
}

void eds_verifier_child(int data, const char *message, size_t length)
{
	struct rt_ctx ctx = {.arena = rt_arena_new(), .function = "verifier", .request_id = ""};
	struct outlet outlet = {.ctx = &ctx, .data = data};
	struct eds_verifier_report report = {
		.spf = report_spf, .dkim = report_dkim, .shape = report_shape, .arg = &outlet};
	struct eds_frame_reader reader;
	struct eds_verifier_lookup *lookup;
	struct eds_lookup view;
	struct eds_verify_task task;

	eds_frame_reader_init(&reader, &ctx, data);
	lookup = eds_verifier_lookup_new(&ctx, &reader);
	if (!read_task(&ctx, &reader, &task) || !eds_verifier_lookup_ahead(lookup, task.answers))
		_exit(EDS_CHILD_EXIT_ALONE);
	outlet.last = task.stages & EDS_STAGE_SHAPE ? EDS_STAGE_SHAPE : EDS_STAGE_DKIM;
	ctx.deadline_ms = task.deadline_ms;
	/* reads only the message, because the file may be longer */
	if ((uint64_t)task.message_bytes < length)
		length = (size_t)task.message_bytes;
	view = eds_verifier_lookup_view(lookup);
	eds_verifier_run(&ctx, &view, &task, message, length, &report);
}
