/* Work that is late: for who watches the service, not for who does the work. */
#ifndef EDS_STORE_BACKLOG_H
#define EDS_STORE_BACKLOG_H

#include "functions/lib/store/store.h"

/* Seconds since the longest due of each kind fell due and nobody claimed it; 0 where none is due.
 */
struct eds_backlog {
	int64_t selectors_s;
	int64_t mta_sts_s;
	int64_t posture_s;
	int64_t report_watch_s;
	int64_t uploads_s;     /* messages that came over HTTP and were not analysed */
	int64_t webhooks_s;    /* what is to be told to receivers */
	int64_t alert_mails_s; /* mails of alerts, which the relay is to take */
};

/* One statement, each kind by its index. RT_TEMPORARY "store-unavailable". */
RT_MUST_USE rt_status eds_store_backlog(
	struct rt_ctx *ctx, struct eds_store *store, struct eds_backlog *backlog);

#endif
