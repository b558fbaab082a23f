/* The columns of a row of the table mta_sts, and functions that read and make such a row. Only the
 * files of the store include this header. */
#ifndef EDS_STORE_MTA_STS_ROW_H
#define EDS_STORE_MTA_STS_ROW_H

#include "functions/lib/store/db/db.h"
#include "functions/lib/store/mta-sts/mta-sts.h"

/* clang-format off */
#define EDS_MTA_STS_COLUMNS(FIRST, NEXT) \
	FIRST(EDS_MTA_STS_ROW_DOMAIN_ID, "domain_id") \
	NEXT(EDS_MTA_STS_ROW_NAME, "name") \
	NEXT(EDS_MTA_STS_ROW_ENABLED, "enabled") \
	NEXT(EDS_MTA_STS_ROW_MODE, "mode") \
	NEXT(EDS_MTA_STS_ROW_MAX_AGE_S, "max_age_s") \
	NEXT(EDS_MTA_STS_ROW_MX_PATTERNS, "mx_patterns") \
	NEXT(EDS_MTA_STS_ROW_HOSTED, "hosted") \
	NEXT(EDS_MTA_STS_ROW_POLICY_ID, "policy_id") \
	NEXT(EDS_MTA_STS_ROW_UPDATED_AT_MS, "updated_at_ms") \
	NEXT(EDS_MTA_STS_ROW_ENFORCE_HELD_UNTIL_MS, "enforce_held_until_ms") \
	NEXT(EDS_MTA_STS_ROW_PROVEN, "proven") \
	NEXT(EDS_MTA_STS_ROW_CHANGED_AT_MS, "changed_at_ms") \
	NEXT(EDS_MTA_STS_ROW_FETCHED_AT_MS, "fetched_at_ms") \
	NEXT(EDS_MTA_STS_ROW_CHECKED_AT_MS, "checked_at_ms") \
	NEXT(EDS_MTA_STS_ROW_DNS_ID, "dns_id") \
	NEXT(EDS_MTA_STS_ROW_POLICY_FETCHED, "policy_fetched") \
	NEXT(EDS_MTA_STS_ROW_POLICY_MODE, "policy_mode") \
	NEXT(EDS_MTA_STS_ROW_VALID, "valid") \
	NEXT(EDS_MTA_STS_ROW_ERRORS, "errors") \
	NEXT(EDS_MTA_STS_ROW_EVIDENCE, "evidence") \
	NEXT(EDS_MTA_STS_ROW_LOOK_DUE, "look_due") \
	NEXT(EDS_MTA_STS_ROW_KEPT_OUT, "kept_out") \
	NEXT(EDS_MTA_STS_ROW_NONE_UNTIL_MS, "none_until_ms") \
	NEXT(EDS_MTA_STS_ROW_HOSTING_ENDS_AT_MS, "hosting_ends_at_ms")
enum { EDS_DB_NAMES(EDS_MTA_STS_COLUMNS) EDS_MTA_STS_COLUMN_COUNT };
/* clang-format on */

/* The mode that the columns mode and none_until_ms stand for. */
enum eds_policy_mode eds_store_mta_sts_mode(const char *mode, int64_t none_until_ms);

void eds_store_mta_sts_read(
	struct rt_ctx *ctx, struct eds_db_query *query, struct eds_mta_sts *config);

/* Convert the patterns to the text of their column, and back. */
char *eds_store_patterns_text(struct rt_ctx *ctx, const struct eds_mx_patterns *patterns);
struct eds_mx_patterns eds_store_patterns_read(struct rt_ctx *ctx, const char *text);

/* Makes a domain's initial configuration, within the transaction that makes the domain, or later if
 * an earlier release made the domain without a configuration. Does nothing when the domain already
 * has a configuration. */
RT_MUST_USE rt_status eds_store_mta_sts_make(
	struct rt_ctx *ctx, struct eds_store *store, const char *domain_id);

#endif
