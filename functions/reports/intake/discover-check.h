/* What DNS says of the selectors that reports make known. */
#ifndef EDS_REPORTS_DISCOVER_CHECK_H
#define EDS_REPORTS_DISCOVER_CHECK_H

#include "functions/reports/intake/discover.h"

/* Plans for all items of a mail, and checks in DNS at once what is new, of *lookups at most, which
 * it takes off. */
RT_MUST_USE rt_status report_check_new(struct rt_ctx *ctx, struct eds_store *store,
	struct eds_report_item *items, size_t count, size_t *lookups);

#endif
