/* The log of reports: reads its lines (one for each report), and sums TLS reports. */
#ifndef EDS_STORE_REPORT_READ_H
#define EDS_STORE_REPORT_READ_H

#include "functions/lib/store/reports/report.h"

/* Lists lines, newest first, without selectors, detail, outcomes and body. Reads only lines of this
 * domain, which has about twice EDS_REPORTS_DOMAIN_MAX lines at most. */
RT_MUST_USE rt_status eds_store_report_list(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_query *wanted,
	struct eds_report_line **lines, size_t *count);

/* Reads one line. RT_NOT_FOUND "report-not-found". */
RT_MUST_USE rt_status eds_store_report_get(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *id, struct eds_report_line *line);

RT_MUST_USE rt_status eds_store_tls_sums(struct rt_ctx *ctx, struct eds_store *store,
	const char *domain_id, int64_t since_ms, struct eds_tls_sums *sums);

#endif
