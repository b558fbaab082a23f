/* Reads the source addresses named in DMARC reports. Reads, stores and expires what was looked up
 * about these addresses: their names in DNS, their networks and the results of blocklists. */
#include "functions/lib/store/reports/report-sources.h"
#include "runtime/time.h"

#include <stdlib.h>
#include <string.h>

#include "functions/lib/store/reports/report-told.h"
#include "functions/lib/store/transaction.h"

enum {
	/* maximum number of auths (combinations of signing and sending domains) kept per source,
	 * because senders choose the domains that they sign with */
	AUTHS_MAX = 20,
	NAMES_ASKED_MAX = 99,
};

/* clang-format off */
/* The parameters $1 to $99; unused parameters repeat the last address. */
#define TEN(tens) \
	", $" #tens "0, $" #tens "1, $" #tens "2, $" #tens "3, $" #tens "4, $" #tens "5, $" #tens \
	"6, $" #tens "7, $" #tens "8, $" #tens "9"
#define NAMES_ASKED \
	"$1, $2, $3, $4, $5, $6, $7, $8, $9" TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) \
		TEN(8) TEN(9)

#define NAME_COLUMNS(FIRST, NEXT) \
	FIRST(NAME_SOURCE, "source") \
	NEXT(NAME_TEXT, "name") \
	NEXT(NAME_ASK_AT_MS, "ask_at_ms") \
	NEXT(NAME_NETWORK, "network") \
	NEXT(NAME_ASN, "asn") \
	NEXT(NAME_AS_NAME, "as_name") \
	NEXT(NAME_LISTS, "lists") \
	NEXT(NAME_FACTS_AT_MS, "facts_at_ms")
enum { EDS_DB_NAMES(NAME_COLUMNS) };

static const struct eds_db_statement NAMES = {"report-source-names",
	"SELECT " EDS_DB_LIST(NAME_COLUMNS)
	" FROM report_source_names"
	" WHERE source IN (" NAMES_ASKED ")"};

static const struct eds_db_statement KEEP_NAME = {"report-source-name-keep",
	"INSERT INTO report_source_names (source, name, asked_at_ms, ask_at_ms, network, asn,"
	" as_name, lists, facts_at_ms)"
	" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)"
	" ON CONFLICT (source) DO UPDATE SET name = excluded.name,"
	" asked_at_ms = excluded.asked_at_ms, ask_at_ms = excluded.ask_at_ms,"
	" network = excluded.network, asn = excluded.asn, as_name = excluded.as_name,"
	" lists = excluded.lists, facts_at_ms = excluded.facts_at_ms"};

static const struct eds_db_statement EXPIRE_NAMES = {"report-source-names-expire",
	"DELETE FROM report_source_names"
	" WHERE source IN (SELECT source FROM report_source_names WHERE asked_at_ms <= $1"
	" LIMIT $2)"};
/* clang-format on */

/* What identifies a sum of messages: source, signing and sending domains, class. */
struct cell {
	uint32_t source;
	uint32_t auth;
	uint32_t class;
};

struct list {
	struct eds_report_source *sources;
	struct eds_tally addresses; /* addresses of the sources, in the order of `sources` */
	struct eds_tally auths;
	struct eds_tally cells;
	int64_t *messages; /* messages of each sum */
	size_t room;
};

struct told_cell {
	struct cell cell;
	const char *auth;
	int64_t messages;
};

static void take_auth(void *arg, const struct eds_told *told)
{
	struct list *list = arg;
	struct cell cell = {.class = (uint32_t)told->row.class};
	size_t source;
	size_t count = list->cells.count;
	size_t number;

	if (count == EDS_TALLY_MAX ||
		!eds_tally_find(
			&list->addresses, told->row.source, told->row.source_length, &source))
		return;
	cell.source = (uint32_t)source;
	cell.auth = (uint32_t)eds_tally_add(&list->auths, told->auth->bytes, told->auth->length);
	number = eds_tally_add(&list->cells, &cell, sizeof cell);
	if (number == count) {
		list->messages = rt_grow(list->cells.ctx, list->messages, count, &list->room,
			sizeof *list->messages);
		list->messages[number] = 0;
	}
	if (told->takes_away)
		list->messages[number] -= told->row.messages;
	else
		list->messages[number] = eds_pack_plus(list->messages[number], told->row.messages);
}

/* Orders sums by source, then by messages, the most first. */
static int compare_cells(const void *left, const void *right)
{
	const struct told_cell *a = left;
	const struct told_cell *b = right;
	int order;

	if (a->cell.source != b->cell.source)
		return a->cell.source < b->cell.source ? -1 : 1;
	if (a->messages != b->messages)
		return a->messages > b->messages ? -1 : 1;
	order = strcmp(a->auth, b->auth);
	return order != 0 ? order : (int)a->cell.class - (int)b->cell.class;
}

static void add_auth(
	struct rt_ctx *ctx, struct eds_report_source *source, const struct told_cell *told)
{
	if (told->messages <= 0 || source->auth_count == AUTHS_MAX)
		return;
	if (source->auths == NULL)
		source->auths = rt_alloc_array(ctx, AUTHS_MAX, sizeof *source->auths);
	source->auths[source->auth_count++] = (struct eds_report_source_auth){
		.auth = told->auth,
		.class = (int)told->cell.class,
		.messages = told->messages,
	};
}

static rt_status read_auths(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_sums_query *asked,
	struct list *list)
{
	const struct eds_told_query query = {
		.domain_id = domain->id,
		.kind = EDS_TOLD_SOURCES,
		.from_day = asked->from_day,
		.to_day = asked->to_day,
	};
	struct told_cell *cells;

