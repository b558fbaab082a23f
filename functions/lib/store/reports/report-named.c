#include "functions/lib/store/reports/report-named.h"
#include "runtime/time.h"

#include <string.h>

#include "functions/lib/store/selectors/selector-change.h"
#include "functions/lib/store/selectors/selector.h"

/* clang-format off */
static const struct eds_db_statement CREDIT = {"report-credit",
	"INSERT INTO report_credits (domain_id, identity, received_at_ms)"
	" SELECT id, CAST($2 AS TEXT), CAST($3 AS BIGINT)"
	" FROM domains"
	" WHERE id = $1"
	" ON CONFLICT DO NOTHING"};

static const struct eds_db_statement EXISTS = {"report-selector-exists",
	"SELECT 1 FROM dkim_selectors WHERE domain_id = $1 AND name = $2"};

/* Adds a report's evidence about a selector to the row of the selector: how many messages passed
 * and failed, and when the selector was first and last seen. Caps the counts of messages, so that
 * no number in a report can overflow them. */
static const struct eds_db_statement SEEN = {"report-selector-seen",
	"UPDATE dkim_selectors"
	" SET first_seen_at_ms = CASE WHEN first_seen_at_ms = 0 OR first_seen_at_ms > $3 THEN $3"
	" ELSE first_seen_at_ms END, last_seen_at_ms = CASE WHEN last_seen_at_ms < $4 THEN $4"
	" ELSE last_seen_at_ms END, pass_count = CASE WHEN pass_count + $5 > $7 THEN $7"
	" ELSE pass_count + $5 END, fail_count = CASE WHEN fail_count + $6 > $7 THEN $7"
	" ELSE fail_count + $6 END"
	" WHERE domain_id = $1 AND name = $2"};

/* True for a selector without a key in DNS; an answer from a wildcard is no key. A selector with
 * which messages passed is assumed to have a key until a check finds none in DNS. */
#define IS_DEAD \
	"((state = 'invalid' AND key_bits = 0)" \
	" OR (pass_count = 0 AND (state = 'unknown' OR wildcard = 1)))"

#define DISCOVERED_COLUMNS(FIRST, NEXT) \
	FIRST(DISCOVERED_COUNT, "count(*)") \
	NEXT(DISCOVERED_DEAD, "coalesce(sum(CASE WHEN " IS_DEAD " THEN 1 ELSE 0 END), 0)") \
	NEXT(DISCOVERED_IDLE, "coalesce(sum(CASE WHEN pass_count = 0 AND " IS_DEAD " THEN 1" \
		" ELSE 0 END), 0)")
enum { EDS_DB_NAMES(DISCOVERED_COLUMNS) };

static const struct eds_db_statement DISCOVERED = {"report-discovered",
	"SELECT " EDS_DB_LIST(DISCOVERED_COLUMNS)
	" FROM dkim_selectors"
	" WHERE domain_id = $1 AND manual = 0"};

/* Removes one discovered selector without a key to make room. Prefers selectors with which no
 * message passed, and among equal selectors the one that was seen longest ago. */
static const struct eds_db_statement GIVE_WAY = {"report-selector-give-way",
	"DELETE FROM dkim_selectors"
	" WHERE domain_id = $1 AND name IN (SELECT name FROM dkim_selectors WHERE domain_id = $1"
	" AND manual = 0 AND " IS_DEAD " ORDER BY CASE WHEN pass_count = 0 THEN 0 ELSE 1 END,"
	" last_seen_at_ms, created_at_ms, name LIMIT 1)"};
/* clang-format on */

#define COUNT_MAX INT64_C(1000000000000000)

/* How much of its maximum numbers of selectors a domain has used. */
struct quota {
	const struct eds_domain *domain;
	bool credited; /* the evidence of this report has not been counted for the domain before */
	bool counted;
	int64_t discovered;
	int64_t dead; /* discovered selectors without a key in DNS */
	int64_t idle; /* discovered selectors with which no message passed and which have no key in
		       * DNS */
};

struct decision {
	struct rt_ctx *ctx;
	struct eds_store *store;
	const struct eds_report_line *line; /* NULL when outcomes are only decided beforehand and
					     * nothing is written */
	struct quota *quotas;
	size_t quota_count;
	int discovered;
};

static const struct eds_selector_check UNCHECKED = {
	.state = "unknown", .errors = "[]", .warnings = "[]"};

