/* The log of reports: lines read, and what TLS reports sum up to. */
#include "functions/lib/store/report.h"

#include "functions/lib/store/transaction.h"

#define COLUMNS                                                                                    \
	"id, received_at_ms, kind, state, mail_from, organization, contact, reporter_id,"          \
	" policy_domain, begins_at_ms, ends_at_ms, records, total, passed, failed, reason_code,"   \
	" reason, discovered"

/* An id is a UUIDv7: in the order of time. */
static const struct eds_db_statement LIST = {"report-list",
	"SELECT " COLUMNS " FROM reports WHERE domain_id = $1 AND id COLLATE \"C\" < $2"
	" ORDER BY id COLLATE \"C\" DESC LIMIT $3"};

static const struct eds_db_statement GET = {"report-get",
	"SELECT " COLUMNS ", selectors, detail FROM reports WHERE domain_id = $1 AND id = $2"};

static const struct eds_db_statement TLS_SUMS = {"report-tls-sums",
	"SELECT count(*), coalesce(CAST(sum(passed) AS BIGINT), 0), "
	"coalesce(CAST(sum(failed) AS BIGINT), 0) FROM reports"
	" WHERE domain_id = $1 AND received_at_ms > $2 AND kind = 'tls' AND state = 'read'"};

static const struct eds_db_statement TLS_FAILURES = {"report-tls-failures",
	"SELECT f.failure, CAST(sum(f.sessions) AS BIGINT) AS sessions FROM reports r JOIN "
	"report_failures f ON f.domain_id = r.domain_id AND f.report_id = r.id"
	" WHERE r.domain_id = $1 AND r.received_at_ms > $2 AND r.kind = 'tls'"
	" GROUP BY f.failure ORDER BY sessions DESC, f.failure COLLATE \"C\""};

/* Behind every id. */
static const char NEWEST[] = "~";

static void read_line(struct rt_ctx *ctx, struct eds_db_query *query, struct eds_report_line *line)
{
	*line = (struct eds_report_line){
		.id = eds_db_text(ctx, query, 0),
		.received_at_ms = eds_db_int(query, 1),
		.kind = eds_db_text(ctx, query, 2),
		.state = eds_db_text(ctx, query, 3),
		.mail_from = eds_db_text(ctx, query, 4),
		.organization = eds_db_text(ctx, query, 5),
		.contact = eds_db_text(ctx, query, 6),
		.reporter_id = eds_db_text(ctx, query, 7),
		.policy_domain = eds_db_text(ctx, query, 8),
		.begins_at_ms = eds_db_int(query, 9),
		.ends_at_ms = eds_db_int(query, 10),
		.records = eds_db_int(query, 11),
		.total = eds_db_int(query, 12),
		.passed = eds_db_int(query, 13),
		.failed = eds_db_int(query, 14),
		.reason_code = eds_db_text(ctx, query, 15),
		.reason = eds_db_text(ctx, query, 16),
		.discovered = eds_db_text(ctx, query, 17),
	};
}

rt_status eds_store_report_list(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *before, int limit,
	struct eds_report_line **lines, size_t *count)
{
	size_t room = 0;
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &LIST,
		EDS_DB_VALUES(eds_db_text_value(domain->id),
			eds_db_text_value(before != NULL ? before : NEWEST),
			eds_db_int_value(limit > 0 ? limit : INT32_MAX)),
		&query);

	*lines = NULL;
	for (*count = 0; result == EDS_DB_ROW; (*count)++) {
		*lines = eds_store_grow(ctx, *lines, *count, &room, sizeof **lines);
		read_line(ctx, query, &(*lines)[*count]);
		result = eds_db_next(query);
	}
	eds_db_end(query);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_report_get(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *id, struct eds_report_line *line)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &GET,
		EDS_DB_VALUES(eds_db_text_value(domain->id), eds_db_text_value(id)), &query);

	if (result == EDS_DB_ROW) {
		read_line(ctx, query, line);
		line->selectors = eds_db_text(ctx, query, 18);
		line->detail = eds_db_text(ctx, query, 19);
	}
	eds_db_end(query);
	if (result == EDS_DB_OK)
		return rt_fail(ctx, RT_NOT_FOUND, "report-not-found",
			"there is no such report on this domain");
	return result == EDS_DB_ROW ? RT_OK : eds_store_failed(ctx, store, result);
}

static rt_status read_failures(struct rt_ctx *ctx, struct eds_store *store, const char *domain_id,
	int64_t since_ms, struct eds_tls_sums *sums)
{
	size_t room = 0;
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &TLS_FAILURES,
		EDS_DB_VALUES(eds_db_text_value(domain_id), eds_db_int_value(since_ms)), &query);

	for (; result == EDS_DB_ROW; result = eds_db_next(query)) {
		sums->failures = eds_store_grow(
			ctx, sums->failures, sums->failure_count, &room, sizeof *sums->failures);
		sums->failures[sums->failure_count++] = (struct eds_report_failure_sum){
			.type = eds_db_text(ctx, query, 0), .sessions = eds_db_int(query, 1)};
	}
	eds_db_end(query);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_tls_sums(struct rt_ctx *ctx, struct eds_store *store, const char *domain_id,
	int64_t since_ms, struct eds_tls_sums *sums)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &TLS_SUMS,
		EDS_DB_VALUES(eds_db_text_value(domain_id), eds_db_int_value(since_ms)), &query);

	*sums = (struct eds_tls_sums){0};
	if (result == EDS_DB_ROW) {
		sums->reports = eds_db_int(query, 0);
		sums->successful = eds_db_int(query, 1);
		sums->failed = eds_db_int(query, 2);
	}
	eds_db_end(query);
	if (result != EDS_DB_ROW)
		return eds_store_failed(ctx, store, result);
	return sums->reports > 0 ? read_failures(ctx, store, domain_id, since_ms, sums) : RT_OK;
}
