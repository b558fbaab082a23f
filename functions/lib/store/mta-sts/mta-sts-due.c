#include "functions/lib/store/mta-sts/mta-sts-due.h"
#include "functions/lib/store/alerts/alert-tell.h"
#include "functions/lib/store/due.h"
#include "functions/lib/store/mta-sts/mta-sts-claim.h"
#include "functions/lib/store/mta-sts/mta-sts-row.h"

/* clang-format off */
#define DUE_COLUMNS(FIRST, NEXT) \
	FIRST(DUE_LEASE, EDS_DUE_LEASE) \
	NEXT(DUE_ACCOUNT_ID, "(SELECT d.account_id FROM domains d WHERE d.id = mta_sts.domain_id)")
enum { EDS_DB_NAMES(DUE_COLUMNS) };
#define ALL_COLUMNS EDS_DB_LIST(EDS_MTA_STS_COLUMNS) ", " EDS_DB_LIST(DUE_COLUMNS)
#define CLAIMED \
	"UPDATE mta_sts SET " EDS_DUE_TAKE " WHERE domain_id IN (SELECT domain_id FROM due)" \
	" RETURNING " ALL_COLUMNS
#define CLAIM_TEXT(lock) EDS_DUE_FIRST("mta_sts", "domain_id", lock) CLAIMED
#define TURNS_TEXT(lock) EDS_DUE_TURNS("mta_sts", "", "", "", "20", lock) CLAIMED
static const struct eds_db_statement CLAIM = {"mta-sts-claim", CLAIM_TEXT("")};
static const struct eds_db_statement CLAIM_BESIDE = {
	"mta-sts-claim-beside", CLAIM_TEXT(" FOR UPDATE SKIP LOCKED")};
static const struct eds_db_statement CLAIM_TURNS = {"mta-sts-claim-turns", TURNS_TEXT("")};
static const struct eds_db_statement CLAIM_TURNS_BESIDE = {
	"mta-sts-claim-turns-beside", TURNS_TEXT(" FOR UPDATE OF m SKIP LOCKED")};
static const struct eds_db_statement LONGEST_DUE = {
	"mta-sts-longest-due", EDS_DUE_LONGEST("mta_sts")};

/* Changes the due time, so that the item is not due during the check. The change also ends an
 * earlier lease of the item, because the due time is a part of the lease. */
static const struct eds_db_statement CLAIM_ONE = {"mta-sts-claim-one",
	"UPDATE mta_sts"
	" SET due_at_ms = CASE WHEN due_at_ms < $1 THEN $1 ELSE due_at_ms + 1 END"
	" WHERE domain_id = $2"
	" RETURNING " ALL_COLUMNS};

static const struct eds_db_statement KEEP = {"mta-sts-keep",
	"UPDATE mta_sts SET " EDS_DUE_NEXT("$1") " WHERE domain_id = $2 AND " EDS_DUE_LEASE " = $3"};

static const struct eds_db_statement RECORD = {"mta-sts-record",
	"UPDATE mta_sts"
	" SET " EDS_DUE_NEXT("$1") ", changed_at_ms = $4, checked_at_ms = $5, fetched_at_ms = $6,"
	" dns_id = $7, policy_fetched = $8, policy_mode = $9, valid = $10, errors = $11,"
	" evidence = $12"
	" WHERE domain_id = $2 AND " EDS_DUE_LEASE " = $3"};
/* clang-format on */

static enum eds_db_result record(
	struct eds_store *store, const struct eds_mta_sts_due *due, int64_t *changed)
{
	const struct eds_mta_sts *config = &due->config;
	const struct eds_mta_sts_observed *seen = &due->seen;

