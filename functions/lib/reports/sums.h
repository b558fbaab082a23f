/* Sums the rows and signatures of one report as they come, so that memory does not grow with the
 * report. Elements past the caps of report.h are counted separately. */
#ifndef EDS_REPORTS_SUMS_H
#define EDS_REPORTS_SUMS_H

#include "functions/lib/reports/report.h"
#include "runtime/ctx.h"

struct eds_sums;

/* Allocates the sums from ctx, with bounded size. */
struct eds_sums *eds_sums_new(struct rt_ctx *ctx);

/* Adds one record, with its class and the octets of its auth (row-auth.h). */
void eds_sums_row(
	struct eds_sums *sums, const struct eds_report_row *row, const char *auth, size_t length);
/* Adds one dkim element; copies domain and selector. */
void eds_sums_signature(struct eds_sums *sums, const char *domain, const char *selector,
	enum eds_report_dkim_result result, uint64_t messages);

bool eds_sums_has_records(const struct eds_sums *sums);

/* Sets records, rows and signatures of the report; the memory still belongs to `sums`. */
void eds_sums_give(const struct eds_sums *sums, struct eds_report *report);

/* a + b, capped at the greatest number in a result (2^53 - 1, so that JSON can represent it). */
uint64_t eds_sum(uint64_t a, uint64_t b);

#endif
