/* Hourly limits of clients without an account, counted by address. With a share of N uses per hour,
 * a client gets back one use after each 1/N of an hour. All clients of an IPv6 /48 together have
 * two shares.
 */
#ifndef EDS_STORE_CLIENT_USE_H
#define EDS_STORE_CLIENT_USE_H

#include "functions/lib/store/store.h"

enum eds_client_use {
	EDS_CLIENT_REANALYSIS, /* a reanalysis of a test message */
	EDS_CLIENT_CHECK,      /* a check of a domain */
	EDS_CLIENT_UPLOAD,     /* an upload of a test message over HTTP */
	/* a new test address; only the use by the /48 is counted here: the client's own use is the
	 * number of its sessions */
	EDS_CLIENT_SESSION,
	EDS_CLIENT_REPORT, /* a posted report about one domain */
};

/* Counts one use by the client (counted-client.h), whose share is per_hour uses in an hour; 0: no
 * limit. When the share is used up, fails with RT_LIMIT and sets retry_after_s. The code depends on
 * the kind of use: "too-many-reanalyses", "too-many-checks", "too-many-messages" or
 * "too-many-sessions". */
RT_MUST_USE rt_status eds_store_client_use(struct rt_ctx *ctx, struct eds_store *store,
	enum eds_client_use use, const char *client, int per_hour);

enum {
	EDS_REPORT_CLIENT_SHARES = 10, /* how many shares a client has for all domains together */
};

/* Counts a posted report about one domain. A client has a share of per_hour reports for each
 * domain, and EDS_REPORT_CLIENT_SHARES shares for all domains together; 0: no limit. RT_LIMIT
 * "too-many-reports", with retry_after_s, when one of them is used up. */
RT_MUST_USE rt_status eds_store_client_report(struct rt_ctx *ctx, struct eds_store *store,
	const char *domain_id, const char *client, int per_hour);

/* Does what eds_store_client_use() does, within the caller's transaction. */
RT_MUST_USE rt_status eds_store_client_count(struct rt_ctx *ctx, struct eds_store *store,
	enum eds_client_use use, const char *client, int per_hour);

#endif
