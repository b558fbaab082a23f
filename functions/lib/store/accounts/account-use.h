/* Hourly limits of an account. All but the limit of alerts depend on its plan (EDS_QUOTA_FREE,
 * EDS_QUOTA_PAID). The hour begins with the first use; the first use after its end begins the next
 * hour, with the count at zero. */
#ifndef EDS_STORE_ACCOUNT_USE_H
#define EDS_STORE_ACCOUNT_USE_H

#include "functions/lib/store/accounts/account.h"

enum {
	EDS_USE_HOUR_MS = 3600 * 1000,
	EDS_USE_ALERTS = 60,           /* maximum number of deliveries per hour to all alerts
					* (alert.h) of an account */
	EDS_USE_ALERTS_OF_DOMAIN = 45, /* maximum number of these deliveries that are about one
					* domain, if the account has several domains */
	/* The number of new domains per hour that every plan allows. A plan for N domains allows
	 * 2 × N new domains per hour if 2 × N is more. */
	EDS_USE_CREATIONS_LEAST = 100,
};

enum eds_use {
	EDS_USE_CHECK,       /* a check of other people's servers that a user asks for */
	EDS_USE_CERTIFICATE, /* a certificate for the policy host of a domain */
	EDS_USE_CALLBACK,    /* a test whose result is sent to a receiver */
	EDS_USE_ALERT,       /* a delivery to an alert; its limit is the same for all plans */
	EDS_USE_DOMAIN,      /* a new domain; limited because some rows of a domain stay when the
			      * domain is deleted */
	EDS_USE_UPLOAD,      /* a file with reports; limited because reading it asks DNS hundreds of
			      * questions */
};

/* Counts one use by the account, whose plan is `plan`. When the limit of the hour is used up, fails
 * with RT_LIMIT and sets retry_after_s. The code depends on the kind of use: "too-many-checks",
 * "too-many-certificates", "too-many-callbacks", "too-many-alerts", "too-many-domains" or
 * "too-many-uploads". */
RT_MUST_USE rt_status eds_store_use(struct rt_ctx *ctx, struct eds_store *store,
	const char *account_id, enum eds_plan plan, enum eds_use use);

/* Counts a delivery to an alert. domain_id: the domain that the delivery is about; NULL for none.
 * If the account has several domains, each domain also has a smaller limit, so that one domain
 * cannot use up the deliveries of the other domains. RT_LIMIT "too-many-alerts", with
 * retry_after_s, when one of the two limits is used up. */
RT_MUST_USE rt_status eds_store_use_alert(
	struct rt_ctx *ctx, struct eds_store *store, const char *account_id, const char *domain_id);

/* Forgets what was counted for a domain that is about to be deleted. */
RT_MUST_USE rt_status eds_store_use_leave(
	struct rt_ctx *ctx, struct eds_store *store, const char *account_id, const char *domain_id);

#endif
