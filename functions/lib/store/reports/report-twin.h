/* Finds the report that equals an uploaded one, whichever domain sent it. */
#ifndef EDS_STORE_REPORT_TWIN_H
#define EDS_STORE_REPORT_TWIN_H

#include "functions/lib/store/domains/domain.h"

struct eds_report_twin {
	const char *kind; /* as in struct eds_report_line */
	const char *organization;
	const char *reporter_id;
	int64_t begins_at_ms;
	int64_t ends_at_ms;
};

/* *reporter: the verified reporter of a line that was read, is in the domain's log and agrees in
 * all these members; NULL if there is none. */
RT_MUST_USE rt_status eds_store_report_twin(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_twin *twin, const char **reporter);

/* *identity: the identity of an uploaded line that agrees in the same way; NULL without one. */
RT_MUST_USE rt_status eds_store_report_upload_twin(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_twin *twin, const char **identity);

#endif
