/* Checks discovered selectors in DNS. */
#ifndef EDS_REPORTS_DISCOVER_CHECK_H
#define EDS_REPORTS_DISCOVER_CHECK_H

#include "functions/reports/intake/discover.h"

/* Plans the selectors of all items of a mail, and checks the new ones in DNS at once: at most
 * *lookups of them, which it reduces by the number of checks. */
RT_MUST_USE rt_status report_check_new(struct rt_ctx *ctx, struct eds_store *store,
	struct eds_report_item *items, size_t count, size_t *lookups);

#endif
