#include "functions/lib/store/reports/report-told.h"

#include <string.h>

/* The number of days per statement is small, because libpq holds the whole result in memory. */
enum { DAYS = 8 };

#define IN_DAYS "domain_id = $1 AND day >= $2 AND day <= $3"
#define UNFOLDED                                                                                   \
	"FROM report_unfolded u JOIN report_packs p ON p.domain_id = u.domain_id AND p.report_id " \
	"= u.report_id WHERE u.domain_id = $1 AND u.day >= $2 AND u.day <= $3"
#define OF_STANDING(standing)                                                                      \
	"reporter IN (SELECT reporter FROM report_reporters WHERE domain_id = $1 AND standing = "  \
	"'" standing "')"
/* Gives one row when the domain's owner has given any reporter this standing, else no row. It is
 * the first table of its join, so that the database does not search report_packs when no reporter
 * has the standing: with 100,000 reports, that search takes longer than reading the sums. */
#define IF_ANY(standing)                                                                           \
	"(SELECT 1 AS one FROM report_reporters WHERE domain_id = $1 AND standing = '" standing    \
	"' LIMIT 1) a CROSS JOIN"

/* The kinds of texts. A text contains the rows of a report that is to be subtracted, of an
 * unverified report or of a verified report, or the sums of a day. */
enum { KIND_TAKES_AWAY = -1, KIND_UNVERIFIED, KIND_VERIFIED, KIND_DAY };

/* The columns in which statements give a text of rows. */
enum { TOLD_DAY, TOLD_KIND, TOLD_REPORTER, TOLD_TEXT };
/* clang-format off */
#define TOLD(day, kind, reporter, text) "SELECT " day ", " kind ", " reporter ", " text

/* The sums of a day contain the verified reports that are folded. The statement adds the verified
 * reports that are not folded yet, and unverified reports of accepted reporters. It gives verified
 * reports of blocked reporters with the kind -1, since they are to be subtracted. */
static const struct eds_db_statement SOURCES = {"report-told-sources",
	TOLD("day", "2 AS kind", "'' AS reporter", "sources AS told")
	" FROM report_day_packs WHERE " IN_DAYS
	" UNION ALL " TOLD("p.day", "1", "''", "p.told") " " UNFOLDED " AND p.verified = 1"
	" UNION ALL " TOLD("day", "1", "''", "told")
	" FROM " IF_ANY("accepted") " report_packs WHERE " IN_DAYS
	" AND verified = 0 AND " OF_STANDING("accepted")
	" UNION ALL " TOLD("day", "-1", "''", "told")
	" FROM " IF_ANY("blocked") " report_packs WHERE " IN_DAYS
	" AND verified = 1 AND " OF_STANDING("blocked")
	" ORDER BY day"};

/* The rows of one reporter's lines that count, as eds_report_origin_counts() decides. */
static const struct eds_db_statement SOURCES_ONE = {"report-told-sources-one",
	TOLD("day", "1", "''", "told")
	" FROM report_packs WHERE " IN_DAYS " AND reporter = $4"
	" AND CASE WHEN " OF_STANDING("accepted") " THEN 1"
	" WHEN " OF_STANDING("blocked") " THEN 0 ELSE verified END = 1"
	" ORDER BY day"};

static const struct eds_db_statement REPORTERS = {"report-told-reporters",
	TOLD("day", "2 AS kind", "'' AS reporter", "reporters AS told")
	" FROM report_day_packs WHERE " IN_DAYS
	" UNION ALL " TOLD("p.day", "p.verified", "p.reporter", "p.told") " " UNFOLDED
	" ORDER BY day"};

#define EXTENT_COLUMNS(FIRST, NEXT) \
	FIRST(EXTENT_FROM_DAY, "min(day)") \
	NEXT(EXTENT_TO_DAY, "max(day)")
enum { EDS_DB_NAMES(EXTENT_COLUMNS) };

/* Finds the first and the last of the requested days that have rows, because most of the requested
 * days may have none. */
static const struct eds_db_statement EXTENT = {"report-told-extent",
	"SELECT " EDS_DB_LIST(EXTENT_COLUMNS)
	" FROM (SELECT min(day) AS day FROM report_packs WHERE " IN_DAYS " UNION ALL"
	" SELECT max(day) FROM report_packs WHERE " IN_DAYS " UNION ALL SELECT min(day)"
	" FROM report_day_packs WHERE " IN_DAYS " UNION ALL SELECT max(day) FROM report_day_packs"
	" WHERE " IN_DAYS ") ends"};
