#include "functions/lib/store/selectors/selector-found.h"
#include "runtime/time.h"

#include "functions/lib/store/selectors/selector-change.h"

static const struct eds_db_statement IS_KNOWN = {
	"selector-is-known", "SELECT 1 FROM dkim_selectors WHERE domain_id = $1 AND name = $2"};

static const struct eds_db_statement DISCOVERED = {"selector-discovered-count",
	"SELECT count(*) FROM dkim_selectors WHERE domain_id = $1 AND manual = 0"};

static const struct eds_selector_check UNCHECKED = {
	.state = "unknown", .errors = "[]", .warnings = "[]"};

static rt_status has_room(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_domain *domain, bool *room)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(
		store->db, &DISCOVERED, EDS_DB_VALUES(eds_db_text_value(domain->id)), &query);

	*room = result == EDS_DB_ROW && eds_db_int(query, EDS_DB_ONLY) < EDS_DISCOVERED_DOMAIN_MAX;
	eds_db_end(query);
	return result == EDS_DB_ROW ? RT_OK : eds_store_failed(ctx, store, result);
}

static rt_status add(struct rt_ctx *ctx, struct eds_store *store, const struct eds_domain *domain,
	const char *name)
{
	enum eds_db_result result;
	bool known;
	bool room;

	RT_TRY(eds_store_has_row(ctx, store, &IS_KNOWN,
		EDS_DB_VALUES(
			eds_db_text_value(domain->id), eds_db_text_value(rt_lower(ctx, name))),
		&known));
	if (known)
		return RT_OK;
	RT_TRY(has_room(ctx, store, domain, &room));
	if (!room)
		return RT_OK;
	result = eds_store_selector_insert(
		ctx, store, domain, name, false, &UNCHECKED, rt_wall_ms());
	if (result == EDS_DB_UNIQUE)
		result = EDS_DB_BUSY; /* another transaction inserted the selector first, so this
				       * transaction must decide again */
	if (result == EDS_DB_FOREIGN_KEY)
		return eds_store_no_domain(ctx);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_selectors_found(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		RT_TRY(add(ctx, store, domain, names[i]));
	return RT_OK;
}
