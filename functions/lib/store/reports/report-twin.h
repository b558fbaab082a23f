/* Finds the stored report that equals an uploaded report, whichever domain sent the stored
 * report. */
#ifndef EDS_STORE_REPORT_TWIN_H
#define EDS_STORE_REPORT_TWIN_H

#include "functions/lib/store/domains/domain.h"

struct eds_report_twin {
	const char *kind; /* all members mean the same as in struct eds_report_line */
	const char *organization;
	const char *reporter_id;
	int64_t begins_at_ms;
	int64_t ends_at_ms;
};

/* In the domain's log, finds a report that could be read, that comes from a verified reporter, and
 * that agrees in all members of `twin`. *reporter is the reporter of the found report; NULL if
 * there is no such report. */
RT_MUST_USE rt_status eds_store_report_twin(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_twin *twin, const char **reporter);

/* In the domain's log, finds an uploaded report that could be read and agrees in all members of
 * `twin`. *identity is the identity of the found report; NULL if there is no such report. */
RT_MUST_USE rt_status eds_store_report_upload_twin(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_twin *twin, const char **identity);

#endif
