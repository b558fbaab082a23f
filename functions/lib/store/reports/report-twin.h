/* The report that is the same as one that is handed in, whatever domain sent it. */
#ifndef EDS_STORE_REPORT_TWIN_H
#define EDS_STORE_REPORT_TWIN_H

#include "functions/lib/store/domains/domain.h"

struct eds_report_twin {
	const char *kind; /* as of a line */
	const char *organization;
	const char *reporter_id;
	int64_t begins_at_ms;
	int64_t ends_at_ms;
};

/* *reporter: of a line of the domain's log that was read, agrees in all of these and is of a
 * verified reporter; NULL without one. */
RT_MUST_USE rt_status eds_store_report_twin(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_twin *twin, const char **reporter);

/* *identity: of such a line that was handed in; NULL without one. */
RT_MUST_USE rt_status eds_store_report_upload_twin(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_twin *twin, const char **identity);

#endif
