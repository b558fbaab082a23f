#include "functions/lib/store/reports/report-fold.h"
#include "runtime/time.h"

#include <string.h>

#include "functions/lib/store/reports/report-pack.h"
#include "functions/lib/store/reports/report-rows.h"
#include "functions/lib/store/transaction.h"

enum {
	LINES = 64, /* maximum number of lines per transaction; with SQLite, other writers wait
		     * until the transaction ends */
	PART_BYTES = 128 * 1024, /* length in octets above which nothing more is added to a part of
				  * a day, so that later folds do not copy the part again */
	ONE_IN = 16,
};

/* clang-format off */
#define LINE_COLUMNS(FIRST, NEXT) \
	FIRST(LINE_ID, "u.report_id") \
	NEXT(LINE_DAY, "u.day") \
	NEXT(LINE_REPORTER, "p.reporter") \
	NEXT(LINE_VERIFIED, "p.verified") \
	NEXT(LINE_TOLD, "p.told")
enum { EDS_DB_NAMES(LINE_COLUMNS) };

static const struct eds_db_statement FIND = {"report-fold-find",
	"SELECT " EDS_DB_LIST(LINE_COLUMNS)
	" FROM (SELECT domain_id, report_id, day FROM report_unfolded WHERE domain_id = $1"
	" ORDER BY day, report_id LIMIT $2) u"
	" LEFT JOIN report_packs p ON p.domain_id = u.domain_id AND p.report_id = u.report_id"
	" ORDER BY u.day, u.report_id"};

#define DAY_COLUMNS(FIRST, NEXT) \
	FIRST(DAY_PART, "part") \
	NEXT(DAY_REPORTS, "reports") \
	NEXT(DAY_SOURCES, "sources") \
	NEXT(DAY_REPORTERS, "reporters")
enum { EDS_DB_NAMES(DAY_COLUMNS) };

static const struct eds_db_statement DAY = {"report-fold-day",
	"SELECT " EDS_DB_LIST(DAY_COLUMNS)
	" FROM report_day_packs"
	" WHERE domain_id = $1 AND day = $2"
	" ORDER BY part DESC"
	" LIMIT 1"};

static const struct eds_db_statement KEEP = {"report-fold-keep",
	"INSERT INTO report_day_packs (domain_id, day, part, reports, sources, reporters)"
	" VALUES ($1, $2, $3, $4, $5, $6)"
	" ON CONFLICT (domain_id, day, part) DO UPDATE SET reports = excluded.reports,"
	" sources = excluded.sources, reporters = excluded.reporters"};

static const struct eds_db_statement DONE = {"report-fold-done",
	"DELETE FROM report_unfolded WHERE domain_id = $1 AND day = $2 AND report_id = $3"};

/* The days whose count of reports (report_day_packs.reports) differs from the number of folded
 * reports that the store has for them. */
#define DIFFERING \
	"(SELECT day FROM (SELECT day, reports AS one FROM report_day_packs WHERE domain_id = $1 " \
	"UNION ALL SELECT day, -1 FROM report_packs p WHERE domain_id = $1 AND NOT EXISTS " \
	"(SELECT 1 FROM report_unfolded u WHERE u.domain_id = p.domain_id AND u.day = p.day AND " \
	"u.report_id = p.report_id)) each_one GROUP BY day HAVING sum(one) <> 0)"

static const struct eds_db_statement QUEUE_DIFFERING = {"report-days-queue-differing",
	"INSERT INTO report_unfolded (domain_id, report_id, day)"
	" SELECT domain_id, report_id, day"
	" FROM report_packs"
	" WHERE domain_id = $1 AND day IN " DIFFERING
	" ON CONFLICT DO NOTHING"};

/* Must run after QUEUE_DIFFERING, which queues all reports of these days to be folded again. Queued
 * reports do not count as folded, so DIFFERING still finds every day that has a count of reports
 * above 0. */
static const struct eds_db_statement REMOVE_DIFFERING = {"report-days-remove-differing",
	"DELETE FROM report_day_packs WHERE domain_id = $1 AND day IN " DIFFERING};
/* clang-format on */

struct fold {
	const char *domain_id;
	size_t done; /* number of lines folded in the latest transaction */
};

struct day {
	int64_t day;
	int64_t part;
	int64_t reports;
	struct eds_pack_sums sources;
	struct eds_pack_sums reporters;
};

struct line {
	const char *id;
	int64_t day;
	struct eds_tally_name reporter;
	bool verified;
	const char *told; /* the rows of the report, as text (report-pack.h); NULL when its line was
			   * removed from the log */
};

static rt_status execute(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_db_statement *statement, const struct eds_db_value *values, size_t count)
{
	enum eds_db_result result = eds_db_execute(store->db, statement, values, count, NULL);

	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

static rt_status find_lines(struct rt_ctx *ctx, struct eds_store *store, const char *domain_id,
	struct line *lines, size_t *count)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &FIND,
		EDS_DB_VALUES(eds_db_text_value(domain_id), eds_db_int_value(LINES)), &query);

	for (*count = 0; result == EDS_DB_ROW && *count < LINES; (*count)++) {
		const char *reporter = eds_db_text(ctx, query, LINE_REPORTER);

		lines[*count] = (struct line){
			.id = eds_db_text(ctx, query, LINE_ID),
			.day = eds_db_int(query, LINE_DAY),
			.reporter = {reporter, reporter != NULL ? strcspn(reporter, "\n") : 0},
			.verified = eds_db_int(query, LINE_VERIFIED) == 1,
			.told = eds_db_text(ctx, query, LINE_TOLD),
		};
		result = eds_db_next(query);
	}
	eds_db_end(query);
	if (result != EDS_DB_ROW && result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return RT_OK;
}

