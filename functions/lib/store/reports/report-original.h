/* The original mails of reports, for owners who want to see what a report really said. The mails
 * are kept for 30 days. Mails larger than EDS_ORIGINAL_BYTES_MAX are not kept, nor are mails with
 * which a domain would exceed its maximum number of octets a day. */
#ifndef EDS_STORE_REPORT_ORIGINAL_H
#define EDS_STORE_REPORT_ORIGINAL_H

#include "functions/lib/store/reports/report.h"
#include "functions/lib/store/transaction.h"

#define EDS_ORIGINAL_KEPT_MS (INT64_C(30) * 24 * 3600 * 1000)

enum {
	EDS_ORIGINAL_BYTES_MAX = 1024 * 1024,
	/* maximum number of octets per domain and day, for mails from reporters that count
	 * (report-add.h) */
	EDS_ORIGINALS_DAY_BYTES = 8 * 1024 * 1024,
	/* maximum number of octets per domain and day, for mails from reporters that do not
	 * count */
	EDS_OTHER_ORIGINALS_DAY_BYTES = 1024 * 1024,
};

/* Stores the original mail of the line, within the transaction that adds the line. Does nothing for
 * a line without a mail, or when the daily limit would be exceeded. */
RT_MUST_USE rt_status eds_store_report_original_add(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_line *line);

/* Reads the original mail of a report. RT_NOT_FOUND "original-not-found" when there is no such
 * report, or its mail is not stored. */
RT_MUST_USE rt_status eds_store_report_original_get(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *report_id, const char **bytes, size_t *length);

/* Removes mails that were kept for 30 days, EDS_REPORTS_EXPIRE_BATCH at most; *removed is their
 * number. */
RT_MUST_USE rt_status eds_store_report_originals_expire(
	struct rt_ctx *ctx, struct eds_store *store, size_t *removed);

#endif
