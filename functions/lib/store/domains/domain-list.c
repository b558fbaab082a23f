#include <limits.h>
#include <string.h>

#include "functions/lib/store/domains/domain-list.h"
#include "functions/lib/store/domains/domain.h"
#include "functions/lib/store/transaction.h"

enum {
	MORE_ROWS = 1000, /* maximum number of rows of a further query, which is made only when
			   * the first query did not fill the page */
};

/* clang-format off */
#define WANTED \
	"SELECT d.id, d.name, d.created_at_ms FROM domains d WHERE d.account_id = $1" \
	" AND ($4 = '' OR EXISTS (SELECT 1 FROM token_domains l" \
	" WHERE l.token_id = $4 AND l.domain_id = d.id))" \
	" AND (d.name LIKE $5 ESCAPE '!' OR d.name LIKE $6)" \
	" AND ($7 = '' OR $7 =" \
	" coalesce((SELECT s.state FROM posture s WHERE s.domain_id = d.id), 'unknown'))"

#define LISTED_COLUMNS(FIRST, NEXT) \
	FIRST(LISTED_ID, "d.id") \
	NEXT(LISTED_NAME, "d.name") \
	NEXT(LISTED_CREATED_AT_MS, "d.created_at_ms") \
	NEXT(LISTED_STATE, "p.state") \
	NEXT(LISTED_CHECKED_AT_MS, "coalesce(p.checked_at_ms, 0)") \
	NEXT(LISTED_CHANGED_AT_MS, "coalesce(p.changed_at_ms, 0)") \
	NEXT(LISTED_RECORDS, "p.records")
enum { EDS_DB_NAMES(LISTED_COLUMNS) };

#define LIST(behind, order) \
	"SELECT " EDS_DB_LIST(LISTED_COLUMNS) \
	" FROM (" WANTED " AND " behind " ORDER BY " order " LIMIT $3) d" \
	" LEFT JOIN posture p ON p.domain_id = d.id" \
	" ORDER BY " order

/* The statements that list domains, one for each order. A page begins after the name $2, or after
 * the time $2 and the id $8. */
static const struct eds_db_statement LISTS[] = {
	[EDS_BY_NAME] = {"domain-list", LIST("d.name COLLATE \"C\" > $2", "d.name COLLATE \"C\"")},
	[EDS_BY_NAME_DOWN] = {"domain-list-down",
		LIST("d.name COLLATE \"C\" < $2", "d.name COLLATE \"C\" DESC")},
	[EDS_BY_AGE] = {"domain-list-age",
		LIST("(d.created_at_ms, d.id COLLATE \"C\") > ($2, $8)",
			"d.created_at_ms, d.id COLLATE \"C\"")},
	[EDS_BY_AGE_DOWN] = {"domain-list-age-down",
		LIST("(d.created_at_ms, d.id COLLATE \"C\") < ($2, $8)",
			"d.created_at_ms DESC, d.id COLLATE \"C\" DESC")},
};
/* clang-format on */

enum {
	VALUES_BY_NAME = 7,
	VALUES_BY_AGE = 8,
};

/* The position before the first domain in each order; ~ sorts after every octet of a name. */
static const struct eds_domain STARTS[] = {
	[EDS_BY_NAME] = {.name = ""},
	[EDS_BY_NAME_DOWN] = {.name = "~"},
	[EDS_BY_AGE] = {.created_at_ms = INT64_MIN, .id = ""},
	[EDS_BY_AGE_DOWN] = {.created_at_ms = INT64_MAX, .id = ""},
};

