#include "functions/lib/reports/reader-child.h"

#include <unistd.h>

#include "functions/lib/reports/intake.h"
#include "functions/lib/reports/report-wire.h"
#include "functions/lib/sandbox/serve.h"

enum {
	ROOM_OF_ROW = 40, /* octets of a row on the wire, rounded up */
	ROOM_BESIDE_ROWS = 2048,
};

struct outlet {
	struct rt_ctx ctx;
	int data;
};

static void outlet_open(struct rt_buffer *out, struct outlet *outlet)
{
	rt_buffer_init(out, &outlet->ctx, EDS_FRAME_BYTES_MAX + EDS_FRAME_HEADER_BYTES);
}

/* Reserves the memory for all rows at once, because a buffer that grows by doubling touches twice
 * the memory, and the first access to each page takes time. */
static void make_room(struct rt_buffer *out, const struct eds_report *report)
{
	size_t octets = ROOM_BESIDE_ROWS + report->row_count * ROOM_OF_ROW;

	for (size_t i = 0; i < report->auth_count && report->auth_bytes != NULL; i++)
		octets += report->auth_bytes[i].length;
	if (octets <= out->max)
		rt_buffer_room(out, octets);
}

static void send_report(void *arg, const struct eds_report *report, enum eds_report_fault fault)
{
	struct outlet *outlet = arg;
	struct rt_buffer out;

	outlet_open(&out, outlet);
	make_room(&out, report);
	eds_put_report(&out, report, fault);
	eds_child_write(outlet->data, &out);
	rt_arena_reset(outlet->ctx.arena);
}

static bool read_task(struct rt_ctx *ctx, int data, struct eds_report_task *task)
{
	struct eds_frame_reader reader;
	struct eds_wire payload;
	uint32_t kind;

	eds_frame_reader_init(&reader, ctx, data);
	return eds_frame_read(&reader, &kind, &payload) == EDS_FRAME_WHOLE &&
		kind == EDS_FRAME_REPORT_TASK && eds_get_report_task(&payload, task);
}

static void tell_reports(
	struct outlet *outlet, const char *mail, size_t length, const struct eds_report_task *task)
{
	struct eds_intake intake = {.report = send_report,
		.arg = outlet,
		.tls_alone = task->tls_alone,
		.of_file = task->of_file,
		.skip = task->skip};
	struct rt_buffer out;

	eds_intake_mail(&intake, mail, length);
	outlet_open(&out, outlet);
	eds_put_reports_done(&out, intake.cut);
	eds_child_write(outlet->data, &out);
}

void eds_report_reader_child(int data, const char *mail, size_t length)
{
	struct outlet outlet = {.ctx = {.arena = rt_arena_new()}, .data = data};
	struct eds_report_task task;

	if (!read_task(&outlet.ctx, data, &task))
		_exit(EDS_CHILD_EXIT_ALONE);
	if (task.mail_bytes < length)
		length = task.mail_bytes;
	tell_reports(&outlet, mail, length, &task);
}
