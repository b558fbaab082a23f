/* Domains whose MTA-STS setup is due for a check: claimed with a lease, and what was seen written.
 */
#include <string.h>

#include "functions/lib/store/due.h"
#include "functions/lib/store/mta-sts-row.h"

enum {
	MINUTE_MS = 60 * 1000,
	HOUR_MS = 60 * MINUTE_MS,
	DAY_MS = 24 * HOUR_MS,
	/* of what changed or went wrong: */
	CLOSE_MS = MINUTE_MS,
	CLOSE_FOR_MS = HOUR_MS,
	NEAR_MS = 10 * MINUTE_MS,
	NEAR_FOR_MS = DAY_MS,
};

/* The longest due first. */
#define CLAIM_TEXT(lock)                                                                           \
	"WITH due AS (SELECT domain_id FROM mta_sts WHERE due_at_ms <= $2"                         \
	" ORDER BY due_at_ms LIMIT $3" lock ") UPDATE mta_sts SET due_at_ms = $1"                  \
	" WHERE domain_id IN (SELECT domain_id FROM due)"                                          \
	" RETURNING " EDS_MTA_STS_COLUMNS ", due_at_ms"
static const struct eds_db_statement CLAIM = {"mta-sts-claim", CLAIM_TEXT("")};
static const struct eds_db_statement CLAIM_BESIDE = {
	"mta-sts-claim-beside", CLAIM_TEXT(" FOR UPDATE SKIP LOCKED")};

/* A lease that stands already goes on a little longer, so that it is another. */
static const struct eds_db_statement CLAIM_ONE = {"mta-sts-claim-one",
	"UPDATE mta_sts SET due_at_ms = CASE WHEN due_at_ms < $1 THEN $1 ELSE due_at_ms + 1 END"
	" WHERE domain_id = $2 RETURNING " EDS_MTA_STS_COLUMNS ", due_at_ms"};

static const struct eds_db_statement KEEP = {"mta-sts-keep",
	"UPDATE mta_sts SET due_at_ms = $1 WHERE domain_id = $2 AND due_at_ms + 0 = $3"};

static const struct eds_db_statement RECORD = {"mta-sts-record",
	"UPDATE mta_sts SET due_at_ms = $1, changed_at_ms = $4, checked_at_ms = $5, "
	"fetched_at_ms = $6, dns_id = $7, policy_fetched = $8, policy_mode = $9, valid = $10, "
	"errors = $11, evidence = $12 WHERE domain_id = $2 AND due_at_ms + 0 = $3"};

/* $1 the name, $2 the id seen in its TXT record: whoever of its holders issued it is the proven
 * one, and the others are not. Where none of them did, all stays as it is. */
#define ISSUER                                                                                     \
	"(SELECT i.domain_id FROM mta_sts_ids i JOIN mta_sts m ON m.domain_id = i.domain_id WHERE" \
	" i.policy_id = $2 AND m.name = $1)"
static const struct eds_db_statement PROVE = {"mta-sts-prove",
	"UPDATE mta_sts SET proven = CASE WHEN domain_id = " ISSUER " THEN 1 ELSE 0 END"
	" WHERE name = $1 AND EXISTS " ISSUER};

int64_t eds_mta_sts_next_check_ms(
	bool enabled, bool in_order, int64_t changed_at_ms, int64_t checked_at_ms)
{
	int64_t age_ms = checked_at_ms - changed_at_ms;
	int64_t pause_ms = HOUR_MS;

	if (!enabled)
		pause_ms = DAY_MS;
	else if (!in_order && age_ms < CLOSE_FOR_MS)
		pause_ms = CLOSE_MS;
	else if (!in_order && age_ms < NEAR_FOR_MS)
		pause_ms = NEAR_MS;
	return checked_at_ms + pause_ms - EDS_MTA_STS_EARLY_MS;
}

static bool in_order(const struct eds_mta_sts *config, const struct eds_mta_sts_observed *seen)
{
	return seen->policy_fetched && seen->dns_id != NULL &&
		strcmp(seen->dns_id, config->policy_id) == 0;
}

