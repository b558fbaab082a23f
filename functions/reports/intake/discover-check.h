/* Checks discovered selectors in DNS. */
#ifndef EDS_REPORTS_DISCOVER_CHECK_H
#define EDS_REPORTS_DISCOVER_CHECK_H

#include "functions/reports/intake/discover.h"

/* Decides which selectors of all items of a delivery are new, and checks the new selectors in DNS
 * at once, *lookups of them at most. Reduces *lookups by the number of checks made. */
RT_MUST_USE rt_status report_check_new(struct rt_ctx *ctx, struct eds_store *store,
	struct eds_report_item *items, size_t count, size_t *lookups);

#endif