	RT_TRY(eds_store_report_told(ctx, store, &query, take_auth, list));
	cells = rt_alloc_array(ctx, list->cells.count + 1, sizeof *cells);
	for (size_t i = 0; i < list->cells.count; i++) {
		memcpy(&cells[i].cell, list->cells.names[i].bytes, sizeof cells[i].cell);
		cells[i].auth = list->auths.names[cells[i].cell.auth].bytes;
		cells[i].messages = list->messages[i];
	}
	if (list->cells.count > 0)
		qsort(cells, list->cells.count, sizeof *cells, compare_cells);
	for (size_t i = 0; i < list->cells.count; i++)
		add_auth(ctx, &list->sources[cells[i].cell.source], &cells[i]);
	return RT_OK;
}

static void take_name(struct rt_ctx *ctx, struct list *list, struct eds_db_query *query)
{
	const char *address = eds_db_text(ctx, query, NAME_SOURCE);
	struct eds_report_source *source;
	size_t number;

	if (!eds_tally_find(&list->addresses, address, strlen(address), &number))
		return;
	source = &list->sources[number];
	source->name = eds_db_text(ctx, query, NAME_TEXT);
	source->ask_at_ms = eds_db_int(query, NAME_ASK_AT_MS);
	source->network = eds_db_text(ctx, query, NAME_NETWORK);
	source->asn = eds_db_int(query, NAME_ASN);
	source->as_name = eds_db_text(ctx, query, NAME_AS_NAME);
	source->lists = eds_db_text(ctx, query, NAME_LISTS);
	source->facts_at_ms = eds_db_int(query, NAME_FACTS_AT_MS);
}

static rt_status read_names(
	struct rt_ctx *ctx, struct eds_store *store, struct list *list, size_t first)
{
	struct eds_db_value values[NAMES_ASKED_MAX];
	size_t last = list->addresses.count - 1;
	struct eds_db_query *query;
	enum eds_db_result result;

	for (size_t i = 0; i < NAMES_ASKED_MAX; i++)
		values[i] = eds_db_text_value(
			list->addresses.names[first + i < last ? first + i : last].bytes);
	result = eds_db_query(store->db, &NAMES, values, NAMES_ASKED_MAX, &query);
	for (; result == EDS_DB_ROW; result = eds_db_next(query))
		take_name(ctx, list, query);
	eds_db_end(query);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_report_sources(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_sums_query *asked,
	struct eds_report_source **sources, size_t *count)
{
	struct eds_report_sums_query query = *asked;
	struct eds_report_sum *sums;
	struct list list = {0};

	query.by = EDS_SUM_BY_SOURCE;
	RT_TRY(eds_store_report_sums(ctx, store, domain, &query, &sums, count));
	*sources = list.sources = rt_alloc_array(ctx, *count + 1, sizeof **sources);
	eds_tally_init(&list.addresses, ctx);
	eds_tally_init(&list.auths, ctx);
	eds_tally_init(&list.cells, ctx);
	for (size_t i = 0; i < *count; i++) {
		list.sources[i] = (struct eds_report_source){.sum = sums[i]};
		(void)eds_tally_add(&list.addresses, sums[i].key, strlen(sums[i].key));
	}
	if (*count == 0)
		return RT_OK;
	RT_TRY(read_auths(ctx, store, domain, asked, &list));
	for (size_t i = 0; i < *count; i += NAMES_ASKED_MAX)
		RT_TRY(read_names(ctx, store, &list, i));
	return RT_OK;
}

static const char *or_nothing(const char *text)
{
	return text != NULL ? text : "";
}

struct names {
	const struct eds_report_source *sources;
	size_t count;
};

static rt_status keep_names(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct names *names = arg;
	int64_t now_ms = rt_wall_ms();

	for (size_t i = 0; i < names->count; i++) {
		const struct eds_report_source *source = &names->sources[i];
		enum eds_db_result result = eds_db_execute(store->db, &KEEP_NAME,
			EDS_DB_VALUES(eds_db_text_value(source->sum.key),
				eds_db_text_value(or_nothing(source->name)),
				eds_db_int_value(now_ms), eds_db_int_value(source->ask_at_ms),
				eds_db_text_value(or_nothing(source->network)),
				eds_db_int_value(source->asn),
				eds_db_text_value(or_nothing(source->as_name)),
				eds_db_text_value(or_nothing(source->lists)),
				eds_db_int_value(source->facts_at_ms)),
			NULL);

		if (result != EDS_DB_OK)
			return eds_store_failed(ctx, store, result);
	}
	return RT_OK;
}

rt_status eds_store_source_names_keep(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_report_source *sources, size_t count)
{
	struct names names = {sources, count};

	return count > 0 ? eds_store_write_guarded(ctx, store, keep_names, &names) : RT_OK;
}

static rt_status expire_names(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	int64_t changed = 0;
	enum eds_db_result result = eds_db_execute(store->db, &EXPIRE_NAMES,
		EDS_DB_VALUES(eds_db_int_value(rt_wall_ms() - EDS_SOURCE_NAME_KEPT_MS),
			eds_db_int_value(EDS_REPORTS_EXPIRE_BATCH)),
		&changed);

	*(size_t *)arg = (size_t)changed;
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_source_names_expire(
	struct rt_ctx *ctx, struct eds_store *store, size_t *removed)
{
	return eds_store_write_guarded(ctx, store, expire_names, removed);
}
