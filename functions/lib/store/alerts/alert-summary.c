#include "functions/lib/store/alerts/alert-summary.h"
#include "runtime/time.h"

#include <string.h>

#include "functions/lib/store/alerts/alert-mail-row.h"
#include "functions/lib/store/alerts/alert-origin.h"
#include "functions/lib/store/alerts/outbox-add.h"
#include "functions/lib/store/due.h"

enum {
	HOUR_MS = 3600 * 1000,
	DAY_MS = 24 * HOUR_MS,
	AT_MS = 7 * HOUR_MS,
	THURSDAY = 3, /* weekday of the first day of 1970; Monday is 0 */
};

/* clang-format off */
#define CLAIMED_COLUMNS(FIRST, NEXT) \
	FIRST(CLAIMED_ALERT_ID, "alert_id") \
	NEXT(CLAIMED_SUMMARY_AT_MS, "summary_at_ms")
enum { EDS_DB_NAMES(CLAIMED_COLUMNS) };

#define CLAIM_TEXT(lock) \
	"WITH due AS (SELECT alert_id FROM alert_mails WHERE summary_at_ms > 0" \
	" AND summary_at_ms <= $2 AND summary_at_ms >= $4 ORDER BY summary_at_ms" \
	" LIMIT $3" lock ")" \
	" UPDATE alert_mails" \
	" SET summary_at_ms = $1" \
	" WHERE alert_id IN (SELECT alert_id FROM due)" \
	" RETURNING " EDS_DB_LIST(CLAIMED_COLUMNS)

static const struct eds_db_statement CLAIM = {"summary-claim", CLAIM_TEXT("")};
static const struct eds_db_statement CLAIM_BESIDE = {
	"summary-claim-beside", CLAIM_TEXT(" FOR UPDATE SKIP LOCKED")};
static const struct eds_db_statement LONGEST_DUE = {"summary-longest-due",
	"SELECT summary_at_ms"
	" FROM alert_mails"
	" WHERE summary_at_ms > 0 AND summary_at_ms <= $1"
	" ORDER BY summary_at_ms"
	" LIMIT 1"};

static const struct eds_db_statement WANT = {"summary-want",
	"UPDATE alert_mails"
	" SET summary_at_ms = CASE WHEN CAST($2 AS BIGINT) = 0 THEN 0 WHEN summary_at_ms > 0"
	" THEN summary_at_ms ELSE $2 END"
	" WHERE alert_id = $1"};

/* $1 is the alert; weeks of reports from before day $2 are left out. */
#define OF_ALERT \
	"FROM alerts a JOIN alert_mails m ON m.alert_id = a.id JOIN domains d ON" \
	" d.account_id = a.account_id AND (a.domain_id IS NULL OR a.domain_id = d.id)" \
	" LEFT JOIN posture p ON p.domain_id = d.id LEFT JOIN report_watch w ON" \
	" w.domain_id = d.id AND w.week_day >= $2" \
	" WHERE a.id = $1 AND a.active = 2 AND m.confirmed_at_ms > 0"
#define STATE "coalesce(p.state, 'unknown')"
#define OF_STATE(state) "coalesce(sum(CASE WHEN " STATE " = '" state "' THEN 1 ELSE 0 END), 0)"
/* The sum of a column over all domains. Caps the value of each domain, because reports may claim
 * any numbers, and the sum must not overflow. */
#define SUM(column) \
	"coalesce(sum(CASE WHEN w." column " > 1000000000000 THEN 1000000000000 ELSE w." column \
	" END), 0)"

#define TOTAL_COLUMNS(FIRST, NEXT) \
	FIRST(TOTAL_DOMAINS, "count(*)") \
	NEXT(TOTAL_BROKEN, OF_STATE("error")) \
	NEXT(TOTAL_WEAK, OF_STATE("warning")) \
	NEXT(TOTAL_WELL, OF_STATE("ok")) \
	NEXT(TOTAL_WEEK_DAY, "coalesce(max(w.week_day), 0)") \
	NEXT(TOTAL_WEEK_PASSED, SUM("week_passed")) \
	NEXT(TOTAL_WEEK_FORWARDED, SUM("week_forwarded")) \
	NEXT(TOTAL_WEEK_FAILED, SUM("week_failed")) \
	NEXT(TOTAL_EARLIER_JUDGED, SUM("earlier_judged")) \
	NEXT(TOTAL_EARLIER_FAILED, SUM("earlier_failed"))
enum { EDS_DB_NAMES(TOTAL_COLUMNS) };

static const struct eds_db_statement TOTALS = {"summary-totals",
	"SELECT " EDS_DB_LIST(TOTAL_COLUMNS) " " OF_ALERT};

