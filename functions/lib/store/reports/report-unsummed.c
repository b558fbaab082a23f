/* Lines of reports whose rows are not stored yet. */
#include "functions/lib/store/reports/report-unsummed.h"

#include <string.h>

#include "functions/lib/store/reports/report-fold.h"
#include "functions/lib/store/reports/report-rows.h"
#include "functions/lib/store/transaction.h"

/* clang-format off */
#define LINE_COLUMNS(FIRST, NEXT) \
	FIRST(LINE_DOMAIN_ID, "r.domain_id") \
	NEXT(LINE_ID, "r.id") \
	NEXT(LINE_RECEIVED_AT_MS, "r.received_at_ms") \
	NEXT(LINE_BEGINS_AT_MS, "r.begins_at_ms") \
	NEXT(LINE_KIND, "r.kind") \
	NEXT(LINE_STATE, "r.state") \
	NEXT(LINE_TOTAL, "r.total") \
	NEXT(LINE_PASSED, "r.passed") \
	NEXT(LINE_FORWARDED, "r.forwarded") \
	NEXT(LINE_REPORTER, "o.reporter") \
	NEXT(LINE_VERIFIED, "o.verified") \
	NEXT(LINE_BODY_ID, "o.body_id")
enum { EDS_DB_NAMES(LINE_COLUMNS) };

static const struct eds_db_statement FIND = {"reports-unsummed",
	"SELECT " EDS_DB_LIST(LINE_COLUMNS)
	" FROM (SELECT domain_id, id, received_at_ms, begins_at_ms, kind, state, total, passed,"
	" forwarded FROM reports WHERE packed = 0 ORDER BY domain_id, id LIMIT $1) r"
	" LEFT JOIN report_origins o ON o.domain_id = r.domain_id AND o.report_id = r.id"
	" ORDER BY r.domain_id, r.id"};

static const struct eds_db_statement FIND_OF = {"reports-unsummed-of",
	"SELECT 1 FROM reports WHERE domain_id = $1 AND packed = 0 LIMIT 1"};

static const struct eds_db_statement BODY = {"report-unsummed-body",
	"SELECT body FROM report_bodies WHERE id = $1"};

static const struct eds_db_statement MARK = {"report-mark-summed",
	"UPDATE reports SET packed = 1 WHERE domain_id = $1 AND id = $2 AND packed = 0"};
/* clang-format on */

static void read_line(
	struct rt_ctx *ctx, struct eds_db_query *query, struct eds_report_unsummed *line)
{
	bool is_dmarc = strcmp(eds_db_text(ctx, query, LINE_KIND), "dmarc") == 0;

	*line = (struct eds_report_unsummed){
		.domain_id = eds_db_text(ctx, query, LINE_DOMAIN_ID),
		.id = eds_db_text(ctx, query, LINE_ID),
		.day = eds_store_report_day(eds_db_int(query, LINE_BEGINS_AT_MS),
			eds_db_int(query, LINE_RECEIVED_AT_MS)),
		.is_dmarc_read = is_dmarc &&
			strcmp(eds_db_text(ctx, query, LINE_STATE), "read") == 0,
		.total = eds_db_int(query, LINE_TOTAL),
		.passed = eds_db_int(query, LINE_PASSED),
		.forwarded = eds_db_int(query, LINE_FORWARDED),
		.reporter = eds_db_text(ctx, query, LINE_REPORTER),
		.body_id = eds_db_text(ctx, query, LINE_BODY_ID),
	};
	line->verified = line->reporter != NULL && eds_db_int(query, LINE_VERIFIED) != 0;
}

rt_status eds_store_report_unsummed(struct rt_ctx *ctx, struct eds_store *store, int limit,
	struct eds_report_unsummed **lines, size_t *count)
{
	size_t room = 0;
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(
		store->db, &FIND, EDS_DB_VALUES(eds_db_int_value(limit)), &query);

	*lines = NULL;
	for (*count = 0; result == EDS_DB_ROW; (*count)++) {
		*lines = rt_grow(ctx, *lines, *count, &room, sizeof **lines);
		read_line(ctx, query, &(*lines)[*count]);
		result = eds_db_next(query);
	}
	eds_db_end(query);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_report_unsummed_body(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_report_unsummed *line, const char **body)
{
	struct eds_db_query *query;
	enum eds_db_result result;

	*body = NULL;
	if (line->body_id == NULL)
		return RT_OK;
	result = eds_db_query(
		store->db, &BODY, EDS_DB_VALUES(eds_db_text_value(line->body_id)), &query);
	if (result == EDS_DB_ROW)
		*body = eds_db_text(ctx, query, EDS_DB_ONLY);
	eds_db_end(query);
	if (result != EDS_DB_ROW && result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return RT_OK;
}

static rt_status keep(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct eds_report_rows *rows = arg;
	int64_t changed = 0;
	enum eds_db_result result = eds_db_execute(store->db, &MARK,
		EDS_DB_VALUES(
			eds_db_text_value(rows->domain_id), eds_db_text_value(rows->report_id)),
		&changed);

	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return changed > 0 ? eds_store_report_rows_put(ctx, store, rows) : RT_OK;
}

rt_status eds_store_report_unsummed_keep(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_report_unsummed *line, const struct eds_report_row_sum *sums, size_t count)
{
	struct eds_report_rows rows = {
		.domain_id = line->domain_id,
		.report_id = line->id,
		.day = line->day,
		.reporter = line->reporter,
		.verified = line->verified,
		.sums = sums,
		.count = line->reporter != NULL ? count : 0,
	};

	return eds_store_write_guarded(ctx, store, keep, &rows);
}

rt_status eds_store_report_unsummed_end(
	struct rt_ctx *ctx, struct eds_store *store, const char *domain_id)
{
	const struct eds_domain domain = {.id = domain_id};
	bool complete;

	RT_TRY(eds_store_report_sums_complete(ctx, store, &domain, &complete));
	if (complete)
		RT_TRY(eds_store_report_days_check(ctx, store, domain_id));
	return eds_store_report_fold(ctx, store, domain_id);
}

rt_status eds_store_report_sums_complete(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, bool *complete)
{
	bool there;

	RT_TRY(eds_store_has_row(
		ctx, store, &FIND_OF, EDS_DB_VALUES(eds_db_text_value(domain->id)), &there));
	*complete = !there;
	return RT_OK;
}
