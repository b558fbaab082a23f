#include "functions/lib/reports/reader.h"

#include <string.h>
#include <sys/wait.h>

#include "functions/lib/reports/report-wire.h"
#include "functions/lib/sandbox/conversation.h"

enum {
	HELPER_TRIES = 2, /* a helper that dies while it reads a mail is replaced once */
	TASK_BYTES_MAX = 64,
};

struct reading {
	struct rt_ctx *ctx;
	struct eds_report_task task;
	struct eds_report *items; /* array of EDS_REPORTS_MAX reports */
	size_t count;
	bool cut;
	int wait_status;
};

static enum eds_child_end take_report(struct reading *reading, struct eds_wire *payload)
{
	if (reading->count == EDS_REPORTS_MAX)
		return EDS_CHILD_FLOODED;
	if (!eds_get_report(reading->ctx, payload, &reading->items[reading->count]))
		return EDS_CHILD_LIED;
	reading->count++;
	return EDS_CHILD_GOES_ON;
}

static enum eds_child_end take_frame(
	struct reading *reading, uint32_t kind, struct eds_wire *payload)
{
	switch (kind) {
	case EDS_FRAME_REPORT:
		return take_report(reading, payload);
	case EDS_FRAME_REPORTS_DONE:
		return eds_get_reports_done(payload, &reading->cut) && reading->count > 0
			? EDS_CHILD_DONE
			: EDS_CHILD_LIED;
	default:
		return EDS_CHILD_LIED;
	}
}

static enum eds_child_end converse(struct reading *reading, int message_fd)
{
	struct eds_conversation conversation;
	enum eds_child_end end;

	reading->count = 0;
	if (!eds_conversation_open(&conversation, reading->ctx, EDS_HELPER_REPORT_READER))
		return EDS_CHILD_NO_HELPER;
	rt_buffer_init(&conversation.out, reading->ctx, TASK_BYTES_MAX);
	eds_put_report_task(&conversation.out, &reading->task);
	end = eds_conversation_start(&conversation, message_fd);
	while (end == EDS_CHILD_GOES_ON) {
		struct eds_wire payload;
		uint32_t kind;

		end = eds_conversation_hear(&conversation, &kind, &payload);
		if (end == EDS_CHILD_GOES_ON)
			end = take_frame(reading, kind, &payload);
	}
	return eds_conversation_close(&conversation, end, &reading->wait_status);
}

/* Adds the fault that ended the reading, in place of the report that was being read. */
static void add_fault(struct reading *reading, enum eds_child_end end)
{
	struct eds_report *report = &reading->items[reading->count];

	if (reading->count == EDS_REPORTS_MAX) {
		reading->cut = true;
		return;
	}
	reading->count++;
	*report = (struct eds_report){.file = "",
		.org = "",
		.email = "",
		.report_id = "",
		.domain = "",
		.version = "",
		.extra_contact = "",
		.generator = "",
		.policy = {"", "", "", "", "", "", "", "", -1}};
	switch (end) {
	case EDS_CHILD_HUNG:
		report->fault_code = "reader-hung";
		report->fault = "The program that reads reports stopped answering.";
		break;
	case EDS_CHILD_DEADLINE:
		report->fault_code = "out-of-time";
		report->fault = "The time for reading ran out before the end.";
		break;
	case EDS_CHILD_LIED:
	case EDS_CHILD_FLOODED:
		report->fault_code = "reader-lied";
		report->fault = "The program that reads reports gave an invalid answer.";
		break;
	default:
		report->fault_code = "reader-crashed";
		report->fault = "The program that reads reports ended before it was done.";
		break;
	}
}

static rt_status read_reports(struct rt_ctx *ctx, int message_fd,
	const struct eds_report_task *task, struct eds_reports *out)
{
	struct reading reading = {.ctx = ctx, .task = *task, .wait_status = -1};
	enum eds_child_end end = EDS_CHILD_NO_HELPER;

	*out = (struct eds_reports){.count = 0};
	reading.items = rt_alloc_array(ctx, EDS_REPORTS_MAX, sizeof *reading.items);
	for (int tries = 0; end == EDS_CHILD_NO_HELPER && tries < HELPER_TRIES; tries++)
		end = converse(&reading, message_fd);
	RT_TRY(eds_conversation_trouble(ctx, EDS_HELPER_REPORT_READER, end, "reading of reports"));
	if (end != EDS_CHILD_DONE)
		add_fault(&reading, end);
	*out = (struct eds_reports){.items = reading.items,
		.count = reading.count,
		.cut = reading.cut,
		.crash = end == EDS_CHILD_DIED && WIFSIGNALED(reading.wait_status)
			? rt_strdup(ctx, strsignal(WTERMSIG(reading.wait_status)))
			: ""};
	return RT_OK;
}

rt_status eds_report_read(
	struct rt_ctx *ctx, int message_fd, size_t message_bytes, struct eds_reports *out)
{
	const struct eds_report_task task = {.mail_bytes = message_bytes};

	return read_reports(ctx, message_fd, &task, out);
}

rt_status eds_report_read_tls(
	struct rt_ctx *ctx, int body_fd, size_t body_bytes, struct eds_reports *out)
{
	const struct eds_report_task task = {.mail_bytes = body_bytes, .tls_alone = true};

	return read_reports(ctx, body_fd, &task, out);
}

rt_status eds_report_read_file(
	struct rt_ctx *ctx, int file_fd, size_t file_bytes, unsigned skip, struct eds_reports *out)
{
	const struct eds_report_task task = {
		.mail_bytes = file_bytes, .of_file = true, .skip = skip};

	return read_reports(ctx, file_fd, &task, out);
}

void eds_report_reader_warm(void)
{
	eds_helper_prepare(EDS_HELPER_REPORT_READER);
}
