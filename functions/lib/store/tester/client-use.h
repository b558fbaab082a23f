/* What a client without an account may do in an hour, counted by its address: each use takes its
 * part of the hour, and they come back one by one. The /48 around an IPv6 client has two shares.
 */
#ifndef EDS_STORE_CLIENT_USE_H
#define EDS_STORE_CLIENT_USE_H

#include "functions/lib/store/store.h"

enum eds_client_use {
	EDS_CLIENT_REANALYSIS, /* of a message in the tester */
	EDS_CLIENT_CHECK,      /* of a domain */
	EDS_CLIENT_UPLOAD,     /* of a message over HTTP */
	/* a test address made: of the /48 alone, those of a client are counted by its sessions */
	EDS_CLIENT_SESSION,
	EDS_CLIENT_REPORT, /* posted about one domain */
};

/* Counts one use by the client (counted-client.h); per_hour 0: no limit. RT_LIMIT
 * "too-many-reanalyses", "too-many-checks", "too-many-messages" or "too-many-sessions"
 * (retry_after_s set) when its share is used up. */
RT_MUST_USE rt_status eds_store_client_use(struct rt_ctx *ctx, struct eds_store *store,
	enum eds_client_use use, const char *client, int per_hour);

enum {
	EDS_REPORT_CLIENT_SHARES = 10, /* of a domain, that a client has for all domains together */
};

/* The same of reports about one domain: who reports about many has a share for each, up to
 * EDS_REPORT_CLIENT_SHARES together. RT_LIMIT "too-many-reports". */
RT_MUST_USE rt_status eds_store_client_report(struct rt_ctx *ctx, struct eds_store *store,
	const char *domain_id, const char *client, int per_hour);

/* The same within a transaction of the caller's. */
RT_MUST_USE rt_status eds_store_client_count(struct rt_ctx *ctx, struct eds_store *store,
	enum eds_client_use use, const char *client, int per_hour);

#endif
