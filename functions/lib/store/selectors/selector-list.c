#include <stdlib.h>
#include <string.h>

#include "functions/lib/store/selectors/selector-list.h"
#include "functions/lib/store/selectors/selector.h"
#include "functions/lib/store/transaction.h"

/* clang-format off */
/* True when the row's record and the row's result are from the same answer of DNS. Programs of
 * earlier releases change a row without setting its record; the digests then differ. */
#define IS_TOLD "record_digest = digest"
#define IS_USABLE IS_TOLD " AND state = 'valid'"
/* True for a usable key at the selector's own name, not behind a CNAME. */
#define IS_PUBLISHED IS_USABLE " AND alias IS NULL"

/* The name of another domain of the account that publishes the same key; NULL for none. Reads the
 * rows with this key in the order of their domain ids, up to the first domain of the account. Reads
 * only a limited number of rows, because anybody may publish a public key, in any number of
 * domains. SQLite reads the rows one by one only if the join is a CROSS JOIN; for another kind of
 * join, it first copies all rows. */
#define SHARED_WITH \
	"(SELECT o.domain FROM (SELECT domain_id, domain FROM dkim_selectors" \
	" WHERE key_hash = s.key_hash AND alias IS NULL AND state = 'valid'" \
	" AND domain_id <> s.domain_id ORDER BY domain_id LIMIT 200) o CROSS JOIN domains d" \
	" WHERE d.id = o.domain_id" \
	" AND d.account_id = (SELECT account_id FROM domains WHERE id = $1) LIMIT 1)"

#define SELECTOR_COLUMNS(FIRST, NEXT) \
	FIRST(SELECTOR_NAME, "shown") \
	NEXT(SELECTOR_MANUAL, "manual") \
	NEXT(SELECTOR_FIRST_SEEN_MS, "first_seen_at_ms") \
	NEXT(SELECTOR_LAST_SEEN_MS, "last_seen_at_ms") \
	NEXT(SELECTOR_PASS_COUNT, "pass_count") \
	NEXT(SELECTOR_FAIL_COUNT, "fail_count") \
	NEXT(SELECTOR_STATE, "state") \
	NEXT(SELECTOR_KEY_TYPE, "key_type") \
	NEXT(SELECTOR_KEY_BITS, "key_bits") \
	NEXT(SELECTOR_ALIAS, "alias") \
	NEXT(SELECTOR_ERRORS, "errors") \
	NEXT(SELECTOR_WARNINGS, "warnings") \
	NEXT(SELECTOR_CHECKED_AT_MS, "checked_at_ms") \
	NEXT(SELECTOR_RECORD, "CASE WHEN " IS_TOLD " THEN record END") \
	NEXT(SELECTOR_KEY_HASH, "CASE WHEN " IS_USABLE " THEN key_hash END") \
	NEXT(SELECTOR_KEY_SINCE_MS, "CASE WHEN " IS_USABLE " THEN key_since_ms ELSE 0 END") \
	NEXT(SELECTOR_CREATED_AT_MS, "created_at_ms")
enum { EDS_DB_NAMES(SELECTOR_COLUMNS) SELECTOR_SHARED_WITH };


#define LIST(behind, order) \
	"SELECT " EDS_DB_LIST(SELECTOR_COLUMNS) ", NULL FROM dkim_selectors s WHERE domain_id = $1" \
	" AND name LIKE $4 ESCAPE '!' AND ($5 = '' OR $5 = CASE WHEN state <> 'valid' THEN state" \
	" WHEN last_seen_at_ms > $6 THEN 'active' ELSE 'unused' END)" \
	" AND " behind " ORDER BY " order " LIMIT $3"

/* The statements that list selectors, one for each order. In an order by name, a page begins after
 * the name $2; in an order by age, after the time $2 and the name $7. */
static const struct eds_db_statement LISTS[] = {
	[EDS_BY_NAME] = {"selector-list", LIST("name COLLATE \"C\" > $2", "name COLLATE \"C\"")},
	[EDS_BY_NAME_DOWN] = {"selector-list-down",
		LIST("name COLLATE \"C\" < $2", "name COLLATE \"C\" DESC")},
	[EDS_BY_AGE] = {"selector-list-age",
		LIST("(created_at_ms, name COLLATE \"C\") > ($2, $7)",
			"created_at_ms, name COLLATE \"C\"")},
	[EDS_BY_AGE_DOWN] = {"selector-list-age-down",
		LIST("(created_at_ms, name COLLATE \"C\") < ($2, $7)",
			"created_at_ms DESC, name COLLATE \"C\" DESC")},
};
/* clang-format on */

