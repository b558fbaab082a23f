/* The payload of a report frame from a child that was taken over. An accepted report must be valid,
 * and must be the same after it is written and read again. */
#include "tests/fuzz/fuzz_report.h"

static enum eds_report_fault fault_of(const struct eds_report *report)
{
	unsigned fault = EDS_FAULT_NONE;

	while (report->fault_code != eds_report_fault_code((enum eds_report_fault)fault))
		fault++;
	return (enum eds_report_fault)fault;
}

/* Repaired text may exceed its maximum, and is then cut. */
static void write_again(struct rt_ctx *ctx, const struct eds_report *report)
{
	struct rt_buffer out;
	struct eds_report again;
	struct eds_wire wire;

	rt_buffer_init(&out, ctx, EDS_FRAME_BYTES_MAX + EDS_FRAME_HEADER_BYTES);
	eds_put_report(&out, report, fault_of(report));
	FUZZ_ASSERT(!out.overflow);
	wire = (struct eds_wire){
		.at = out.bytes + EDS_FRAME_HEADER_BYTES, .end = out.bytes + out.length};
	FUZZ_ASSERT(eds_get_report(ctx, &wire, &again));
	FUZZ_ASSERT(again.messages == report->messages);
	FUZZ_ASSERT(again.signature_count == report->signature_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_ctx ctx = fuzz_begin();
	struct eds_wire wire = {.at = (const char *)data, .end = (const char *)data + size};
	struct eds_wire done = wire;
	struct eds_wire told = wire;
	struct eds_report_task task;
	struct eds_report report;
	bool cut;

	if (eds_get_report(&ctx, &wire, &report)) {
		require_sound(&report);
		write_again(&ctx, &report);
	}
	FUZZ_ASSERT(!eds_get_reports_done(&done, &cut) || size == 1);
	FUZZ_ASSERT(!eds_get_report_task(&told, &task) || task.mail_bytes >> 53 == 0);
	fuzz_end(&ctx);
	return 0;
}
