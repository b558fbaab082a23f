/* The rows of one report: equal records become one row, and the rows with the most messages are
 * kept. Memory does not grow with the report: when the room is used up, the rows with the most
 * messages stay, as many as fit into half of it. The others are removed and added to the sum of
 * other rows (a removed row that comes again begins at zero). So the messages of the rows and of
 * the sum of other rows always add up to the messages of the report. */
#ifndef EDS_REPORTS_ROWS_H
#define EDS_REPORTS_ROWS_H

#include "functions/lib/reports/report.h"
#include "runtime/ctx.h"
#include "runtime/keyed-hash.h"

struct eds_rows;

/* Allocates the table of rows from ctx, with bounded size. key: for the hash tables; a new key is
 * used for each report. */
struct eds_rows *eds_rows_new(struct rt_ctx *ctx, const struct rt_hash_key *key);

/* Adds one record, with the octets of its auth (row-auth.h); ignores row->auth. */
void eds_rows_add(struct eds_rows *rows, const struct eds_report_row *row, const char *auth,
	size_t auth_length);

/* Sets rows, auth_bytes and the counts of other rows in the report; the memory still belongs to
 * `rows`. */
void eds_rows_give(struct eds_rows *rows, struct eds_report *report);

#endif
