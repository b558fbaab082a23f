/* Policies as the policy host asks for them: by the name of the domain, whoever holds it. */
#include <string.h>

#include "functions/lib/store/mta-sts-row.h"
#include "functions/lib/store/transaction.h"

/* The proven one first, hosted or not; else two rows are enough to know that it is not the only
 * one. */
static const struct eds_db_statement SERVED = {"mta-sts-served",
	"SELECT proven, enabled, hosted, mode, max_age_s, mx_patterns, policy_id FROM mta_sts "
	"WHERE name = $1 AND (proven = 1 OR (enabled = 1 AND hosted = 1))"
	" ORDER BY proven DESC LIMIT 2"};

struct candidate {
	bool proven;
	bool serves; /* enabled, and hosted here */
	struct eds_mta_sts_served served;
};

static void read_candidate(
	struct rt_ctx *ctx, struct eds_db_query *query, struct candidate *candidate)
{
	*candidate = (struct candidate){
		.proven = eds_db_int(query, 0) != 0,
		.serves = eds_db_int(query, 1) != 0 && eds_db_int(query, 2) != 0,
		.served.enforce = strcmp(eds_db_text(ctx, query, 3), eds_mta_sts_mode(true)) == 0,
		.served.max_age_s = eds_db_int(query, 4),
		.served.patterns = eds_store_patterns_read(ctx, eds_db_text(ctx, query, 5)),
		.served.policy_id = eds_db_text(ctx, query, 6),
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
	if (!first.serves || !(first.proven || only))
		return rt_fail(ctx, RT_NOT_FOUND, "policy-not-found",
			"no MTA-STS policy is served under this name");
	*served = first.served;
	return RT_OK;
}
