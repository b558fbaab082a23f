/* Hourly limits of an account, by its plan (EDS_QUOTA_FREE, EDS_QUOTA_PAID). The hour begins with
 * the first use; the first use after it begins the next hour at zero.
 */
#ifndef EDS_STORE_ACCOUNT_USE_H
#define EDS_STORE_ACCOUNT_USE_H

#include "functions/lib/store/accounts/account.h"

enum {
	EDS_USE_HOUR_MS = 3600 * 1000,
	EDS_USE_ALERTS = 60,           /* deliveries to alerts per hour */
	EDS_USE_ALERTS_OF_DOMAIN = 45, /* deliveries per hour about one domain, if the account has
					* several */
	EDS_USE_CREATIONS_LEAST = 100, /* the least number of new domains per hour; a plan allows
					* twice its domains, if that is more */
};

enum eds_use {
	EDS_USE_CHECK,       /* a check of other people's servers that a user asks for */
	EDS_USE_CERTIFICATE, /* a certificate for the policy host */
	EDS_USE_CALLBACK,    /* a test whose result is sent to a receiver */
	EDS_USE_ALERT,       /* a delivery to an alert; its limit is the same for all plans */
	EDS_USE_DOMAIN,      /* a new domain: it leaves rows behind when it is deleted */
	EDS_USE_UPLOAD,      /* a file with reports: reading it asks DNS hundreds of questions */
};

/* Counts one use by the account, whose plan is `plan`. RT_LIMIT "too-many-checks",
 * "too-many-certificates", "too-many-callbacks", "too-many-alerts", "too-many-domains" or
 * "too-many-uploads" (retry_after_s set) when the limit of the hour is used up. */
RT_MUST_USE rt_status eds_store_use(struct rt_ctx *ctx, struct eds_store *store,
	const char *account_id, enum eds_plan plan, enum eds_use use);

/* Counts a delivery to an alert about a domain, or about none (NULL). A domain has only a share, so
 * it cannot use up the deliveries of all domains: RT_LIMIT "too-many-alerts" (retry_after_s set)
 * when its share or the account's limit of the hour is used up. */
RT_MUST_USE rt_status eds_store_use_alert(
	struct rt_ctx *ctx, struct eds_store *store, const char *account_id, const char *domain_id);

/* Forgets what was counted for a domain that is about to be deleted. */
RT_MUST_USE rt_status eds_store_use_leave(
	struct rt_ctx *ctx, struct eds_store *store, const char *account_id, const char *domain_id);

#endif