static bool is_open(const struct eds_named_selector *named)
{
	return named->outcome < EDS_NAMED_DOTTED;
}

static rt_status credit(struct decision *decision, struct quota *quota)
{
	const struct eds_report_line *line = decision->line;
	int64_t changed = 0;
	enum eds_db_result result = EDS_DB_OK;

	quota->credited = true;
	if (line == NULL || !line->counts)
		return RT_OK;
	result = eds_db_execute(decision->store->db, &CREDIT,
		EDS_DB_VALUES(eds_db_text_value(quota->domain->id),
			/* a report that was cut short is recorded under the identity of the whole
			 * report, so that evidence is not counted twice when the whole report
			 * arrives, too */
			eds_db_text_value(line->whole_identity != NULL ? line->whole_identity
								       : line->identity),
			eds_db_int_value(line->received_at_ms)),
		&changed);
	quota->credited = changed == 1;
	return result == EDS_DB_OK ? RT_OK
				   : eds_store_failed(decision->ctx, decision->store, result);
}

static rt_status find_quota(
	struct decision *decision, const struct eds_domain *domain, struct quota **quota)
{
	for (size_t i = 0; i < decision->quota_count; i++) {
		*quota = &decision->quotas[i];
		if ((*quota)->domain == domain)
			return RT_OK;
	}
	*quota = &decision->quotas[decision->quota_count++];
	**quota = (struct quota){.domain = domain};
	return credit(decision, *quota);
}

static rt_status count_discovered(struct decision *decision, struct quota *quota)
{
	struct eds_db_query *query;
	enum eds_db_result result;

	if (quota->counted)
		return RT_OK;
	result = eds_db_query(decision->store->db, &DISCOVERED,
		EDS_DB_VALUES(eds_db_text_value(quota->domain->id)), &query);
	if (result == EDS_DB_ROW) {
		quota->discovered = eds_db_int(query, DISCOVERED_COUNT);
		quota->dead = eds_db_int(query, DISCOVERED_DEAD);
		quota->idle = eds_db_int(query, DISCOVERED_IDLE);
		quota->counted = true;
	}
	eds_db_end(query);
	return result == EDS_DB_ROW ? RT_OK
				    : eds_store_failed(decision->ctx, decision->store, result);
}

/* True when the selector has a key. Relies on DNS first, because nobody can forge a key there,
 * while a pass is only a claim of the reporter. */
static bool has_key(const struct decision *decision, const struct eds_named_selector *named)
{
	const struct eds_selector_check *check = named->check;
	bool passed = decision->line->counts && named->pass_count > 0;

	if (check == NULL || strcmp(check->state, "unknown") == 0)
		return passed;
	if (check->wildcard && !passed)
		return false;
	return strcmp(check->state, "invalid") != 0 || check->key_bits > 0;
}

static rt_status give_way(struct decision *decision, struct quota *quota)
{
	enum eds_db_result result = eds_db_execute(decision->store->db, &GIVE_WAY,
		EDS_DB_VALUES(eds_db_text_value(quota->domain->id)), NULL);

	quota->discovered--;
	quota->dead--;
	if (quota->idle > 0) /* selectors with which no message passed are removed first */
		quota->idle--;
	return result == EDS_DB_OK ? RT_OK
				   : eds_store_failed(decision->ctx, decision->store, result);
}

/* Admits a new selector if the maximum numbers allow it; otherwise changes the outcome of the
 * selector. A new selector with a key may take the place of a stored selector without a key. */
static rt_status admit(
	struct decision *decision, struct quota *quota, struct eds_named_selector *named)
{
	bool alive = has_key(decision, named);
	bool idle = !alive && named->pass_count == 0;
	bool full = quota->discovered >= EDS_DISCOVERED_DOMAIN_MAX;

	if (!alive && !decision->line->counts)
		named->outcome = EDS_NAMED_NO_KEY;
	else if (full && (!alive || quota->dead == 0))
		named->outcome = EDS_NAMED_DOMAIN_FULL;
	else if (idle && quota->idle >= EDS_DISCOVERED_IDLE_MAX)
		named->outcome = EDS_NAMED_DEAD_FULL;
	if (named->outcome != EDS_NAMED_NEW)
		return RT_OK;
	if (full)
		RT_TRY(give_way(decision, quota));
	quota->discovered++;
	quota->dead += !alive;
	quota->idle += idle;
	return RT_OK;
}