#define DOMAIN_COLUMNS(FIRST, NEXT) \
	FIRST(DOMAIN_ID, "d.id") \
	NEXT(DOMAIN_NAME, "d.name") \
	NEXT(DOMAIN_STATE, STATE) \
	NEXT(DOMAIN_WEEK_DAY, "coalesce(w.week_day, 0)") \
	NEXT(DOMAIN_WEEK_PASSED, "coalesce(w.week_passed, 0)") \
	NEXT(DOMAIN_WEEK_FORWARDED, "coalesce(w.week_forwarded, 0)") \
	NEXT(DOMAIN_WEEK_FAILED, "coalesce(w.week_failed, 0)") \
	NEXT(DOMAIN_EARLIER_JUDGED, "coalesce(w.earlier_judged, 0)") \
	NEXT(DOMAIN_EARLIER_FAILED, "coalesce(w.earlier_failed, 0)")
enum { EDS_DB_NAMES(DOMAIN_COLUMNS) };

static const struct eds_db_statement WORST = {"summary-worst",
	"SELECT " EDS_DB_LIST(DOMAIN_COLUMNS) " " OF_ALERT " AND (" STATE " IN ('error',"
	" 'warning') OR w.week_failed > 0)"
	" ORDER BY CASE " STATE " WHEN 'error' THEN 0 ELSE 1 END,"
	" coalesce(w.week_failed, 0) DESC, d.name"
	" LIMIT $3"};

#define RECEIVER_COLUMNS(FIRST, NEXT) \
	FIRST(RECEIVER_ACCOUNT_ID, "account_id") \
	NEXT(RECEIVER_URL, "url")
enum { EDS_DB_NAMES(RECEIVER_COLUMNS) };

static const struct eds_db_statement RECEIVER = {"summary-receiver",
	"SELECT " EDS_DB_LIST(RECEIVER_COLUMNS) " FROM alerts WHERE id = $1"};

static const struct eds_db_statement RECORD = {"summary-record",
	"UPDATE alert_mails SET summary_at_ms = $2 WHERE alert_id = $1 AND summary_at_ms = $3"};
/* clang-format on */