/* Opens the last part of a day. When this part is full, opens a new one after it. */
static rt_status open_day(struct rt_ctx *ctx, struct eds_store *store, const char *domain_id,
	int64_t number, struct day *day)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &DAY,
		EDS_DB_VALUES(eds_db_text_value(domain_id), eds_db_int_value(number)), &query);

	*day = (struct day){.day = number};
	eds_pack_sums_init(ctx, &day->sources);
	eds_pack_sums_init(ctx, &day->reporters);
	if (result == EDS_DB_ROW) {
		const char *sources = eds_db_text(ctx, query, DAY_SOURCES);
		const char *reporters = eds_db_text(ctx, query, DAY_REPORTERS);
		bool is_full = strlen(sources) + strlen(reporters) > PART_BYTES;

		day->part = eds_db_int(query, DAY_PART) + is_full;
		if (!is_full) {
			day->reports = eds_db_int(query, DAY_REPORTS);
			eds_pack_sums_add_all(ctx, &day->sources, sources);
			eds_pack_sums_add_all(ctx, &day->reporters, reporters);
		}
	}
	eds_db_end(query);
	if (result != EDS_DB_ROW && result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return RT_OK;
}

static void add_line(struct rt_ctx *ctx, struct day *day, const struct line *line)
{
	const struct eds_tally_name verified = {line->verified ? "1" : "0", 1};
	struct eds_pack pack;
	struct eds_pack_row row;

	if (line->told == NULL)
		return;
	day->reports++;
	eds_pack_open(ctx, &pack, line->told);
	while (eds_pack_next(&pack, &row)) {
		if (line->verified)
			eds_pack_sums_add(&day->sources, &row, &pack.auths[row.auth]);
		row.source = line->reporter.bytes;
		row.source_length = line->reporter.length;
		eds_pack_sums_add(&day->reporters, &row, &verified);
	}
}

static rt_status fold_day(struct rt_ctx *ctx, struct eds_store *store, const char *domain_id,
	const struct line *lines, size_t count)
{
	const struct eds_db_value domain = eds_db_text_value(domain_id);
	struct day day;

	RT_TRY(open_day(ctx, store, domain_id, lines[0].day, &day));
	for (size_t i = 0; i < count; i++) {
		add_line(ctx, &day, &lines[i]);
		RT_TRY(execute(ctx, store, &DONE,
			EDS_DB_VALUES(domain, eds_db_int_value(day.day),
				eds_db_text_value(lines[i].id))));
	}
	return execute(ctx, store, &KEEP,
		EDS_DB_VALUES(domain, eds_db_int_value(day.day), eds_db_int_value(day.part),
			eds_db_int_value(day.reports),
			eds_db_text_value(eds_pack_sums_text(&day.sources)),
			eds_db_text_value(eds_pack_sums_text(&day.reporters))));
}

static rt_status fold(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	struct fold *work = arg;
	struct line lines[LINES];
	size_t count;

	RT_TRY(eds_store_report_days_lock(ctx, store, work->domain_id));
	RT_TRY(find_lines(ctx, store, work->domain_id, lines, &count));
	for (size_t first = 0, end; first < count; first = end) {
		for (end = first + 1; end < count && lines[end].day == lines[first].day;)
			end++;
		RT_TRY(fold_day(ctx, store, work->domain_id, &lines[first], end - first));
	}
	work->done = count;
	return RT_OK;
}

struct run {
	struct eds_store *store;
	struct fold fold;
};

static rt_status fold_some(struct rt_ctx *ctx, void *arg)
{
	struct run *run = arg;

	return eds_store_write_guarded(ctx, run->store, fold, &run->fold);
}

rt_status eds_store_report_fold(struct rt_ctx *ctx, struct eds_store *store, const char *domain_id)
{
	struct run run = {store, {domain_id, 0}};
	int kept_ms = rt_remaining_ms(ctx) / 2;

	do
		RT_TRY(rt_run_apart(ctx, fold_some, &run));
	while (run.fold.done == LINES && rt_remaining_ms(ctx) > kept_ms);
	return RT_OK;
}

rt_status eds_store_report_fold_sometimes(
	struct rt_ctx *ctx, struct eds_store *store, const char *domain_id)
{
	unsigned char drawn;

	rt_random(&drawn, sizeof drawn);
	return drawn % ONE_IN == 0 ? eds_store_report_fold(ctx, store, domain_id) : RT_OK;
}

static rt_status check_days(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct fold *work = arg;
	const struct eds_db_value domain = eds_db_text_value(work->domain_id);

	RT_TRY(eds_store_report_days_lock(ctx, store, work->domain_id));
	RT_TRY(execute(ctx, store, &QUEUE_DIFFERING, EDS_DB_VALUES(domain)));
	return execute(ctx, store, &REMOVE_DIFFERING, EDS_DB_VALUES(domain));
}

rt_status eds_store_report_days_check(
	struct rt_ctx *ctx, struct eds_store *store, const char *domain_id)
{
	struct fold work = {.domain_id = domain_id};

	return eds_store_write_guarded(ctx, store, check_days, &work);
}
