/* The frames between this process and the child that reads a mail (functions/lib/sandbox/wire.h).
 *
 *     parent                  child
 *     TASK  size of the mail, and what to read in it
 *                             REPORT  one report, as soon as it is read, or its fault
 *                             DONE    whether there are more reports
 *
 * The child has read hostile bytes and may send anything: a decoder returns false for everything
 * that an intact child would not send.
 */
#ifndef EDS_REPORT_WIRE_H
#define EDS_REPORT_WIRE_H

#include "functions/lib/reports/report-fault.h"
#include "functions/lib/sandbox/wire.h"

enum eds_report_frame {
	EDS_FRAME_REPORT_TASK = 1,
	EDS_FRAME_REPORT,
	EDS_FRAME_REPORTS_DONE,
};

/* What the child is to read: the first mail_bytes octets of the message. The other members have the
 * meaning that they have in struct eds_intake. */
struct eds_report_task {
	size_t mail_bytes;
	bool tls_alone;
	bool of_file;
	unsigned skip;
};

void eds_put_report_task(struct rt_buffer *out, const struct eds_report_task *task);
void eds_put_report(
	struct rt_buffer *out, const struct eds_report *report, enum eds_report_fault fault);
void eds_put_reports_done(struct rt_buffer *out, bool cut);

RT_MUST_USE bool eds_get_report_task(struct eds_wire *wire, struct eds_report_task *task);
/* Reads a report, repairs its texts and sorts its signatures; ctx owns the result. */
RT_MUST_USE bool eds_get_report(
	struct rt_ctx *ctx, struct eds_wire *wire, struct eds_report *report);
RT_MUST_USE bool eds_get_reports_done(struct eds_wire *wire, bool *cut);

#endif
