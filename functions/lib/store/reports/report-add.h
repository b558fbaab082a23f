/* The parts of adding a line to a log of reports, within its transaction. Only the files of this
 * folder include it. */
#ifndef EDS_STORE_REPORT_ADD_H
#define EDS_STORE_REPORT_ADD_H

#include "functions/lib/store/reports/report.h"
#include "functions/lib/store/transaction.h"

enum {
	/* What a day may bring to one domain. Large senders get some hundred reports a day, of
	 * 10 KB each, from as many reporters. */
	EDS_REPORTER_DAY_REPORTS = 200, /* of one reporter that counts */
	EDS_REPORTER_DAY_BYTES = 8 * 1024 * 1024,
	EDS_REPORTERS_DAY_REPORTS = 1000, /* of all of these, and as many handed in */
	EDS_REPORTERS_DAY_BYTES = 32 * 1024 * 1024,
	EDS_OTHERS_DAY_REPORTS = 100, /* of all others together, so that they crowd out nobody */
	EDS_OTHERS_DAY_BYTES = 2 * 1024 * 1024,
};

/* Takes the line's part of the day's shares. *within is false when one of them is used up: then
 * nothing is taken. *share names it, for the log. */
RT_MUST_USE rt_status eds_store_report_charge(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_line *line, bool *within,
	const char **share);

/* Keeps what the report says, unless it is there, and the line's origin. */
RT_MUST_USE rt_status eds_store_report_origin_add(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_line *line);

/* What the body is found by, wherever the same comes again. */
char *eds_report_body_id(struct rt_ctx *ctx, const char *body);

/* *full: what reporters that do not count have sent today is as much as is kept of such, the log
 * says so, and no reporter is accepted without proof: whoever proves nothing need not be read. */
RT_MUST_USE rt_status eds_store_report_others_full(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_domain *domain, bool *full);

#endif
