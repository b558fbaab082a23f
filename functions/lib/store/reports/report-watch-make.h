/* Makes the row of a watched domain, within the transaction that adds a report. Only the files of
 * this folder include this header. */
#ifndef EDS_STORE_REPORT_WATCH_MAKE_H
#define EDS_STORE_REPORT_WATCH_MAKE_H

#include "functions/lib/store/transaction.h"

/* Makes the domain's row in report_watch, so that its daily examination (report-watch.h) is due at
 * once. Does nothing if the domain already has a row. */
RT_MUST_USE rt_status eds_store_report_watch_make(
	struct rt_ctx *ctx, struct eds_store *store, const char *domain_id);

#endif
