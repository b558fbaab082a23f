/* Code shared by the fuzz targets of the report reader: for any input, the result must pass the
 * checks of the parent. */
#ifndef TESTS_FUZZ_REPORT_H
#define TESTS_FUZZ_REPORT_H

#include "functions/lib/reports/intake.h"
#include "functions/lib/reports/report-wire.h"
#include "runtime/text/utf8.h"
#include "tests/fuzz/fuzz.h"

static inline void require_shown(const char *text)
{
	size_t length = strlen(text);

	for (size_t i = 0, octets; i < length; i += octets) {
		octets = rt_utf8_length(text + i, length - i);
		FUZZ_ASSERT(octets > 0);
	}
}

static inline void require_sound(const struct eds_report *report)
{
	uint64_t messages = report->messages_of_other_rows;

	require_shown(report->org);
	require_shown(report->file);
	FUZZ_ASSERT((report->fault == NULL) == (report->fault_code == NULL));
	FUZZ_ASSERT(report->fault != NULL || report->domain[0] != '\0');
	FUZZ_ASSERT(report->row_count <= EDS_REPORT_ROWS_MAX);
	FUZZ_ASSERT(report->signature_count <= EDS_REPORT_SIGNATURES_MAX);
	for (size_t i = 0; i < report->row_count; i++)
		messages += report->rows[i].messages;
	FUZZ_ASSERT(messages == report->messages);
	for (size_t i = 0; i < report->signature_count; i++)
		require_shown(report->signatures[i].selector);
	for (size_t i = 0; i < report->tls_failure_count; i++)
		FUZZ_ASSERT(report->tls_failures[i].policy < report->tls_policy_count);
}

/* Checks a report that the reader gives to its callback; arg is the event's context. */
static inline void check_report(
	void *arg, const struct eds_report *report, enum eds_report_fault fault)
{
	struct rt_buffer out;
	struct eds_report again;
	struct eds_wire wire;

	rt_buffer_init(&out, arg, EDS_FRAME_BYTES_MAX + EDS_FRAME_HEADER_BYTES);
	eds_put_report(&out, report, fault);
	FUZZ_ASSERT(!out.overflow);
	wire = (struct eds_wire){
		.at = out.bytes + EDS_FRAME_HEADER_BYTES, .end = out.bytes + out.length};
	FUZZ_ASSERT(eds_get_report(arg, &wire, &again));
	require_sound(&again);
}

#endif