	return eds_db_execute(store->db, &RECORD,
		EDS_DB_VALUES(eds_db_int_value(due->next_at_ms),
			eds_db_text_value(config->domain_id), eds_db_int_value(due->lease),
			eds_db_int_value(due->changed_at_ms), eds_db_int_value(seen->checked_at_ms),
			eds_db_int_value(
				seen->policy_fetched ? seen->checked_at_ms : config->fetched_at_ms),
			eds_db_text_value(seen->dns_id), eds_db_int_value(seen->policy_fetched),
			eds_db_text_value(seen->policy_mode), eds_db_int_value(seen->valid),
			eds_db_text_value(seen->errors), eds_db_text_value(seen->evidence)),
		changed);
}

/* Records which id the TXT record shows, if it shows one. For a hosted row, the id has already been
 * recorded before the policy was fetched. */
static enum eds_db_result look(struct eds_store *store, const struct eds_mta_sts_due *due)
{
	const struct eds_mta_sts *config = &due->config;

	if ((config->enabled && config->hosted) || due->seen.dns_id == NULL ||
		eds_mta_sts_is_settled(config, due->seen.dns_id))
		return EDS_DB_OK;
	return eds_store_mta_sts_shown(store, config->name, due->seen.dns_id);
}

static enum eds_db_result keep(
	struct eds_store *store, const struct eds_mta_sts_due *due, int64_t *changed)
{
	return eds_db_execute(store->db, &KEEP,
		EDS_DB_VALUES(eds_db_int_value(due->next_at_ms),
			eds_db_text_value(due->config.domain_id), eds_db_int_value(due->lease)),
		changed);
}

static rt_status write_outcome(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_mta_sts_due *due, int64_t *changed)
{
	bool checked = due->outcome == EDS_MTA_STS_CHECKED;
	enum eds_db_result result = EDS_DB_OK;

	if (due->outcome == EDS_MTA_STS_KEPT)
		result = keep(store, due, changed);
	else if (checked)
		result = record(store, due, changed);
	if (result == EDS_DB_OK && checked && *changed > 0)
		result = look(store, due);
	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	if (!checked || *changed == 0)
		return RT_OK;
	return eds_store_alert_tell(ctx, store, due->config.domain_id, &due->news);
}

static rt_status write_outcomes(struct rt_ctx *ctx, struct eds_store *store, const void *items,
	size_t count, size_t *written)
{
	const struct eds_mta_sts_due *due = items;

	*written = 0;
	for (size_t i = 0; i < count; i++) {
		int64_t changed = 0;

		RT_TRY(write_outcome(ctx, store, &due[i], &changed));
		*written += (size_t)changed;
	}
	return RT_OK;
}

static void read_due(struct rt_ctx *ctx, struct eds_db_query *query, void *item)
{
	struct eds_mta_sts_due *due = item;

	*due = (struct eds_mta_sts_due){0};
	eds_store_mta_sts_read(ctx, query, &due->config);
	due->lease = eds_db_int(query, EDS_MTA_STS_COLUMN_COUNT + DUE_LEASE);
	due->config.account_id = eds_db_text(ctx, query, EDS_MTA_STS_COLUMN_COUNT + DUE_ACCOUNT_ID);
}

static const struct eds_due_kind DOMAINS = {
	.item_bytes = sizeof(struct eds_mta_sts_due),
	.lease_ms = EDS_MTA_STS_LEASE_MS,
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

rt_status eds_store_mta_sts_turn(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_mta_sts_due *done, size_t done_count, size_t *written, size_t max,
	struct eds_mta_sts_due **claimed, size_t *claimed_count)
{
	void *items;

	RT_TRY(eds_store_due_turn(
		ctx, store, &DOMAINS, done, done_count, written, max, &items, claimed_count));
	*claimed = items;
	return RT_OK;
}

rt_status eds_store_mta_sts_claim(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, struct eds_mta_sts_due *due)
{
	bool found;

	RT_TRY(eds_store_due_claim_one(ctx, store, &DOMAINS, domain->id, NULL, due, &found));
	return found ? RT_OK : eds_store_no_domain(ctx);
}
