#include "functions/lib/store/posture/posture-due.h"
#include "functions/lib/store/alerts/alert-tell.h"
#include "functions/lib/store/due.h"
#include "functions/lib/store/posture/posture-row.h"
#include "functions/lib/store/selectors/selector-found.h"

/* clang-format off */
/* A domain may have no row in mta_sts yet when a program of the previous release created the
 * domain. */
#define DUE_COLUMNS(FIRST, NEXT) \
	FIRST(DUE_DOMAIN_ID, "domain_id") \
	NEXT(DUE_NAME, "name") \
	NEXT(DUE_ACCOUNT_ID, "coalesce((SELECT d.account_id FROM domains d" \
		" WHERE d.id = posture.domain_id), '')") \
	NEXT(DUE_LEASE, EDS_DUE_LEASE) \
	NEXT(DUE_HOSTED, "coalesce((SELECT m.enabled * m.hosted FROM mta_sts m" \
		" WHERE m.domain_id = posture.domain_id), 0)") \
	NEXT(DUE_EVIDENCE, "coalesce((SELECT m.evidence FROM mta_sts m" \
		" WHERE m.domain_id = posture.domain_id), '{}')")
enum { EDS_DB_NAMES(DUE_COLUMNS) };
#define ALL_COLUMNS EDS_DB_LIST(EDS_POSTURE_COLUMNS) ", " EDS_DB_LIST(DUE_COLUMNS)
#define CLAIMED \
	"UPDATE posture SET " EDS_DUE_TAKE " WHERE domain_id IN (SELECT domain_id FROM due)" \
	" RETURNING " ALL_COLUMNS
#define CLAIM_TEXT(lock) EDS_DUE_FIRST("posture", "domain_id", lock) CLAIMED
#define TURNS_TEXT(lock) EDS_DUE_TURNS("posture", "", "", "", "8", lock) CLAIMED
static const struct eds_db_statement CLAIM = {"posture-claim", CLAIM_TEXT("")};
static const struct eds_db_statement CLAIM_BESIDE = {
	"posture-claim-beside", CLAIM_TEXT(" FOR UPDATE SKIP LOCKED")};
static const struct eds_db_statement CLAIM_TURNS = {"posture-claim-turns", TURNS_TEXT("")};
static const struct eds_db_statement CLAIM_TURNS_BESIDE = {
	"posture-claim-turns-beside", TURNS_TEXT(" FOR UPDATE OF m SKIP LOCKED")};
static const struct eds_db_statement LONGEST_DUE = {
	"posture-longest-due", EDS_DUE_LONGEST("posture")};

/* Changes the due time, so that the item is not due during the check. The change also ends an
 * earlier lease of the item, because the due time is a part of the lease. */
static const struct eds_db_statement CLAIM_ONE = {"posture-claim-one",
	"UPDATE posture"
	" SET due_at_ms = CASE WHEN due_at_ms < $1 THEN $1 ELSE due_at_ms + 1 END"
	" WHERE domain_id = $2"
	" RETURNING " ALL_COLUMNS};

static const struct eds_db_statement TOUCH = {"posture-touch",
	"UPDATE posture"
	" SET " EDS_DUE_NEXT("$1") ", checked_at_ms = $4"
	" WHERE domain_id = $2 AND " EDS_DUE_LEASE " = $3"};

static const struct eds_db_statement RECORD = {"posture-record",
	"UPDATE posture"
	" SET " EDS_DUE_NEXT("$1") ", checked_at_ms = $4, changed_at_ms = $5, state = $6, items = $7,"
	" records = $8"
	" WHERE domain_id = $2 AND " EDS_DUE_LEASE " = $3"};
/* clang-format on */

