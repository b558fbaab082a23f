/* Hourly limits of clients without an account, counted by address. With a limit of N uses per hour,
 * a client gets back one use after each 1/N of an hour. All clients of an IPv6 /48 together have
 * twice the limit of one client.
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
	EDS_CLIENT_REPORT, /* a TLS report, posted over HTTPS, about one domain */
};

/* Counts one use by the client (counted-client.h), whose limit is per_hour uses in an hour; 0: no
 * limit. When the limit is reached, fails with RT_LIMIT and sets retry_after_s. The code depends on
 * the kind of use: "too-many-reanalyses", "too-many-checks", "too-many-messages" or
 * "too-many-sessions". */
RT_MUST_USE rt_status eds_store_client_use(struct rt_ctx *ctx, struct eds_store *store,
	enum eds_client_use use, const char *client, int per_hour);

enum {
	EDS_REPORT_CLIENT_SHARES = 10, /* a client's limit for all domains together, as a multiple
					* of the limit for one domain */
};

/* Counts a TLS report that the client has posted about one domain. In an hour, a client may post
 * per_hour reports about each domain, and EDS_REPORT_CLIENT_SHARES times per_hour reports about all
 * domains together. per_hour is 0 for no limit. RT_LIMIT "too-many-reports", with retry_after_s,
 * when one of these limits is reached. */
RT_MUST_USE rt_status eds_store_client_report(struct rt_ctx *ctx, struct eds_store *store,
	const char *domain_id, const char *client, int per_hour);

/* Does what eds_store_client_use() does, within the caller's transaction. */
RT_MUST_USE rt_status eds_store_client_count(struct rt_ctx *ctx, struct eds_store *store,
	enum eds_client_use use, const char *client, int per_hour);

#endif
