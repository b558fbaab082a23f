/* Stores and removes rows of DMARC reports. */
#include "functions/lib/store/reports/report-rows.h"

#include <string.h>

#include "functions/lib/store/reports/report-pack.h"

enum { DAY_MS = 24 * 3600 * 1000 };

static const struct eds_db_statement PUT = {"report-pack-put",
	"INSERT INTO report_packs (domain_id, report_id, day, reporter, verified, told)"
	" VALUES ($1, $2, $3, $4, $5, $6)"
	" ON CONFLICT DO NOTHING"};

static const struct eds_db_statement QUEUE = {"report-pack-queue",
	"INSERT INTO report_unfolded (domain_id, report_id, day)"
	" VALUES ($1, $2, $3)"
	" ON CONFLICT DO NOTHING"};

/* clang-format off */
/* Two statements for the days that contain rows of the lines `lines`: the first statement queues
 * all reports of these days to be folded again, the second removes the sums of these days. */
#define TAKE_APART(name, lines) { \
	{"report-days-queue-" name, \
		"INSERT INTO report_unfolded (domain_id, report_id, day)" \
		" SELECT domain_id, report_id, day FROM report_packs" \
		" WHERE domain_id = $1 AND day IN " DAYS_OF(lines) \
		" ON CONFLICT DO NOTHING"}, \
	{"report-days-remove-" name, \
		"DELETE FROM report_day_packs WHERE domain_id = $1 AND day IN " DAYS_OF(lines)}, \
}
#define DAYS_OF(lines) \
	"(SELECT day FROM report_packs WHERE domain_id = $1 AND report_id IN (" lines "))"

static const struct eds_db_statement TAKE_APART_ONE[] = TAKE_APART("one",
	"SELECT id FROM reports WHERE domain_id = $1 AND identity = $2");
static const struct eds_db_statement TAKE_APART_OVER[] = TAKE_APART("over", EDS_REPORTS_OVER);
/* clang-format on */

/* Locks a domain's days, because two writers at once would both count the same rows. */
static const struct eds_db_statement LOCK = {
	"report-days-lock", "UPDATE domains SET name = name WHERE id = $1"};

rt_status eds_store_report_days_lock(
	struct rt_ctx *ctx, struct eds_store *store, const char *domain_id)
{
	enum eds_db_result result = eds_db_execute(
		store->db, &LOCK, EDS_DB_VALUES(eds_db_text_value(domain_id)), NULL);

	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

/* Runs both statements of TAKE_APART; values[0] is the domain's id. */
static rt_status take_apart(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_db_statement statements[2], const struct eds_db_value *values,
	size_t count)
{
	RT_TRY(eds_store_report_days_lock(ctx, store, values[0].text));
	for (size_t i = 0; i < 2; i++) {
		enum eds_db_result result = eds_db_execute(
			store->db, &statements[i], values, count, NULL);

		if (result != EDS_DB_OK)
			return eds_store_failed(ctx, store, result);
	}
	return RT_OK;
}

/* The day of a report is the day on which its period begins. A period that begins after the
 * report's arrival comes from a wrong clock; then the report belongs to the day of its arrival. */
int64_t eds_store_report_day(int64_t begins_at_ms, int64_t received_at_ms)
{
	bool is_known = begins_at_ms > 0 && begins_at_ms < received_at_ms;

	return (is_known ? begins_at_ms : received_at_ms) / DAY_MS;
}

static const char *pack(struct rt_ctx *ctx, const struct eds_report_rows *rows)
{
	struct eds_pack_sums sums;

	eds_pack_sums_init(ctx, &sums);
	for (size_t i = 0; i < rows->count; i++) {
		const struct eds_report_row_sum *sum = &rows->sums[i];
		const struct eds_tally_name auth = {sum->auth, strlen(sum->auth)};

		eds_pack_sums_add(&sums,
			&(struct eds_pack_row){
				.disposition = sum->disposition,
				.class = sum->class,
				.messages = sum->messages,
				.source = sum->source,
				.source_length = strcspn(sum->source, "\n"),
			},
			&auth);
	}
	return eds_pack_sums_text(&sums);
}

rt_status eds_store_report_rows_put(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_report_rows *rows)
{
	const struct eds_db_value domain = eds_db_text_value(rows->domain_id);
	const struct eds_db_value report = eds_db_text_value(rows->report_id);
	const struct eds_db_value day = eds_db_int_value(rows->day);
	enum eds_db_result result;

	if (rows->count == 0)
		return RT_OK;
	result = eds_db_execute(store->db, &PUT,
		EDS_DB_VALUES(domain, report, day, eds_db_text_value(rows->reporter),
			eds_db_int_value(rows->verified), eds_db_text_value(pack(ctx, rows))),
		NULL);
	if (result == EDS_DB_OK)
		result = eds_db_execute(
			store->db, &QUEUE, EDS_DB_VALUES(domain, report, day), NULL);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_report_rows_add(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_item *item)
{
	const struct eds_report_line *line = item->line;

	return eds_store_report_rows_put(ctx, store,
		&(struct eds_report_rows){
			.domain_id = domain->id,
			.report_id = line->id,
			.day = eds_store_report_day(line->begins_at_ms, line->received_at_ms),
			.reporter = line->origin.reporter,
			.verified = line->origin.verified,
			.sums = item->sums,
			.count = item->sum_count,
		});
}

rt_status eds_store_report_rows_remove(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *identity)
{
	return take_apart(ctx, store, TAKE_APART_ONE,
		EDS_DB_VALUES(eds_db_text_value(domain->id), eds_db_text_value(identity)));
}

rt_status eds_store_report_rows_remove_over(struct rt_ctx *ctx, struct eds_store *store,
	const char *domain_id, int64_t domain_max, int64_t batch)
{
	return take_apart(ctx, store, TAKE_APART_OVER,
		EDS_DB_VALUES(eds_db_text_value(domain_id), eds_db_int_value(domain_max),
			eds_db_int_value(batch)));
}