static rt_status touch(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_posture_due *due, int64_t *changed)
{
	enum eds_db_result result = eds_db_execute(store->db, &TOUCH,
		EDS_DB_VALUES(eds_db_int_value(due->next_at_ms), eds_db_text_value(due->domain_id),
			eds_db_int_value(due->lease), eds_db_int_value(due->after.checked_at_ms)),
		changed);

	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

static rt_status record(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_posture_due *due, int64_t *changed)
{
	const struct eds_posture_kept *after = &due->after;
	enum eds_db_result result = eds_db_execute(store->db, &RECORD,
		EDS_DB_VALUES(eds_db_int_value(due->next_at_ms), eds_db_text_value(due->domain_id),
			eds_db_int_value(due->lease), eds_db_int_value(after->checked_at_ms),
			eds_db_int_value(after->changed_at_ms), eds_db_text_value(after->state),
			eds_db_text_value(after->items), eds_db_text_value(after->records)),
		changed);

	if (result == EDS_DB_OK && *changed > 0)
		result = eds_store_posture_remember(store, due);
	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	if (*changed == 0)
		return RT_OK;
	return eds_store_alert_tell(ctx, store, due->domain_id, &due->news);
}

static rt_status write_outcome(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_posture_due *due, int64_t *changed)
{
	const struct eds_domain domain = {.id = due->domain_id, .name = due->name};

	*changed = 0;
	if (due->outcome == EDS_POSTURE_SAME)
		RT_TRY(touch(ctx, store, due, changed));
	else if (due->outcome == EDS_POSTURE_SEEN)
		RT_TRY(record(ctx, store, due, changed));
	if (*changed == 0)
		return RT_OK;
	return eds_store_selectors_found(ctx, store, &domain, due->selectors, due->selector_count);
}

static rt_status write_outcomes(struct rt_ctx *ctx, struct eds_store *store, const void *items,
	size_t count, size_t *written)
{
	const struct eds_posture_due *due = items;

	*written = 0;
	for (size_t i = 0; i < count; i++) {
		int64_t changed;

		RT_TRY(write_outcome(ctx, store, &due[i], &changed));
		*written += (size_t)changed;
	}
	return RT_OK;
}

static void read_due(struct rt_ctx *ctx, struct eds_db_query *query, void *item)
{
	struct eds_posture_due *due = item;

	*due = (struct eds_posture_due){
		.domain_id = eds_db_text(ctx, query, EDS_POSTURE_COLUMN_COUNT + DUE_DOMAIN_ID),
		.name = eds_db_text(ctx, query, EDS_POSTURE_COLUMN_COUNT + DUE_NAME),
		.account_id = eds_db_text(ctx, query, EDS_POSTURE_COLUMN_COUNT + DUE_ACCOUNT_ID),
		.lease = eds_db_int(query, EDS_POSTURE_COLUMN_COUNT + DUE_LEASE),
		.hosted = eds_db_int(query, EDS_POSTURE_COLUMN_COUNT + DUE_HOSTED) != 0,
		.evidence = eds_db_text(ctx, query, EDS_POSTURE_COLUMN_COUNT + DUE_EVIDENCE),
	};
	eds_store_posture_read(ctx, query, &due->before);
}

static const struct eds_due_kind DOMAINS = {
	.item_bytes = sizeof(struct eds_posture_due),
	.lease_ms = EDS_POSTURE_LEASE_MS,
	.claim = &CLAIM,
	.claim_beside = &CLAIM_BESIDE,
	.claim_turns = &CLAIM_TURNS,
	.claim_turns_beside = &CLAIM_TURNS_BESIDE,
	.longest_due = &LONGEST_DUE,
	.late_ms = EDS_DUE_LATE_MS,
	.claim_one = &CLAIM_ONE,
	.read = read_due,
	.write = write_outcomes,
};

rt_status eds_store_posture_turn(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_posture_due *done, size_t done_count, size_t *written, size_t max,
	struct eds_posture_due **claimed, size_t *claimed_count)
{
	void *items;

	RT_TRY(eds_store_due_turn(
		ctx, store, &DOMAINS, done, done_count, written, max, &items, claimed_count));
	*claimed = items;
	return RT_OK;
}

rt_status eds_store_posture_claim(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, struct eds_posture_due *due)
{
	bool found;

	RT_TRY(eds_store_posture_make(ctx, store, domain->id));
	RT_TRY(eds_store_due_claim_one(ctx, store, &DOMAINS, domain->id, NULL, due, &found));
	return found ? RT_OK : eds_store_no_domain(ctx);
}