/* Adds the report's evidence to a known selector. Uses the begin and end of the report's period,
 * but no time after the arrival of the report, which can only tell of earlier mail. */
static enum eds_db_result see(
	struct decision *decision, const struct eds_named_selector *named, int64_t *changed)
{
	const struct eds_report_line *line = decision->line;
	int64_t last_ms = line->received_at_ms;
	int64_t first_ms;

	if (line->ends_at_ms > 0 && line->ends_at_ms < last_ms)
		last_ms = line->ends_at_ms;
	first_ms = line->begins_at_ms > 0 && line->begins_at_ms < last_ms ? line->begins_at_ms
									  : last_ms;
	return eds_db_execute(decision->store->db, &SEEN,
		EDS_DB_VALUES(eds_db_text_value(named->domain->id),
			eds_db_text_value(rt_lower(decision->ctx, named->selector)),
			eds_db_int_value(first_ms), eds_db_int_value(last_ms),
			eds_db_int_value(named->pass_count), eds_db_int_value(named->fail_count),
			eds_db_int_value(COUNT_MAX)),
		changed);
}

static enum eds_db_result look(
	struct decision *decision, const struct eds_named_selector *named, int64_t *found)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(decision->store->db, &EXISTS,
		EDS_DB_VALUES(eds_db_text_value(named->domain->id),
			eds_db_text_value(rt_lower(decision->ctx, named->selector))),
		&query);

	eds_db_end(query);
	*found = result == EDS_DB_ROW;
	return result == EDS_DB_ROW ? EDS_DB_OK : result;
}

static rt_status insert(struct decision *decision, const struct eds_named_selector *named)
{
	bool checked = named->check != NULL;
	int64_t changed;
	enum eds_db_result result = eds_store_selector_insert(decision->ctx, decision->store,
		named->domain, named->selector, false, checked ? named->check : &UNCHECKED,
		checked ? named->next_at_ms : rt_wall_ms());

	if (result == EDS_DB_OK && decision->line->counts)
		result = see(decision, named, &changed);
	if (result == EDS_DB_UNIQUE || result == EDS_DB_FOREIGN_KEY)
		result = EDS_DB_BUSY; /* another transaction inserted the selector first, so this
				       * transaction must decide again */
	return result == EDS_DB_OK ? RT_OK
				   : eds_store_failed(decision->ctx, decision->store, result);
}

static rt_status decide(struct decision *decision, struct eds_named_selector *named)
{
	enum eds_db_result result;
	struct quota *quota;
	int64_t found = 0;

	RT_TRY(find_quota(decision, named->domain, &quota));
	named->outcome = EDS_NAMED_COUNTED;
	if (!quota->credited)
		return RT_OK;
	result = decision->line == NULL || !decision->line->counts ? look(decision, named, &found)
								   : see(decision, named, &found);
	if (result != EDS_DB_OK)
		return eds_store_failed(decision->ctx, decision->store, result);
	named->outcome = EDS_NAMED_KNOWN;
	if (found > 0)
		return RT_OK;
	named->outcome = EDS_NAMED_REPORT_FULL;
	if (decision->discovered == EDS_DISCOVERED_REPORT_MAX)
		return RT_OK;
	decision->discovered++;
	named->outcome = EDS_NAMED_NEW;
	if (decision->line == NULL)
		return RT_OK;
	RT_TRY(count_discovered(decision, quota));
	RT_TRY(admit(decision, quota, named));
	return named->outcome == EDS_NAMED_NEW ? insert(decision, named) : RT_OK;
}

static rt_status decide_all(
	struct decision *decision, struct eds_named_selector *named, size_t count)
{
	decision->quotas = rt_alloc_array(decision->ctx, count + 1, sizeof *decision->quotas);
	for (size_t i = 0; i < count; i++)
		if (is_open(&named[i]))
			RT_TRY(decide(decision, &named[i]));
	return RT_OK;
}

rt_status eds_store_report_plan(
	struct rt_ctx *ctx, struct eds_store *store, struct eds_named_selector *named, size_t count)
{
	struct decision decision = {.ctx = ctx, .store = store};

	return decide_all(&decision, named, count);
}

rt_status eds_store_named_count(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_report_line *line, struct eds_named_selector *named, size_t count)
{
	struct decision decision = {.ctx = ctx, .store = store, .line = line};

	return decide_all(&decision, named, count);
}
