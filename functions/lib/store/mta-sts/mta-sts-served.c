#include <string.h>

#include "functions/lib/store/accounts/account-use.h"
#include "functions/lib/store/mta-sts/mta-sts-row.h"
#include "functions/lib/store/mta-sts/mta-sts-served.h"
#include "functions/lib/store/transaction.h"
#include "runtime/time.h"

/* clang-format off */
#define SERVED_COLUMNS(FIRST, NEXT) \
	FIRST(SERVED_PROVEN, "proven") \
	NEXT(SERVED_ENABLED, "enabled") \
	NEXT(SERVED_HOSTED, "hosted") \
	NEXT(SERVED_MODE, "mode") \
	NEXT(SERVED_MAX_AGE_S, "max_age_s") \
	NEXT(SERVED_MX_PATTERNS, "mx_patterns") \
	NEXT(SERVED_POLICY_ID, "policy_id") \
	NEXT(SERVED_LOOK_DUE, "look_due") \
	NEXT(SERVED_KEPT_OUT, "kept_out") \
	NEXT(SERVED_DOMAIN_ID, "domain_id") \
	NEXT(SERVED_CERTIFICATE_AT_MS, "certificate_at_ms") \
	NEXT(SERVED_NONE_UNTIL_MS, "none_until_ms")
enum { EDS_DB_NAMES(SERVED_COLUMNS) };

/* The proven row comes first, whether it is hosted or not. Without a proven row, the policy of a
 * row is served only if no other row with the name is hosted here; two rows are enough to see
 * whether there is another one. */
static const struct eds_db_statement SERVED = {"mta-sts-served",
	"SELECT " EDS_DB_LIST(SERVED_COLUMNS)
	" FROM mta_sts"
	" WHERE name = $1 AND (proven = 1 OR (enabled = 1 AND hosted = 1))"
	" ORDER BY proven DESC"
	" LIMIT 2"};

/* Changes a row at most once an hour, so that a name counts only once an hour towards the account's
 * limit: the TLS server in front of the policy host asks before each attempt to get a
 * certificate. */
static const struct eds_db_statement CERTIFICATE = {"mta-sts-certificate",
	"UPDATE mta_sts"
	" SET certificate_at_ms = $2"
	" WHERE domain_id = $1 AND (certificate_at_ms <= $3 OR certificate_at_ms > $2)"};
/* clang-format on */

struct candidate {
	bool proven;
	bool may; /* the row may serve the name: it is enabled and hosted here, no check of the TXT
		   * record has to come first, and the TXT record does not keep the row out */
	struct eds_mta_sts_served served;
};

static void read_candidate(
	struct rt_ctx *ctx, struct eds_db_query *query, struct candidate *candidate)
{
	bool serves = eds_db_int(query, SERVED_ENABLED) != 0 &&
		eds_db_int(query, SERVED_HOSTED) != 0;
	bool look_due = eds_db_int(query, SERVED_LOOK_DUE) != 0;
	bool kept_out = eds_db_int(query, SERVED_KEPT_OUT) != 0;

	*candidate = (struct candidate){
		.proven = eds_db_int(query, SERVED_PROVEN) != 0,
		.may = serves && !look_due && !kept_out,
		.served.mode = eds_store_mta_sts_mode(eds_db_text(ctx, query, SERVED_MODE),
			eds_db_int(query, SERVED_NONE_UNTIL_MS)),
		.served.max_age_s = eds_db_int(query, SERVED_MAX_AGE_S),
		.served.patterns = eds_store_patterns_read(
			ctx, eds_db_text(ctx, query, SERVED_MX_PATTERNS)),
		.served.policy_id = eds_db_text(ctx, query, SERVED_POLICY_ID),
		.served.domain_id = eds_db_text(ctx, query, SERVED_DOMAIN_ID),
		.served.certificate_at_ms = eds_db_int(query, SERVED_CERTIFICATE_AT_MS),
	};
}

rt_status eds_store_mta_sts_served(struct rt_ctx *ctx, struct eds_store *store, const char *name,
	struct eds_mta_sts_served *served)
{
	struct candidate first = {0};
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(
		store->db, &SERVED, EDS_DB_VALUES(eds_db_text_value(name)), &query);
	bool only = false;

	if (result == EDS_DB_ROW) {
		read_candidate(ctx, query, &first);
		result = eds_db_next(query);
		only = result == EDS_DB_OK;
	}
	eds_db_end(query);
	if (result != EDS_DB_OK && result != EDS_DB_ROW)
		return eds_store_failed(ctx, store, result);
	if (!first.may || !(first.proven || only))
		return rt_fail(ctx, RT_NOT_FOUND, "policy-not-found",
			"no MTA-STS policy is served under this name");
	*served = first.served;
	return RT_OK;
}

static rt_status count_certificate(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct eds_mta_sts_served *served = arg;
	int64_t now_ms = rt_wall_ms();
	struct eds_domain domain;
	int64_t new = 0;
	enum eds_db_result result = eds_db_execute(store->db, &CERTIFICATE,
		EDS_DB_VALUES(eds_db_text_value(served->domain_id), eds_db_int_value(now_ms),
			eds_db_int_value(now_ms - EDS_USE_HOUR_MS)),
		&new);

	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	if (new == 0)
		return RT_OK;
	RT_TRY(eds_store_domain_find(ctx, store, served->domain_id, &domain));
	return eds_store_use(ctx, store, domain.account_id, domain.plan, EDS_USE_CERTIFICATE);
}

rt_status eds_store_mta_sts_certificate(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_mta_sts_served *served)
{
	int64_t age_ms = rt_wall_ms() - served->certificate_at_ms;
	struct eds_mta_sts_served copy = *served;

	if (age_ms >= 0 && age_ms < EDS_USE_HOUR_MS)
		return RT_OK;
	return eds_store_write(ctx, store, count_certificate, &copy);
}
