/* The rows and signatures of one report, summed as they come, so that memory does not grow with the
 * report. What falls over the caps of report.h is counted apart. */
#ifndef EDS_REPORTS_SUMS_H
#define EDS_REPORTS_SUMS_H

#include "functions/lib/reports/report.h"
#include "runtime/ctx.h"

struct eds_sums;

/* In the memory of ctx, whose size it bounds. */
struct eds_sums *eds_sums_new(struct rt_ctx *ctx);

/* One record, with its class and the octets of its auth (row-auth.h). */
void eds_sums_row(
	struct eds_sums *sums, const struct eds_report_row *row, const char *auth, size_t length);
/* One dkim element; domain and selector are copied. */
void eds_sums_signature(struct eds_sums *sums, const char *domain, const char *selector,
	enum eds_report_dkim_result result, uint64_t messages);

bool eds_sums_has_records(const struct eds_sums *sums);

/* Sets records, rows and signatures of the report, to what the sums own. */
void eds_sums_give(const struct eds_sums *sums, struct eds_report *report);

/* a + b, or the greatest number there is in a result (2^53 - 1, so that JSON can say it). */
uint64_t eds_sum(uint64_t a, uint64_t b);

#endif