enum {
	VALUES_BY_NAME = 6,
	VALUES_BY_AGE = 7,
};

/* The position before the first selector in each order; ~ sorts after every octet of a name. */
static const struct eds_selector STARTS[] = {
	[EDS_BY_NAME] = {.name = ""},
	[EDS_BY_NAME_DOWN] = {.name = "~"},
	[EDS_BY_AGE] = {.name = "", .created_at_ms = INT64_MIN},
	[EDS_BY_AGE_DOWN] = {.name = "", .created_at_ms = INT64_MAX},
};

/* clang-format off */
#define SHARED_COLUMNS(FIRST, NEXT) \
	FIRST(SHARED_KEY_HASH, "s.key_hash") \
	NEXT(SHARED_DOMAIN, SHARED_WITH)
enum { EDS_DB_NAMES(SHARED_COLUMNS) };

/* Searches once for each key of a page, not for each selector: a thousand selectors may have the
 * same key, and each search for another domain with this key may read the rows of all of them. */
static const struct eds_db_statement LIST_SHARED = {"selector-list-shared",
	"SELECT " EDS_DB_LIST(SHARED_COLUMNS)
	" FROM (SELECT DISTINCT domain_id, key_hash FROM dkim_selectors WHERE domain_id = $1"
	" AND name COLLATE \"C\" >= $2 AND name COLLATE \"C\" <= $3 AND " IS_PUBLISHED
	" AND key_hash IS NOT NULL) s"};

static const struct eds_db_statement GET = {"selector-get",
	"SELECT " EDS_DB_LIST(SELECTOR_COLUMNS) ", CASE WHEN " IS_PUBLISHED
	" THEN " SHARED_WITH " END"
	" FROM dkim_selectors s"
	" WHERE domain_id = $1 AND name = $2"};
/* clang-format on */

static void read_selector(
	struct rt_ctx *ctx, struct eds_db_query *query, struct eds_selector *selector)
{
	struct eds_selector_check *check = &selector->check;

	selector->name = eds_db_text(ctx, query, SELECTOR_NAME);
	selector->manual = eds_db_int(query, SELECTOR_MANUAL) != 0;
	selector->first_seen_ms = eds_db_int(query, SELECTOR_FIRST_SEEN_MS);
	selector->last_seen_ms = eds_db_int(query, SELECTOR_LAST_SEEN_MS);
	selector->pass_count = eds_db_int(query, SELECTOR_PASS_COUNT);
	selector->fail_count = eds_db_int(query, SELECTOR_FAIL_COUNT);
	check->state = eds_db_text(ctx, query, SELECTOR_STATE);
	check->key_type = eds_db_text(ctx, query, SELECTOR_KEY_TYPE);
	check->key_bits = eds_db_int(query, SELECTOR_KEY_BITS);
	check->alias = eds_db_text(ctx, query, SELECTOR_ALIAS);
	check->errors = eds_db_text(ctx, query, SELECTOR_ERRORS);
	check->warnings = eds_db_text(ctx, query, SELECTOR_WARNINGS);
	check->checked_at_ms = eds_db_int(query, SELECTOR_CHECKED_AT_MS);
	check->record = eds_db_text(ctx, query, SELECTOR_RECORD);
	check->key_hash = eds_db_text(ctx, query, SELECTOR_KEY_HASH);
	check->key_since_ms = eds_db_int(query, SELECTOR_KEY_SINCE_MS);
	selector->created_at_ms = eds_db_int(query, SELECTOR_CREATED_AT_MS);
	selector->shared_with = eds_db_text(ctx, query, SELECTOR_SHARED_WITH);
}

struct shared_key {
	const char *hash;
	const char *with; /* another domain that has the key */
};

static int compare_keys(const void *left, const void *right)
{
	return strcmp(
		((const struct shared_key *)left)->hash, ((const struct shared_key *)right)->hash);
}

/* Reads those keys of the selectors with names from `first` to `last` that another domain of the
 * account publishes, too. The keys are sorted by hash. */
