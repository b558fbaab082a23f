/* Registers and deletes DKIM selectors, and reads their history. */
#include <string.h>

#include "functions/lib/store/accounts/audit-write.h"
#include "functions/lib/store/accounts/plan-quota.h"
#include "functions/lib/store/alerts/alert-tell.h"
#include "functions/lib/store/selectors/selector-change.h"
#include "functions/lib/store/selectors/selector.h"
#include "functions/lib/store/transaction.h"
#include "runtime/config/config.h"
#include "runtime/time.h"

/* clang-format off */
static const struct eds_db_statement DELETE = {"selector-delete",
	"DELETE FROM dkim_selectors WHERE domain_id = $1 AND name = $2 RETURNING shown"};

#define CHANGE_COLUMNS(FIRST, NEXT) \
	FIRST(CHANGE_SELECTOR, "s.name") \
	NEXT(CHANGE_AT_MS, "c.changed_at_ms") \
	NEXT(CHANGE_STATE, "c.state") \
	NEXT(CHANGE_KEY_TYPE, "c.key_type") \
	NEXT(CHANGE_KEY_BITS, "c.key_bits") \
	NEXT(CHANGE_ERRORS, "c.errors") \
	NEXT(CHANGE_WARNINGS, "c.warnings") \
	NEXT(CHANGE_RECORD, "c.record") \
	NEXT(CHANGE_KEY_HASH, "c.key_hash") \
	NEXT(CHANGE_KEY_CHANGED, "c.key_changed")
enum { EDS_DB_NAMES(CHANGE_COLUMNS) };

static const struct eds_db_statement HISTORY = {"selector-history",
	"SELECT " EDS_DB_LIST(CHANGE_COLUMNS)
	" FROM dkim_selectors s"
	" LEFT JOIN dkim_changes c ON c.domain_id = s.domain_id AND c.name = s.name"
	" AND c.changed_at_ms > $3"
	" WHERE s.domain_id = $1 AND s.name = $2"
	" ORDER BY c.changed_at_ms DESC"};

static const struct eds_db_statement PRUNE = {"selector-prune",
	"DELETE FROM dkim_changes WHERE changed_at_ms <= $1"};
/* clang-format on */

rt_status eds_store_no_selector(struct rt_ctx *ctx)
{
	return rt_fail(ctx, RT_NOT_FOUND, "selector-not-found",
		"there is no such selector on this domain");
}

/* Registers a discovered selector; its evidence from reports stays. */
static const struct eds_db_statement PROMOTE = {"selector-promote",
	"UPDATE dkim_selectors"
	" SET manual = 1, shown = $3"
	" WHERE domain_id = $1 AND name = $2 AND manual = 0"};

static const struct eds_db_statement COUNT_MANUAL = {"selector-count-manual",
	"SELECT count(*) FROM dkim_selectors WHERE domain_id = $1 AND manual = 1"};

struct addition {
	const struct eds_domain *domain;
	const char *name;
	const struct eds_selector_check *check;
	int64_t next_at_ms;
	bool discovered; /* the domain already had the selector, as a discovered one */
};

static rt_status check_quota(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_domain *domain)
{
	int limit = eds_plan_quota(domain->plan)->selectors;
	int64_t count;

	if (limit == 0)
		return RT_OK;
	RT_TRY(eds_store_count(ctx, store, &COUNT_MANUAL, domain->id, &count));
	if (count <= limit)
		return RT_OK;
	return rt_fail(ctx, RT_FORBIDDEN, "selector-limit",
		"the domain has as many registered selectors as the plan allows (%d)", limit);
}

static rt_status add(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	struct addition *addition = arg;
	int64_t promoted = 0;
	enum eds_db_result result = eds_db_execute(store->db, &PROMOTE,
		EDS_DB_VALUES(eds_db_text_value(addition->domain->id),
			eds_db_text_value(rt_lower(ctx, addition->name)),
			eds_db_text_value(addition->name)),
		&promoted);

	addition->discovered = promoted > 0;
	if (result == EDS_DB_OK && promoted == 0)
		result = eds_store_selector_insert(ctx, store, addition->domain, addition->name,
			true, addition->check, addition->next_at_ms);
	if (result == EDS_DB_UNIQUE)
		return rt_fail(ctx, RT_CONFLICT, "selector-exists",
			"%s is registered for this domain already", addition->name);
	if (result == EDS_DB_FOREIGN_KEY)
		return eds_store_no_domain(ctx);
	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	eds_store_audit_about(store, NULL, addition->name);
	return check_quota(ctx, store, addition->domain);
}

