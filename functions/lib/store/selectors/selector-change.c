/* Inserts a selector's row and lines of its history, and removes old lines. */
#include "functions/lib/store/selectors/selector-change.h"
#include "functions/lib/store/selectors/selector.h"
#include "runtime/time.h"

#include <string.h>

static const struct eds_db_statement INSERT = {"selector-insert",
	"INSERT INTO dkim_selectors (domain_id, name, shown, domain, manual, created_at_ms,"
	" first_seen_at_ms, last_seen_at_ms, pass_count, fail_count, checked_at_ms,"
	" changed_at_ms, state, key_type, key_bits, alias, errors, warnings, wildcard, digest,"
	" probed_at_ms, due_at_ms, key_digest, record, key_hash, key_since_ms, record_digest)"
	" VALUES ($1, $2, $3, $4, $16, $17, 0, 0, 0, 0, $5, $5, $6, $7, $8, $9, $10, $11, $12,"
	" $13, $14, $15, $18, $19, $20, $21, $13)"};

static const struct eds_db_statement REMEMBER = {"selector-remember",
	"INSERT INTO dkim_changes (domain_id, name, changed_at_ms, state, key_type, key_bits,"
	" errors, warnings, record, key_hash, key_changed)"
	" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"
	" ON CONFLICT (domain_id, name, changed_at_ms) DO UPDATE SET state = excluded.state,"
	" key_type = excluded.key_type, key_bits = excluded.key_bits, errors = excluded.errors,"
	" warnings = excluded.warnings, record = excluded.record, key_hash = excluded.key_hash,"
	" key_changed = excluded.key_changed"};

/* Removes old changes of a selector. $3 is the number of changes that stay, $4 the maximum number
 * that is removed at once. */
static const struct eds_db_statement TRIM = {"selector-trim",
	"DELETE FROM dkim_changes"
	" WHERE domain_id = $1 AND name = $2 AND changed_at_ms IN (SELECT changed_at_ms"
	" FROM dkim_changes WHERE domain_id = $1 AND name = $2 ORDER BY changed_at_ms DESC"
	" LIMIT $4 OFFSET $3)"};

static enum eds_db_result remember(struct eds_store *store, const char *domain_id, const char *name,
	const struct eds_selector_check *check)
{
	return eds_db_execute(store->db, &REMEMBER,
		EDS_DB_VALUES(eds_db_text_value(domain_id), eds_db_text_value(name),
			eds_db_int_value(check->checked_at_ms), eds_db_text_value(check->state),
			eds_db_text_value(check->key_type), eds_db_int_value(check->key_bits),
			eds_db_text_value(check->errors), eds_db_text_value(check->warnings),
			eds_db_text_value(check->record), eds_db_text_value(check->key_hash),
			eds_db_int_value(check->key_changed)),
		NULL);
}

enum eds_db_result eds_store_selector_remember(struct eds_store *store, const char *domain_id,
	const char *name, const struct eds_selector_check *check, bool changed_before)
{
	enum eds_db_result result = remember(store, domain_id, name, check);

	if (result != EDS_DB_OK || !changed_before)
		return result;
	return eds_db_execute(store->db, &TRIM,
		EDS_DB_VALUES(eds_db_text_value(domain_id), eds_db_text_value(name),
			eds_db_int_value(EDS_SELECTOR_HISTORY_MAX),
			eds_db_int_value(EDS_SELECTOR_TRIM_BATCH)),
		NULL);
}

enum eds_db_result eds_store_selector_insert(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *shown, bool manual,
	const struct eds_selector_check *check, int64_t next_at_ms)
{
	const char *name = rt_lower(ctx, shown);
	enum eds_db_result result = eds_db_execute(store->db, &INSERT,
		EDS_DB_VALUES(eds_db_text_value(domain->id), eds_db_text_value(name),
			eds_db_text_value(shown), eds_db_text_value(domain->name),
			eds_db_int_value(check->checked_at_ms), eds_db_text_value(check->state),
			eds_db_text_value(check->key_type), eds_db_int_value(check->key_bits),
			eds_db_text_value(check->alias), eds_db_text_value(check->errors),
			eds_db_text_value(check->warnings), eds_db_int_value(check->wildcard),
			eds_db_int_value(check->digest), eds_db_int_value(check->probed_at_ms),
			eds_db_int_value(next_at_ms), eds_db_int_value(manual),
			eds_db_int_value(rt_wall_ms()), eds_db_int_value(check->key_digest),
			eds_db_text_value(check->record), eds_db_text_value(check->key_hash),
			eds_db_int_value(check->key_hash != NULL ? check->checked_at_ms : 0)),
		NULL);

	if (result != EDS_DB_OK || strcmp(check->state, "unknown") == 0)
		return result;
	return remember(store, domain->id, name, check);
}