static enum eds_db_result ask(struct eds_store *store, const struct eds_account *account,
	const struct eds_domain_query *wanted, const char *like, const struct eds_domain *after,
	int rows, struct eds_db_query **query)
{
	bool age = eds_order_is_by_age(wanted->order);
	const struct eds_db_value values[] = {eds_db_text_value(account->id),
		age ? eds_db_int_value(after->created_at_ms) : eds_db_text_value(after->name),
		eds_db_int_value(rows),
		eds_db_text_value(account->only_token != NULL ? account->only_token : ""),
		eds_db_text_value(like), eds_db_text_value(wanted->also != NULL ? "%xn--%" : ""),
		eds_db_text_value(wanted->state != NULL ? wanted->state : ""),
		eds_db_text_value(after->id)};

	return eds_db_query(store->db, &LISTS[wanted->order], values,
		age ? VALUES_BY_AGE : VALUES_BY_NAME, query);
}

static void read_place(struct rt_ctx *ctx, struct eds_db_query *query, struct eds_domain *domain)
{
	*domain = (struct eds_domain){.id = eds_db_text(ctx, query, LISTED_ID)};
	domain->name = eds_db_text(ctx, query, LISTED_NAME);
	domain->created_at_ms = eds_db_int(query, LISTED_CREATED_AT_MS);
}

static void read_rest(struct rt_ctx *ctx, struct eds_db_query *query,
	const struct eds_account *account, struct eds_domain *domain)
{
	domain->account_id = account->id;
	domain->plan = account->plan;
	domain->posture = (struct eds_posture_kept){
		.state = eds_db_text(ctx, query, LISTED_STATE),
		.checked_at_ms = eds_db_int(query, LISTED_CHECKED_AT_MS),
		.changed_at_ms = eds_db_int(query, LISTED_CHANGED_AT_MS),
		.records = eds_db_text(ctx, query, LISTED_RECORDS),
	};
}

static bool is_wanted(
	struct rt_ctx *ctx, const struct eds_domain_query *wanted, const struct eds_domain *domain)
{
	return wanted->also == NULL || strstr(domain->name, wanted->part) != NULL ||
		wanted->also(ctx, domain->name, wanted->arg);
}

struct listing {
	struct eds_domain *domains;
	size_t count;
	size_t room;
	size_t rows;            /* number of rows of the latest query */
	struct eds_domain last; /* the last row of the latest query */
};

static enum eds_db_result read_rows(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_account *account, const struct eds_domain_query *wanted, const char *like,
	int rows, struct listing *listing)
{
	struct eds_db_query *query;
	struct eds_domain after = listing->last;
	enum eds_db_result result = ask(store, account, wanted, like, &after, rows, &query);

	for (listing->rows = 0; result == EDS_DB_ROW; listing->rows++) {
		read_place(ctx, query, &listing->last);
		if (is_wanted(ctx, wanted, &listing->last)) {
			listing->domains = rt_grow(ctx, listing->domains, listing->count,
				&listing->room, sizeof *listing->domains);
			read_rest(ctx, query, account, &listing->last);
			listing->domains[listing->count++] = listing->last;
		}
		result = eds_db_next(query);
	}
	eds_db_end(query);
	return result;
}

/* Needs one query per page. Only a search in U-labels may need more, because it leaves out some of
 * the rows that a query gives. */
rt_status eds_store_domain_list(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_account *account, const struct eds_domain_query *wanted,
	struct eds_domain **domains, size_t *count)
{
	struct listing listing = {
		.last = wanted->after != NULL ? *wanted->after : STARTS[wanted->order]};
	const char *like = eds_store_part_pattern(ctx, wanted->part);
	size_t limit = wanted->limit > 0 ? (size_t)wanted->limit : INT_MAX;
	size_t rows = limit;
	enum eds_db_result result;

	do {
		result = read_rows(ctx, store, account, wanted, like, (int)rows, &listing);
		if (result != EDS_DB_OK)
			return eds_store_failed(ctx, store, result);
		if (listing.rows < rows)
			break;
		rows = MORE_ROWS;
	} while (listing.count < limit);
	*domains = listing.domains;
	*count = listing.count < limit ? listing.count : limit;
	return RT_OK;
}