static rt_status status_of(struct rt_ctx *ctx, struct eds_store *store, enum eds_db_result result)
{
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

int64_t eds_summary_next_ms(int64_t now_ms)
{
	int64_t day = now_ms / DAY_MS;
	int64_t monday = day - (day + THURSDAY) % 7;
	int64_t at_ms = monday * DAY_MS + AT_MS;

	return at_ms > now_ms ? at_ms : at_ms + INT64_C(7) * DAY_MS;
}

rt_status eds_alert_summary_want(
	struct rt_ctx *ctx, struct eds_store *store, const char *alert_id, bool wanted)
{
	int64_t at_ms = wanted ? eds_summary_next_ms(rt_wall_ms()) : 0;

	return status_of(ctx, store,
		eds_db_execute(store->db, &WANT,
			EDS_DB_VALUES(eds_db_text_value(alert_id), eds_db_int_value(at_ms)), NULL));
}

static void read_claimed(struct rt_ctx *ctx, struct eds_db_query *query, void *item)
{
	*(struct eds_summary *)item = (struct eds_summary){
		.alert_id = eds_db_text(ctx, query, CLAIMED_ALERT_ID),
		.lease_ms = eds_db_int(query, CLAIMED_SUMMARY_AT_MS)};
}

static rt_status write_none(struct rt_ctx *ctx, struct eds_store *store, const void *items,
	size_t count, size_t *written)
{
	(void)ctx;
	(void)store;
	(void)items;
	*written = count;
	return RT_OK;
}

/* Accounts do not take turns (due.h), because each has few alerts, and an alert has one summary a
 * week. */
static const struct eds_due_kind SUMMARIES = {
	.item_bytes = sizeof(struct eds_summary),
	.lease_ms = EDS_SUMMARY_LEASE_MS,
	.claim = &CLAIM,
	.claim_beside = &CLAIM_BESIDE,
	.longest_due = &LONGEST_DUE,
	.late_ms = INT64_MAX,
	.read = read_claimed,
	.write = write_none,
};

rt_status eds_store_summary_claim(
	struct rt_ctx *ctx, struct eds_store *store, struct eds_summary *summary, bool *found)
{
	size_t written;
	size_t count;
	void *items;

	RT_TRY(eds_store_due_turn(ctx, store, &SUMMARIES, NULL, 0, &written, 1, &items, &count));
	*found = count > 0;
	if (*found)
		*summary = *(const struct eds_summary *)items;
	return RT_OK;
}

/* clang-format off */
/* Reads the week of a row whose columns are named ROW_WEEK_DAY and so on. */
#define WEEK(query, ROW) \
	((struct eds_report_week){ \
		.day = eds_db_int(query, ROW##_WEEK_DAY), \
		.passed = eds_db_int(query, ROW##_WEEK_PASSED), \
		.forwarded = eds_db_int(query, ROW##_WEEK_FORWARDED), \
		.failed = eds_db_int(query, ROW##_WEEK_FAILED), \
		.earlier_judged = eds_db_int(query, ROW##_EARLIER_JUDGED), \
		.earlier_failed = eds_db_int(query, ROW##_EARLIER_FAILED), \
	})
/* clang-format on */

static rt_status read_totals(
	struct rt_ctx *ctx, struct eds_store *store, int64_t since_day, struct eds_summary *summary)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &TOTALS,
		EDS_DB_VALUES(eds_db_text_value(summary->alert_id), eds_db_int_value(since_day)),
		&query);

	if (result == EDS_DB_ROW) {
		summary->domains = eds_db_int(query, TOTAL_DOMAINS);
		summary->broken = eds_db_int(query, TOTAL_BROKEN);
		summary->weak = eds_db_int(query, TOTAL_WEAK);
		summary->well = eds_db_int(query, TOTAL_WELL);
		summary->week = WEEK(query, TOTAL);
		summary->is_told = summary->domains > 0;
		result = eds_db_next(query);
	}
	eds_db_end(query);
	return status_of(ctx, store, result);
}

rt_status eds_store_summary_read(
	struct rt_ctx *ctx, struct eds_store *store, int64_t since_day, struct eds_summary *summary)
{
	struct eds_db_query *query;
	enum eds_db_result result;

	RT_TRY(read_totals(ctx, store, since_day, summary));
	result = eds_db_query(store->db, &WORST,
		EDS_DB_VALUES(eds_db_text_value(summary->alert_id), eds_db_int_value(since_day),
			eds_db_int_value(EDS_SUMMARY_DOMAINS_MAX)),
		&query);
	for (summary->worst_count = 0; result == EDS_DB_ROW; result = eds_db_next(query))
		summary->worst[summary->worst_count++] = (struct eds_summary_domain){
			.id = eds_db_text(ctx, query, DOMAIN_ID),
			.name = eds_db_text(ctx, query, DOMAIN_NAME),
			.state = eds_db_text(ctx, query, DOMAIN_STATE),
			.week = WEEK(query, DOMAIN),
		};
	eds_db_end(query);
	return status_of(ctx, store, result);
}

static rt_status add(struct rt_ctx *ctx, struct eds_store *store, const struct eds_summary *summary)
{
	int64_t now_ms = rt_wall_ms();
	struct eds_outbox_item item = {
		.origin = eds_alert_origin(ctx, summary->alert_id),
		.event = rt_printf(ctx, EDS_SUMMARY_EVENT " %lld", (long long)summary->next_at_ms),
		.secret = "",
		.body = summary->body,
		.by_mail = true,
		.until_ms = now_ms + EDS_OUTBOX_LIFE_MS,
		.forget_at_ms = now_ms + EDS_ALERT_LOG_MS,
	};
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(
		store->db, &RECEIVER, EDS_DB_VALUES(eds_db_text_value(summary->alert_id)), &query);
	bool found = result == EDS_DB_ROW;

	if (found) {
		item.account_id = eds_db_text(ctx, query, RECEIVER_ACCOUNT_ID);
		item.url = eds_db_text(ctx, query, RECEIVER_URL);
		result = eds_db_next(query);
	}
	eds_db_end(query);
	if (result != EDS_DB_OK || !found)
		return status_of(ctx, store, result);
	RT_TRY(eds_store_outbox_add(ctx, store, &item));
	return eds_alert_mail_plan(ctx, store, summary->alert_id);
}

static rt_status write(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct eds_summary *summary = arg;
	int64_t changed = 0;
	enum eds_db_result result = eds_db_execute(store->db, &RECORD,
		EDS_DB_VALUES(eds_db_text_value(summary->alert_id),
			eds_db_int_value(summary->next_at_ms), eds_db_int_value(summary->lease_ms)),
		&changed);

	RT_TRY(status_of(ctx, store, result));
	return changed > 0 && summary->body != NULL ? add(ctx, store, summary) : RT_OK;
}

rt_status eds_store_summary_write(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_summary *summary)
{
	struct eds_summary copy = *summary;

	return eds_store_write_guarded(ctx, store, write, &copy);
}
