#include "functions/lib/store/reports/report-watch.h"
#include "runtime/time.h"

#include "functions/lib/store/alerts/alert-tell.h"
#include "functions/lib/store/due.h"
#include "functions/lib/store/reports/report-watch-make.h"

/* clang-format off */
#define DUE_COLUMNS(FIRST, NEXT) \
	FIRST(DUE_DOMAIN_ID, "domain_id") \
	NEXT(DUE_NAME, "(SELECT d.name FROM domains d WHERE d.id = report_watch.domain_id)") \
	NEXT(DUE_RISEN_FROM, "risen_from") \
	NEXT(DUE_STOPPED, "stopped") \
	NEXT(DUE_LEASE, EDS_DUE_LEASE)
enum { EDS_DB_NAMES(DUE_COLUMNS) };

#define CLAIMED \
	"UPDATE report_watch SET " EDS_DUE_TAKE " WHERE domain_id IN (SELECT domain_id FROM due)" \
	" RETURNING " EDS_DB_LIST(DUE_COLUMNS)
#define CLAIM_TEXT(lock) EDS_DUE_FIRST("report_watch", "domain_id", lock) CLAIMED
#define TURNS_TEXT(lock) EDS_DUE_TURNS("report_watch", "", "", "", "20", lock) CLAIMED
static const struct eds_db_statement CLAIM = {"report-watch-claim", CLAIM_TEXT("")};
static const struct eds_db_statement CLAIM_BESIDE = {
	"report-watch-claim-beside", CLAIM_TEXT(" FOR UPDATE SKIP LOCKED")};
static const struct eds_db_statement CLAIM_TURNS = {"report-watch-claim-turns", TURNS_TEXT("")};
static const struct eds_db_statement CLAIM_TURNS_BESIDE = {
	"report-watch-claim-turns-beside", TURNS_TEXT(" FOR UPDATE OF m SKIP LOCKED")};
static const struct eds_db_statement LONGEST_DUE = {
	"report-watch-longest-due", EDS_DUE_LONGEST("report_watch")};

static const struct eds_db_statement RECORD = {"report-watch-record",
	"UPDATE report_watch"
	" SET " EDS_DUE_NEXT("$1") ", risen_from = $4, stopped = $5, week_day = $6, week_passed = $7,"
	" week_forwarded = $8, week_failed = $9, earlier_judged = $10, earlier_failed = $11"
	" WHERE domain_id = $2 AND " EDS_DUE_LEASE " = $3"};

static const struct eds_db_statement MAKE = {"report-watch-make",
	"INSERT INTO report_watch (domain_id, due_at_ms) VALUES ($1, $2) ON CONFLICT DO NOTHING"};
/* clang-format on */

rt_status eds_store_report_watch_make(
	struct rt_ctx *ctx, struct eds_store *store, const char *domain_id)
{
	enum eds_db_result result = eds_db_execute(store->db, &MAKE,
		EDS_DB_VALUES(eds_db_text_value(domain_id), eds_db_int_value(rt_wall_ms())), NULL);

	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

static rt_status record(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_report_watch_due *due, int64_t *changed)
{
	const struct eds_report_week *week = &due->week;
	enum eds_db_result result = eds_db_execute(store->db, &RECORD,
		EDS_DB_VALUES(eds_db_int_value(due->next_at_ms), eds_db_text_value(due->domain_id),
			eds_db_int_value(due->lease), eds_db_int_value(due->after.risen_from),
			eds_db_int_value(due->after.stopped), eds_db_int_value(week->day),
			eds_db_int_value(week->passed), eds_db_int_value(week->forwarded),
			eds_db_int_value(week->failed), eds_db_int_value(week->earlier_judged),
			eds_db_int_value(week->earlier_failed)),
		changed);

	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	if (*changed == 0)
		return RT_OK;
	return eds_store_alert_tell(ctx, store, due->domain_id, &due->news);
}

static rt_status write_outcomes(struct rt_ctx *ctx, struct eds_store *store, const void *items,
	size_t count, size_t *written)
{
	const struct eds_report_watch_due *due = items;

	*written = 0;
	for (size_t i = 0; i < count; i++) {
		int64_t changed = 0;

		if (due[i].looked)
			RT_TRY(record(ctx, store, &due[i], &changed));
		*written += (size_t)changed;
	}
	return RT_OK;
}

static void read_due(struct rt_ctx *ctx, struct eds_db_query *query, void *item)
{
	*(struct eds_report_watch_due *)item = (struct eds_report_watch_due){
		.domain_id = eds_db_text(ctx, query, DUE_DOMAIN_ID),
		.name = eds_db_text(ctx, query, DUE_NAME),
		.before = {.risen_from = (int)eds_db_int(query, DUE_RISEN_FROM),
			.stopped = eds_db_int(query, DUE_STOPPED) != 0},
		.lease = eds_db_int(query, DUE_LEASE),
	};
}

static const struct eds_due_kind DOMAINS = {
	.item_bytes = sizeof(struct eds_report_watch_due),
	.lease_ms = EDS_REPORT_WATCH_LEASE_MS,
	.claim = &CLAIM,
	.claim_beside = &CLAIM_BESIDE,
	.claim_turns = &CLAIM_TURNS,
	.claim_turns_beside = &CLAIM_TURNS_BESIDE,
	.longest_due = &LONGEST_DUE,
	.late_ms = EDS_REPORT_WATCH_LEASE_MS,
	.read = read_due,
	.write = write_outcomes,
};

rt_status eds_store_report_watch_turn(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_report_watch_due *done, size_t done_count, size_t *written, size_t max,
	struct eds_report_watch_due **claimed, size_t *claimed_count)
{
	void *items;

	RT_TRY(eds_store_due_turn(
		ctx, store, &DOMAINS, done, done_count, written, max, &items, claimed_count));
	*claimed = items;
	return RT_OK;
}
