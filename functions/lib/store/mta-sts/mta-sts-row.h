/* A row of mta_sts as statements select it, and how one is made. Only the files of this folder
 * include it. */
#ifndef EDS_STORE_MTA_STS_ROW_H
#define EDS_STORE_MTA_STS_ROW_H

#include "functions/lib/store/db/db.h"
#include "functions/lib/store/mta-sts/mta-sts.h"

#define EDS_MTA_STS_COLUMNS                                                                        \
	"domain_id, name, enabled, mode, max_age_s, mx_patterns, hosted, policy_id,"               \
	" updated_at_ms, enforce_held_until_ms, proven, changed_at_ms, fetched_at_ms,"             \
	" checked_at_ms, dns_id, policy_fetched, policy_mode, valid, errors, evidence,"            \
	" look_due, kept_out, none_until_ms, hosting_ends_at_ms"

enum {
	EDS_MTA_STS_COLUMN_COUNT = 24, /* where columns of the statement's own begin */
};

/* Of the columns mode and none_until_ms. */
enum eds_policy_mode eds_store_mta_sts_mode(const char *mode, int64_t none_until_ms);

void eds_store_mta_sts_read(
	struct rt_ctx *ctx, struct eds_db_query *query, struct eds_mta_sts *config);

/* The list as the row keeps it, and back. */
char *eds_store_patterns_text(struct rt_ctx *ctx, const struct eds_mx_patterns *patterns);
struct eds_mx_patterns eds_store_patterns_read(struct rt_ctx *ctx, const char *text);

/* A domain's configuration as it is at first, within the transaction that makes the domain; nothing
 * where there is one. */
RT_MUST_USE rt_status eds_store_mta_sts_make(
	struct rt_ctx *ctx, struct eds_store *store, const char *domain_id);

/* Within the transaction that deletes the domain, before it does: its ids are kept as past ones. */
RT_MUST_USE rt_status eds_store_mta_sts_leave(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_domain *domain);

/* Within the transaction in which a row of the name stops to host it, or begins to: nobody else is
 * served until the TXT record is looked at again, but the proven one. */
RT_MUST_USE rt_status eds_store_mta_sts_look_again(
	struct rt_ctx *ctx, struct eds_store *store, const char *name, const char *domain_id);

/* What the TXT record of a name shows (eds_store_mta_sts_look), within a transaction. */
RT_MUST_USE enum eds_db_result eds_store_mta_sts_shown(
	struct eds_store *store, const char *name, const char *id);

#endif
