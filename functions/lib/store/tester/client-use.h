/* Hourly limits of clients without an account, counted by address. Each use takes its part of an
 * hour, and uses become available again one by one. The /48 around an IPv6 client has two shares.
 */
#ifndef EDS_STORE_CLIENT_USE_H
#define EDS_STORE_CLIENT_USE_H

#include "functions/lib/store/store.h"

enum eds_client_use {
	EDS_CLIENT_REANALYSIS, /* a reanalysis of a test message */
	EDS_CLIENT_CHECK,      /* a check of a domain */
	EDS_CLIENT_UPLOAD,     /* an upload of a test message over HTTP */
	/* a new test address: only counted for the /48; those of a client are counted by its
	 * sessions */
	EDS_CLIENT_SESSION,
	EDS_CLIENT_REPORT, /* a posted report about one domain */
};

/* Counts one use by the client (counted-client.h); per_hour 0: no limit. RT_LIMIT
 * "too-many-reanalyses", "too-many-checks", "too-many-messages" or "too-many-sessions"
 * (retry_after_s set) when the client's share is used up. */
RT_MUST_USE rt_status eds_store_client_use(struct rt_ctx *ctx, struct eds_store *store,
	enum eds_client_use use, const char *client, int per_hour);

enum {
	EDS_REPORT_CLIENT_SHARES = 10, /* a client may use so many shares over all domains
					* together */
};

/* Like eds_store_client_use(), for a posted report about one domain. A client that reports about
 * many domains has a share for each, up to EDS_REPORT_CLIENT_SHARES together. RT_LIMIT
 * "too-many-reports". */
RT_MUST_USE rt_status eds_store_client_report(struct rt_ctx *ctx, struct eds_store *store,
	const char *domain_id, const char *client, int per_hour);

/* Like eds_store_client_use(), within the caller's transaction. */
RT_MUST_USE rt_status eds_store_client_count(struct rt_ctx *ctx, struct eds_store *store,
	enum eds_client_use use, const char *client, int per_hour);

#endif