rt_status eds_store_selector_add(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *name, const struct eds_selector_check *check,
	int64_t next_at_ms, bool *discovered)
{
	struct addition addition = {
		.domain = domain, .name = name, .check = check, .next_at_ms = next_at_ms};

	RT_TRY(eds_store_write(ctx, store, add, &addition));
	*discovered = addition.discovered;
	return RT_OK;
}

struct removal {
	const struct eds_domain *domain;
	const char *name;
	const char *shown;
};

static rt_status delete (struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	struct removal *removal = arg;
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &DELETE,
		EDS_DB_VALUES(eds_db_text_value(removal->domain->id),
			eds_db_text_value(rt_lower(ctx, removal->name))),
		&query);

	removal->shown = NULL;
	if (result == EDS_DB_ROW) {
		removal->shown = eds_db_text(ctx, query, EDS_DB_ONLY);
		result = eds_db_next(query);
	}
	eds_db_end(query);
	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	if (removal->shown == NULL)
		return eds_store_no_selector(ctx);
	return eds_store_alert_trouble_over(ctx, store, removal->domain->id,
		rt_printf(ctx, "selector %s", rt_lower(ctx, removal->name)));
}

rt_status eds_store_selector_delete(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *name, const char **shown)
{
	struct removal removal = {.domain = domain, .name = name};

	RT_TRY(eds_store_write(ctx, store, delete, &removal));
	*shown = removal.shown;
	return RT_OK;
}

static void read_change(
	struct rt_ctx *ctx, struct eds_db_query *query, struct eds_selector_change *change)
{
	change->at_ms = eds_db_int(query, CHANGE_AT_MS);
	change->state = eds_db_text(ctx, query, CHANGE_STATE);
	change->key_type = eds_db_text(ctx, query, CHANGE_KEY_TYPE);
	change->key_bits = eds_db_int(query, CHANGE_KEY_BITS);
	change->errors = eds_db_text(ctx, query, CHANGE_ERRORS);
	change->warnings = eds_db_text(ctx, query, CHANGE_WARNINGS);
	change->record = eds_db_text(ctx, query, CHANGE_RECORD);
	change->key_hash = eds_db_text(ctx, query, CHANGE_KEY_HASH);
	change->key_changed = eds_db_int(query, CHANGE_KEY_CHANGED) != 0;
}

rt_status eds_store_selector_history(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *name, struct eds_selector_change **changes,
	size_t *count)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &HISTORY,
		EDS_DB_VALUES(eds_db_text_value(domain->id), eds_db_text_value(rt_lower(ctx, name)),
			eds_db_int_value(rt_wall_ms() - EDS_SELECTOR_HISTORY_MS)),
		&query);
	bool exists = result == EDS_DB_ROW;
	size_t room = 0;

	*changes = NULL;
	for (*count = 0; result == EDS_DB_ROW; result = eds_db_next(query)) {
		*changes = rt_grow(ctx, *changes, *count, &room, sizeof **changes);
		read_change(ctx, query, &(*changes)[*count]);
		if ((*changes)[*count].state != NULL)
			++*count;
	}
	eds_db_end(query);
	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return exists ? RT_OK : eds_store_no_selector(ctx);
}

static rt_status prune(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	enum eds_db_result result = eds_db_execute(store->db, &PRUNE,
		EDS_DB_VALUES(eds_db_int_value(rt_wall_ms() - EDS_SELECTOR_HISTORY_MS)), arg);

	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_selector_history_prune(
	struct rt_ctx *ctx, struct eds_store *store, int64_t *removed)
{
	return eds_store_write(ctx, store, prune, removed);
}