static enum eds_db_result record(
	struct eds_store *store, const struct eds_mta_sts_due *due, int64_t *changed)
{
	const struct eds_mta_sts *config = &due->config;
	const struct eds_mta_sts_observed *seen = &due->seen;
	bool well = in_order(config, seen);
	bool went_wrong = !well && in_order(config, &config->observed);
	int64_t changed_at_ms = went_wrong ? seen->checked_at_ms : config->changed_at_ms;
	int64_t next_at_ms = eds_mta_sts_next_check_ms(
		config->enabled, well, changed_at_ms, seen->checked_at_ms);

	return eds_db_execute(store->db, &RECORD,
		EDS_DB_VALUES(eds_db_int_value(next_at_ms), eds_db_text_value(config->domain_id),
			eds_db_int_value(due->lease_ms), eds_db_int_value(changed_at_ms),
			eds_db_int_value(seen->checked_at_ms),
			eds_db_int_value(
				seen->policy_fetched ? seen->checked_at_ms : config->fetched_at_ms),
			eds_db_text_value(seen->dns_id), eds_db_int_value(seen->policy_fetched),
			eds_db_text_value(seen->policy_mode), eds_db_int_value(seen->valid),
			eds_db_text_value(seen->errors), eds_db_text_value(seen->evidence)),
		changed);
}

/* Most see their own id, as before. */
static enum eds_db_result prove(struct eds_store *store, const struct eds_mta_sts_due *due)
{
	const struct eds_mta_sts *config = &due->config;

	if (due->seen.dns_id == NULL || (config->proven && in_order(config, &due->seen)))
		return EDS_DB_OK;
	return eds_db_execute(store->db, &PROVE,
		EDS_DB_VALUES(eds_db_text_value(config->name), eds_db_text_value(due->seen.dns_id)),
		NULL);
}

static enum eds_db_result write_outcome(
	struct eds_store *store, const struct eds_mta_sts_due *due, int64_t *changed)
{
	int64_t soon_ms = rt_wall_ms() + (due->config.enabled ? CLOSE_MS : HOUR_MS);
	enum eds_db_result result;

	switch (due->outcome) {
	case EDS_MTA_STS_OPEN:
		return EDS_DB_OK;
	case EDS_MTA_STS_KEPT:
		return eds_db_execute(store->db, &KEEP,
			EDS_DB_VALUES(eds_db_int_value(soon_ms - EDS_MTA_STS_EARLY_MS),
				eds_db_text_value(due->config.domain_id),
				eds_db_int_value(due->lease_ms)),
			changed);
	case EDS_MTA_STS_CHECKED:
		result = record(store, due, changed);
		return result == EDS_DB_OK && *changed > 0 ? prove(store, due) : result;
	}
	return EDS_DB_REFUSED;
}

static enum eds_db_result write_outcomes(
	struct eds_store *store, const void *items, size_t count, size_t *written)
{
	const struct eds_mta_sts_due *due = items;
	enum eds_db_result result = EDS_DB_OK;

	*written = 0;
	for (size_t i = 0; i < count && result == EDS_DB_OK; i++) {
		int64_t changed = 0;

		result = write_outcome(store, &due[i], &changed);
		*written += (size_t)changed;
	}
	return result;
}

static void read_due(struct rt_ctx *ctx, struct eds_db_query *query, void *item)
{
	struct eds_mta_sts_due *due = item;

	*due = (struct eds_mta_sts_due){0};
	eds_store_mta_sts_read(ctx, query, &due->config);
	due->lease_ms = eds_db_int(query, EDS_MTA_STS_COLUMN_COUNT);
}

static const struct eds_due_kind DOMAINS = {
	.item_bytes = sizeof(struct eds_mta_sts_due),
	.lease_ms = EDS_MTA_STS_LEASE_MS,
	.claim = &CLAIM,
	.claim_beside = &CLAIM_BESIDE,
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