static rt_status read_shared(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *first, const char *last,
	struct shared_key **keys, size_t *count)
{
	size_t room = 0;
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &LIST_SHARED,
		EDS_DB_VALUES(eds_db_text_value(domain->id), eds_db_text_value(first),
			eds_db_text_value(last)),
		&query);

	*keys = NULL;
	for (*count = 0; result == EDS_DB_ROW; result = eds_db_next(query)) {
		const char *with = eds_db_text(ctx, query, SHARED_DOMAIN);

		if (with == NULL)
			continue;
		*keys = rt_grow(ctx, *keys, *count, &room, sizeof **keys);
		(*keys)[(*count)++] = (struct shared_key){
			eds_db_text(ctx, query, SHARED_KEY_HASH), with};
	}
	eds_db_end(query);
	if (*count > 0)
		qsort(*keys, *count, sizeof **keys, compare_keys);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

static void note_shared(
	struct eds_selector *selector, const struct shared_key *keys, size_t key_count)
{
	const struct shared_key own = {.hash = selector->check.key_hash};
	const struct shared_key *found;

	if (own.hash == NULL || selector->check.alias != NULL || key_count == 0)
		return;
	found = bsearch(&own, keys, key_count, sizeof *keys, compare_keys);
	if (found != NULL)
		selector->shared_with = found->with;
}

/* Finds the lowest and the highest name of a page, whatever its order. */
static void find_ends(struct rt_ctx *ctx, const struct eds_selector *selectors, size_t count,
	const char **first, const char **last)
{
	*first = *last = rt_lower(ctx, selectors[0].name);
	for (size_t i = 1; i < count; i++) {
		const char *name = rt_lower(ctx, selectors[i].name);

		if (strcmp(name, *first) < 0)
			*first = name;
		if (strcmp(name, *last) > 0)
			*last = name;
	}
}

static rt_status note_all_shared(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, struct eds_selector *selectors, size_t count)
{
	struct shared_key *keys;
	const char *first;
	const char *last;
	size_t key_count;

	if (count == 0)
		return RT_OK;
	find_ends(ctx, selectors, count, &first, &last);
	RT_TRY(read_shared(ctx, store, domain, first, last, &keys, &key_count));
	for (size_t i = 0; i < count; i++)
		note_shared(&selectors[i], keys, key_count);
	return RT_OK;
}

static enum eds_db_result ask(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_selector_query *wanted,
	struct eds_db_query **query)
{
	bool by_age = eds_order_is_by_age(wanted->order);
	const struct eds_selector *after = wanted->after != NULL ? wanted->after
								 : &STARTS[wanted->order];
	const char *name = rt_lower(ctx, after->name);
	const struct eds_db_value values[] = {eds_db_text_value(domain->id),
		by_age ? eds_db_int_value(after->created_at_ms) : eds_db_text_value(name),
		eds_db_int_value(wanted->limit > 0 ? wanted->limit : INT32_MAX),
		eds_db_text_value(eds_store_part_pattern(ctx, wanted->part)),
		eds_db_text_value(wanted->state != NULL ? wanted->state : ""),
		eds_db_int_value(wanted->active_since_ms), eds_db_text_value(name)};

	return eds_db_query(store->db, &LISTS[wanted->order], values,
		by_age ? VALUES_BY_AGE : VALUES_BY_NAME, query);
}

rt_status eds_store_selector_list(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_selector_query *wanted,
	struct eds_selector **selectors, size_t *count)
{
	size_t room = 0;
	struct eds_db_query *query;
	enum eds_db_result result = ask(ctx, store, domain, wanted, &query);

	*selectors = NULL;
	for (*count = 0; result == EDS_DB_ROW; ++*count) {
		*selectors = rt_grow(ctx, *selectors, *count, &room, sizeof **selectors);
		read_selector(ctx, query, &(*selectors)[*count]);
		result = eds_db_next(query);
	}
	eds_db_end(query);
	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return note_all_shared(ctx, store, domain, *selectors, *count);
}

rt_status eds_store_selector_get(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *name, struct eds_selector *selector)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &GET,
		EDS_DB_VALUES(
			eds_db_text_value(domain->id), eds_db_text_value(rt_lower(ctx, name))),
		&query);

	if (result == EDS_DB_ROW)
		read_selector(ctx, query, selector);
	eds_db_end(query);
	if (result == EDS_DB_OK)
		return eds_store_no_selector(ctx);
	return result == EDS_DB_ROW ? RT_OK : eds_store_failed(ctx, store, result);
}
