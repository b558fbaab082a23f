/* The rows of a DMARC report, and its numbers, within the frame of a report (report-wire.h). */
#ifndef EDS_REPORTS_ROWS_WIRE_H
#define EDS_REPORTS_ROWS_WIRE_H

#include "functions/lib/reports/report.h"
#include "functions/lib/sandbox/wire.h"

/* A number of a report, at most 2^53 - 1 so that JSON can represent it. */
void eds_put_count(struct rt_buffer *out, uint64_t count);
uint64_t eds_get_number(struct eds_wire *wire);

void eds_put_rows(struct rt_buffer *out, const struct eds_report *report);
/* Reads rows and numbers. Marks the frame as bad when no intact child would send them: for example,
 * when the messages of the rows do not add up to those of the report. */
void eds_get_rows(struct rt_ctx *ctx, struct eds_wire *wire, struct eds_report *report);

#endif
