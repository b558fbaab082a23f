/* The log of reports: lines read, and what TLS reports sum up to. */
#include "functions/lib/store/reports/report.h"

#include "functions/lib/store/transaction.h"

#define COLUMNS                                                                                    \
	"r.id, r.received_at_ms, r.kind, r.state, r.mail_from, r.organization, r.contact,"         \
	" r.reporter_id, r.policy_domain, r.begins_at_ms, r.ends_at_ms, r.records, r.total,"       \
	" r.passed, r.failed, r.reason_code, r.reason, r.discovered, o.reporter, o.verified,"      \
	" o.spf, o.dkim, o.dmarc, p.standing, r.forwarded, o.way"
/* A line from before reporters were judged has no origin. */
#define LINES                                                                                      \
	" FROM reports r LEFT JOIN report_origins o ON o.domain_id = r.domain_id AND"              \
	" o.report_id = r.id LEFT JOIN report_reporters p ON p.domain_id = r.domain_id AND"        \
	" p.reporter = o.reporter"
/* As eds_report_origin_counts() says. */
#define COUNTS                                                                                     \
	" AND (p.standing = 'accepted' OR (o.verified = 1 AND (p.standing IS NULL OR p.standing"   \
	" <> 'blocked')))"

/* An id is a UUIDv7: in the order of time. $7 is an enum eds_report_class, or -1. */
static const struct eds_db_statement LIST = {"report-list",
	"SELECT " COLUMNS LINES " WHERE r.domain_id = $1 AND r.id COLLATE \"C\" < $2"
	" AND ($4 = '' OR o.reporter = $4)"
	" AND CASE WHEN r.begins_at_ms > 0 THEN r.begins_at_ms ELSE r.received_at_ms END"
	" BETWEEN $5 AND $6"
	" AND CASE CAST($7 AS BIGINT) WHEN 0 THEN r.failed WHEN 1 THEN r.passed"
	" WHEN 2 THEN r.forwarded ELSE 1 END > 0"
	" ORDER BY r.id COLLATE \"C\" DESC LIMIT $3"};

static const struct eds_db_statement GET = {"report-get",
	"SELECT " COLUMNS ", r.selectors, r.detail, o.outcomes, b.body" LINES
	" LEFT JOIN report_bodies b ON b.id = o.body_id WHERE r.domain_id = $1 AND r.id = $2"};

static const struct eds_db_statement TLS_SUMS = {"report-tls-sums",
	"SELECT count(*), coalesce(CAST(sum(r.passed) AS BIGINT), 0), "
	"coalesce(CAST(sum(r.failed) AS BIGINT), 0)" LINES
	" WHERE r.domain_id = $1 AND r.received_at_ms > $2 AND r.kind = 'tls' AND r.state = "
	"'read'" COUNTS};

static const struct eds_db_statement TLS_FAILURES = {"report-tls-failures",
	"SELECT f.failure, CAST(sum(f.sessions) AS BIGINT) AS sessions" LINES
	" JOIN report_failures f ON f.domain_id = r.domain_id AND f.report_id = r.id"
	" WHERE r.domain_id = $1 AND r.received_at_ms > $2 AND r.kind = 'tls'" COUNTS
	" GROUP BY f.failure ORDER BY sessions DESC, f.failure COLLATE \"C\""};

/* Behind every id. */
static const char NEWEST[] = "~";

static const char *text_or_none(struct rt_ctx *ctx, struct eds_db_query *query, int column)
{
	const char *text = eds_db_text(ctx, query, column);

	return text != NULL ? text : "";
}

static void read_origin(
	struct rt_ctx *ctx, struct eds_db_query *query, struct eds_report_line *line)
{
	const char *reporter = eds_db_text(ctx, query, 18);

	line->origin = (struct eds_report_origin){
		.reporter = reporter != NULL ? reporter : "",
		.judged = reporter != NULL,
		.verified = reporter != NULL && eds_db_int(query, 19) != 0,
		.spf = text_or_none(ctx, query, 20),
		.dkim = text_or_none(ctx, query, 21),
		.dmarc = text_or_none(ctx, query, 22),
		.standing = text_or_none(ctx, query, 23),
		.way = reporter != NULL ? eds_db_text(ctx, query, 25) : "mail",
	};
	line->counts = eds_report_origin_counts(&line->origin);
}

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
		.forwarded = eds_db_int(query, 24),
	};
	read_origin(ctx, query, line);
}

rt_status eds_store_report_list(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_query *wanted,
	struct eds_report_line **lines, size_t *count)
{
	size_t room = 0;
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &LIST,
		EDS_DB_VALUES(eds_db_text_value(domain->id),
			eds_db_text_value(wanted->before != NULL ? wanted->before : NEWEST),
			eds_db_int_value(wanted->limit > 0 ? wanted->limit : INT32_MAX),
			eds_db_text_value(wanted->reporter != NULL ? wanted->reporter : ""),
			eds_db_int_value(wanted->from_ms),
			eds_db_int_value(wanted->to_ms > 0 ? wanted->to_ms : INT64_MAX),
			eds_db_int_value(wanted->of_class ? wanted->class : -1)),
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
		line->selectors = eds_db_text(ctx, query, 26);
		line->detail = eds_db_text(ctx, query, 27);
		line->outcomes = eds_db_text(ctx, query, 28);
		line->body = eds_db_text(ctx, query, 29);
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
