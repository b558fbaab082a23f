/* The rows of one report: records that agree are one row, and those with the most messages are
 * kept. Memory does not grow with the report: when the room is used up the lighter half goes,
 * summed (a row that comes again then begins anew), so that the messages of all rows and of the
 * others are always those of the report. */
#ifndef EDS_REPORTS_ROWS_H
#define EDS_REPORTS_ROWS_H

#include "functions/lib/reports/report.h"
#include "runtime/ctx.h"
#include "runtime/keyed-hash.h"

struct eds_rows;

/* In the memory of ctx, whose size it bounds. The key is of this report. */
struct eds_rows *eds_rows_new(struct rt_ctx *ctx, const struct rt_hash_key *key);

/* One record, with the octets of its auth (row-auth.h); its index of auths is not looked at. */
void eds_rows_add(struct eds_rows *rows, const struct eds_report_row *row, const char *auth,
	size_t auth_length);

/* Sets rows, auth_bytes and what is counted of the others, to what rows owns. */
void eds_rows_give(struct eds_rows *rows, struct eds_report *report);

#endif
