/* The steps of adding a line (one report) to a domain's log of reports. Within the transaction that
 * adds the line, eds_store_report_charge() and eds_store_report_origin_add() are called; before it,
 * the other functions. */
#ifndef EDS_STORE_REPORT_ADD_H
#define EDS_STORE_REPORT_ADD_H

#include "functions/lib/store/reports/report.h"
#include "functions/lib/store/transaction.h"

enum {
	/* Daily limits per domain, called shares. A domain that sends much mail gets a few hundred
	 * reports a day, of 10 KB each, from nearly as many reporters. A reporter "counts" when the
	 * domain's owner has accepted the reporter, or when the reporter is verified and the owner
	 * has not blocked it. */
	EDS_REPORTER_DAY_REPORTS = 200, /* reports of one reporter that counts */
	EDS_REPORTER_DAY_BYTES = 8 * 1024 * 1024,
	EDS_REPORTERS_DAY_REPORTS = 1000, /* reports of all reporters that count; uploads have a
					   * share of the same size */
	EDS_REPORTERS_DAY_BYTES = 32 * 1024 * 1024,
	EDS_OTHERS_DAY_REPORTS = 100, /* reports of all other reporters together, who cannot use up
				       * the share of those that count */
	EDS_OTHERS_DAY_BYTES = 2 * 1024 * 1024,
};

/* Counts the line's report towards those of the daily limits above that apply to it, one after
 * another. When the report would exceed a limit, *within is false, *share names that limit for the
 * log, and the report is not counted towards this limit or those after it. */
RT_MUST_USE rt_status eds_store_report_charge(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_line *line, bool *within,
	const char **share);

/* Stores the report's body, unless it is stored already, the line's origin, and its original mail
 * (report-original.h). */
RT_MUST_USE rt_status eds_store_report_origin_add(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_line *line);

/* The id under which a body is stored: equal bodies have the same id. */
char *eds_report_body_id(struct rt_ctx *ctx, const char *body);

/* Sets *full to whether three conditions are met: today's share of the reporters that do not count
 * is used up, the log has the line that says so, and the owner has accepted no reporter. Then a
 * report whose sender is not verified need not be read. */
RT_MUST_USE rt_status eds_store_report_others_full(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_domain *domain, bool *full);

#endif
