#include "functions/lib/store/mta-sts/mta-sts-ending.h"
#include "runtime/time.h"

#include "functions/lib/store/mta-sts/mta-sts-row.h"

/* clang-format off */
#define OF_ACCOUNT "(SELECT id FROM domains WHERE account_id = $1)"

static const struct eds_db_statement BEGIN = {"mta-sts-hosting-begin-end",
	"UPDATE mta_sts SET hosting_ends_at_ms = $2"
	" WHERE domain_id IN " OF_ACCOUNT " AND hosted = 1 AND hosting_ends_at_ms = 0"};

static const struct eds_db_statement GO_ON = {"mta-sts-hosting-go-on",
	"UPDATE mta_sts SET hosting_ends_at_ms = 0"
	" WHERE domain_id IN " OF_ACCOUNT " AND hosting_ends_at_ms > 0"};

static const struct eds_db_statement TROUBLES_OVER = {"mta-sts-hosting-troubles-over",
	"DELETE FROM alert_troubles"
	" WHERE subject LIKE 'hosting%' AND domain_id IN " OF_ACCOUNT};

static const struct eds_db_statement BEGIN_UNTOLD = {"mta-sts-hosting-begin-untold",
	"UPDATE mta_sts SET hosting_ends_at_ms = $1"
	" WHERE hosting_ends_at_ms = 1"};

#define ENDING_COLUMNS(FIRST, NEXT) \
	FIRST(ENDING_DOMAIN_ID, "m.domain_id") \
	NEXT(ENDING_NAME, "m.name") \
	NEXT(ENDING_ACCOUNT_ID, "d.account_id")
enum { EDS_DB_NAMES(ENDING_COLUMNS) };

/* Leaves out rows whose next step must wait until senders have forgotten an earlier policy, so that
 * these rows do not fill the batch. */
static const struct eds_db_statement ENDING = {"mta-sts-hosting-ending",
	"SELECT " EDS_DB_LIST(ENDING_COLUMNS)
	" FROM mta_sts m"
	" JOIN domains d ON d.id = m.domain_id"
	" WHERE m.hosting_ends_at_ms > 1 AND m.hosting_ends_at_ms <= $1 AND m.hosted = 1"
	" AND ((m.enabled = 1 AND m.mode = 'enforce')"
	" OR (m.enforce_held_until_ms <= $1 AND m.none_until_ms <= $1))"
	" ORDER BY m.hosting_ends_at_ms LIMIT $2"};
/* clang-format on */

static rt_status execute(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_db_statement *statement, const struct eds_db_value *values, size_t count)
{
	enum eds_db_result result = eds_db_execute(store->db, statement, values, count, NULL);

	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_mta_sts_plan_changed(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_account *account)
{
	struct eds_db_value id = eds_db_text_value(account->id);

	if (account->plan != EDS_PLAN_PAID)
		return execute(ctx, store, &BEGIN,
			EDS_DB_VALUES(id, eds_db_int_value(rt_wall_ms() + EDS_HOSTING_GOES_ON_MS)));
	RT_TRY(execute(ctx, store, &GO_ON, EDS_DB_VALUES(id)));
	return execute(ctx, store, &TROUBLES_OVER, EDS_DB_VALUES(id));
}

rt_status eds_store_mta_sts_ending(struct rt_ctx *ctx, struct eds_store *store,
	struct eds_domain domains[EDS_HOSTING_ENDS_BATCH], size_t *count)
{
	int64_t now_ms = rt_wall_ms();
	struct eds_db_query *query;
	enum eds_db_result result;

	RT_TRY(execute(ctx, store, &BEGIN_UNTOLD,
		EDS_DB_VALUES(eds_db_int_value(now_ms + EDS_HOSTING_GOES_ON_MS))));
	result = eds_db_query(store->db, &ENDING,
		EDS_DB_VALUES(eds_db_int_value(now_ms), eds_db_int_value(EDS_HOSTING_ENDS_BATCH)),
		&query);
	for (*count = 0; result == EDS_DB_ROW && *count < EDS_HOSTING_ENDS_BATCH; (*count)++) {
		domains[*count] = (struct eds_domain){
			.id = eds_db_text(ctx, query, ENDING_DOMAIN_ID),
			.name = eds_db_text(ctx, query, ENDING_NAME),
			.account_id = eds_db_text(ctx, query, ENDING_ACCOUNT_ID),
		};
		result = eds_db_next(query);
	}
	eds_db_end(query);
	return result == EDS_DB_OK || result == EDS_DB_ROW ? RT_OK
							   : eds_store_failed(ctx, store, result);
}
