/* DKIM selectors that are due: claimed with a lease, and the outcome of their checks written. */
#include "functions/lib/store/due.h"
#include "functions/lib/store/selector-change.h"

#define DUE_COLUMNS                                                                                \
	"domain_id, name, domain, digest, wildcard, probed_at_ms, changed_at_ms, due_at_ms"

/* The longest due first. */
static const struct eds_db_statement CLAIM = {"selector-claim",
	"UPDATE dkim_selectors SET due_at_ms = $1 WHERE due_at_ms <= $2 AND (domain_id, name) IN"
	" (SELECT domain_id, name FROM dkim_selectors WHERE due_at_ms <= $2"
	" ORDER BY due_at_ms LIMIT $3) RETURNING " DUE_COLUMNS};
static const struct eds_db_statement ANY_DUE = {"selectors-due",
	"SELECT 1 FROM dkim_selectors WHERE due_at_ms <= $1 ORDER BY due_at_ms LIMIT 1"};

/* A lease that stands already goes on a little longer, so that it is another. */
static const struct eds_db_statement CLAIM_ONE = {"selector-claim-one",
	"UPDATE dkim_selectors SET due_at_ms = CASE WHEN due_at_ms < $1 THEN $1"
	" ELSE due_at_ms + 1 END WHERE domain_id = $2 AND name = $3 RETURNING " DUE_COLUMNS};

static const struct eds_db_statement KEEP = {"selector-keep",
	"UPDATE dkim_selectors SET due_at_ms = $1"
	" WHERE domain_id = $2 AND name = $3 AND due_at_ms = $4"};

static const struct eds_db_statement TOUCH = {"selector-touch",
	"UPDATE dkim_selectors SET due_at_ms = $1, checked_at_ms = $5, probed_at_ms = $6"
	" WHERE domain_id = $2 AND name = $3 AND due_at_ms = $4"};

static const struct eds_db_statement CHANGE = {"selector-change",
	"UPDATE dkim_selectors SET due_at_ms = $1, checked_at_ms = $5, changed_at_ms = $5, "
	"probed_at_ms = $6, state = $7, key_type = $8, key_bits = $9, alias = $10, errors = $11, "
	"warnings = $12, wildcard = $13, digest = $14"
	" WHERE domain_id = $2 AND name = $3 AND due_at_ms = $4"};

static const struct eds_db_statement REMEMBER = {"selector-remember",
	"INSERT INTO dkim_changes (domain_id, name, changed_at_ms, state, key_type, key_bits, "
	"errors, warnings) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (domain_id, name, "
	"changed_at_ms) DO UPDATE SET state = excluded.state, key_type = excluded.key_type, "
	"key_bits = excluded.key_bits, errors = excluded.errors,"
	" warnings = excluded.warnings"};

enum eds_db_result eds_store_selector_remember(struct eds_store *store, const char *domain_id,
	const char *name, const struct eds_selector_check *check)
{
	return eds_db_execute(store->db, &REMEMBER,
		EDS_DB_VALUES(eds_db_text_value(domain_id), eds_db_text_value(name),
			eds_db_int_value(check->checked_at_ms), eds_db_text_value(check->state),
			eds_db_text_value(check->key_type), eds_db_int_value(check->key_bits),
			eds_db_text_value(check->errors), eds_db_text_value(check->warnings)),
		NULL);
}

static enum eds_db_result change(
	struct eds_store *store, const struct eds_selector_due *due, int64_t *changed)
{
	const struct eds_selector_check *check = due->check;
	enum eds_db_result result = eds_db_execute(store->db, &CHANGE,
		EDS_DB_VALUES(eds_db_int_value(due->next_at_ms), eds_db_text_value(due->domain_id),
			eds_db_text_value(due->name), eds_db_int_value(due->lease_ms),
			eds_db_int_value(check->checked_at_ms),
			eds_db_int_value(check->probed_at_ms), eds_db_text_value(check->state),
			eds_db_text_value(check->key_type), eds_db_int_value(check->key_bits),
			eds_db_text_value(check->alias), eds_db_text_value(check->errors),
			eds_db_text_value(check->warnings), eds_db_int_value(check->wildcard),
			eds_db_int_value(check->digest)),
		changed);

	if (result != EDS_DB_OK || *changed == 0)
		return result;
	return eds_store_selector_remember(store, due->domain_id, due->name, check);
}

static enum eds_db_result write_outcome(struct eds_store *store, const void *item, int64_t *changed)
{
	const struct eds_selector_due *due = item;
	const struct eds_selector_check *check = due->check;

	switch (due->outcome) {
	case EDS_DUE_OPEN:
		return EDS_DB_OK;
	case EDS_DUE_KEPT:
		return eds_db_execute(store->db, &KEEP,
			EDS_DB_VALUES(eds_db_int_value(due->next_at_ms),
				eds_db_text_value(due->domain_id), eds_db_text_value(due->name),
				eds_db_int_value(due->lease_ms)),
			changed);
	case EDS_DUE_SAME:
		return eds_db_execute(store->db, &TOUCH,
			EDS_DB_VALUES(eds_db_int_value(due->next_at_ms),
				eds_db_text_value(due->domain_id), eds_db_text_value(due->name),
				eds_db_int_value(due->lease_ms),
				eds_db_int_value(check->checked_at_ms),
				eds_db_int_value(check->probed_at_ms)),
			changed);
	case EDS_DUE_CHANGED:
		return change(store, due, changed);
	}
	return EDS_DB_REFUSED;
}

static void read_due(struct rt_ctx *ctx, struct eds_db_query *query, void *item)
{
	*(struct eds_selector_due *)item = (struct eds_selector_due){
		.domain_id = eds_db_text(ctx, query, 0),
		.name = eds_db_text(ctx, query, 1),
		.domain = eds_db_text(ctx, query, 2),
		.digest = eds_db_int(query, 3),
		.wildcard = eds_db_int(query, 4) != 0,
		.probed_at_ms = eds_db_int(query, 5),
		.changed_at_ms = eds_db_int(query, 6),
		.lease_ms = eds_db_int(query, 7),
	};
}

static const struct eds_due_kind SELECTORS = {
	.item_bytes = sizeof(struct eds_selector_due),
	.lease_ms = EDS_SELECTOR_LEASE_MS,
	.claim = &CLAIM,
	.claim_one = &CLAIM_ONE,
	.any = &ANY_DUE,
	.read = read_due,
	.write = write_outcome,
};

rt_status eds_store_selectors_turn(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_selector_due *done, size_t done_count, size_t *written, size_t max,
	struct eds_selector_due **claimed, size_t *claimed_count)
{
	void *items;

	RT_TRY(eds_store_due_turn(
		ctx, store, &SELECTORS, done, done_count, written, max, &items, claimed_count));
	*claimed = items;
	return RT_OK;
}

rt_status eds_store_selector_claim(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *name, struct eds_selector_due *due)
{
	bool found;

	RT_TRY(eds_store_due_claim_one(
		ctx, store, &SELECTORS, domain->id, rt_lower(ctx, name), due, &found));
	return found ? RT_OK : eds_store_no_selector(ctx);
}
