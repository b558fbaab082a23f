/* For monitoring the service: finds out how late work is, and whether the database can be written
 * to. The jobs that do this work do not use these functions. */
#ifndef EDS_STORE_BACKLOG_H
#define EDS_STORE_BACKLOG_H

#include "functions/lib/store/store.h"

/* For each kind of work, how many seconds the longest due item without a lease has been due; 0 when
 * none is due. alert_mails_s also counts mails with a lease, and those that wait for their next
 * try. */
struct eds_backlog {
	int64_t selectors_s;
	int64_t mta_sts_s;
	int64_t posture_s;
	int64_t report_watch_s;
	int64_t uploads_s;     /* messages that arrived over HTTP and are not analyzed yet */
	int64_t webhooks_s;    /* deliveries to receivers */
	int64_t alert_mails_s; /* alert mails to be sent to the relay */
};

/* Reads all kinds in one statement, which finds the longest due item of each kind by a database
 * index. RT_TEMPORARY "store-unavailable". */
RT_MUST_USE rt_status eds_store_backlog(
	struct rt_ctx *ctx, struct eds_store *store, struct eds_backlog *backlog);

/* Changes no row, but fails when a change would fail: when the database is read-only, and, on
 * SQLite, when another program holds the lock for writing until the event's deadline. */
RT_MUST_USE rt_status eds_store_try_write(struct rt_ctx *ctx, struct eds_store *store);

#endif