/* clang-format on */

struct reading {
	const struct eds_told_query *asked;
	struct eds_store *store;
	eds_told_take take;
	void *arg;
	int64_t from_day; /* first day of the current statement */
};

static enum eds_db_result ask(const struct reading *reading, struct eds_db_query **query)
{
	const struct eds_told_query *asked = reading->asked;
	int64_t last = reading->from_day + DAYS - 1;
	const struct eds_db_value values[] = {
		eds_db_text_value(asked->domain_id),
		eds_db_int_value(reading->from_day),
		eds_db_int_value(last < asked->to_day ? last : asked->to_day),
		eds_db_text_value(asked->reporter),
	};
	bool is_of_one = asked->kind == EDS_TOLD_SOURCES_ONE;
	const struct eds_db_statement *statement = asked->kind == EDS_TOLD_REPORTERS ? &REPORTERS
										     : &SOURCES;

	return eds_db_query(reading->store->db, is_of_one ? &SOURCES_ONE : statement, values,
		is_of_one ? 4 : 3, query);
}

static void tell(const struct reading *reading, const struct eds_tally_name *auths,
	struct eds_told *told, const char *reporter, int64_t kind)
{
	const struct eds_tally_name *auth = &auths[told->row.auth];

	told->takes_away = kind == KIND_TAKES_AWAY;
	told->verified = kind == KIND_DAY ? *auth->bytes == '1' : kind == KIND_VERIFIED;
	told->auth = auth;
	if (reading->asked->kind == EDS_TOLD_REPORTERS && kind != KIND_DAY) {
		told->row.source = reporter;
		told->row.source_length = strlen(reporter);
	}
	reading->take(reading->arg, told);
}

/* Reads the text in the driver's memory. Copies of all texts would stay in the event's memory. */
static void read_text(struct rt_ctx *ctx, const struct reading *reading, struct eds_db_query *query)
{
	int64_t kind = eds_db_int(query, TOLD_KIND);
	const char *reporter = eds_db_text(ctx, query, TOLD_REPORTER);
	const char *text = query->db->driver->column_text(query, TOLD_TEXT);
	struct eds_told told = {.day = eds_db_int(query, TOLD_DAY)};
	struct eds_pack pack;

	if (text == NULL)
		return;
	eds_pack_open(ctx, &pack, text);
	while (eds_pack_next(&pack, &told.row))
		tell(reading, pack.auths, &told, reporter, kind);
}

static rt_status read_days(struct rt_ctx *ctx, void *arg)
{
	const struct reading *reading = arg;
	struct eds_db_query *query;
	enum eds_db_result result = ask(reading, &query);

	for (; result == EDS_DB_ROW; result = eds_db_next(query))
		read_text(ctx, reading, query);
	eds_db_end(query);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, reading->store, result);
}

/* Lets the query begin at the first requested day that has rows, and end at the last such day; *has
 * is false when no day has rows. */
static rt_status narrow(
	struct rt_ctx *ctx, struct eds_store *store, struct eds_told_query *query, bool *has)
{
	struct eds_db_query *rows;
	enum eds_db_result result = eds_db_query(store->db, &EXTENT,
		EDS_DB_VALUES(eds_db_text_value(query->domain_id),
			eds_db_int_value(query->from_day), eds_db_int_value(query->to_day)),
		&rows);

	*has = result == EDS_DB_ROW && rows->db->driver->column_text(rows, EXTENT_FROM_DAY) != NULL;
	if (*has) {
		query->from_day = eds_db_int(rows, EXTENT_FROM_DAY);
		query->to_day = eds_db_int(rows, EXTENT_TO_DAY);
	}
	eds_db_end(rows);
	if (result != EDS_DB_ROW && result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return RT_OK;
}

rt_status eds_store_report_told(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_told_query *query, eds_told_take take, void *arg)
{
	struct eds_told_query narrowed = *query;
	struct reading reading = {&narrowed, store, take, arg, 0};
	bool has;

	RT_TRY(narrow(ctx, store, &narrowed, &has));
	for (reading.from_day = narrowed.from_day; has && reading.from_day <= narrowed.to_day;
		reading.from_day += DAYS)
		RT_TRY(rt_run_apart(ctx, read_days, &reading));
	return RT_OK;
}
