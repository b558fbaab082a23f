#include "functions/lib/store/reports/report-read.h"
#include "functions/lib/store/reports/report.h"

#include "functions/lib/store/transaction.h"

/* clang-format off */
#define LINE_COLUMNS(FIRST, NEXT) \
	FIRST(LINE_ID, "r.id") \
	NEXT(LINE_RECEIVED_AT_MS, "r.received_at_ms") \
	NEXT(LINE_KIND, "r.kind") \
	NEXT(LINE_STATE, "r.state") \
	NEXT(LINE_MAIL_FROM, "r.mail_from") \
	NEXT(LINE_ORGANIZATION, "r.organization") \
	NEXT(LINE_CONTACT, "r.contact") \
	NEXT(LINE_REPORTER_ID, "r.reporter_id") \
	NEXT(LINE_POLICY_DOMAIN, "r.policy_domain") \
	NEXT(LINE_BEGINS_AT_MS, "r.begins_at_ms") \
	NEXT(LINE_ENDS_AT_MS, "r.ends_at_ms") \
	NEXT(LINE_RECORDS, "r.records") \
	NEXT(LINE_TOTAL, "r.total") \
	NEXT(LINE_PASSED, "r.passed") \
	NEXT(LINE_FAILED, "r.failed") \
	NEXT(LINE_REASON_CODE, "r.reason_code") \
	NEXT(LINE_REASON, "r.reason") \
	NEXT(LINE_DISCOVERED, "r.discovered") \
	NEXT(LINE_REPORTER, "o.reporter") \
	NEXT(LINE_VERIFIED, "o.verified") \
	NEXT(LINE_SPF, "o.spf") \
	NEXT(LINE_DKIM, "o.dkim") \
	NEXT(LINE_DMARC, "o.dmarc") \
	NEXT(LINE_STANDING, "p.standing") \
	NEXT(LINE_FORWARDED, "r.forwarded") \
	NEXT(LINE_WAY, "o.way")
enum { EDS_DB_NAMES(LINE_COLUMNS) LINE_COLUMN_COUNT };

/* Columns that are read only for a single line, not for lists. They follow LINE_COLUMNS. */
#define DETAIL_COLUMNS(FIRST, NEXT) \
	FIRST(DETAIL_SELECTORS, "r.selectors") \
	NEXT(DETAIL_TEXT, "r.detail") \
	NEXT(DETAIL_OUTCOMES, "o.outcomes") \
	NEXT(DETAIL_BODY, "b.body")
enum { EDS_DB_NAMES(DETAIL_COLUMNS) };

/* The tables from which a line is read. A line has no row in report_origins if it was stored by an
 * earlier release of eds, which did not check whether a mail verifies its reporter. */
#define LINES \
	" FROM reports r LEFT JOIN report_origins o ON o.domain_id = r.domain_id AND" \
	" o.report_id = r.id LEFT JOIN report_reporters p ON p.domain_id = r.domain_id AND" \
	" p.reporter = o.reporter"
/* Whether a line counts, as eds_report_origin_counts() decides. */
#define COUNTS \
	" AND (p.standing = 'accepted' OR (o.verified = 1 AND (p.standing IS NULL OR p.standing" \
	" <> 'blocked')))"

/* Ids are UUIDv7, so their order is the order of time. All collations order hex digits alike, so
 * the statement needs no COLLATE "C". Without COLLATE "C" PostgreSQL can use the index of the
 * primary key; otherwise PostgreSQL would sort all reports of the domain. */
static const struct eds_db_statement LIST = {"report-list",
	"SELECT " EDS_DB_LIST(LINE_COLUMNS) LINES
	" WHERE r.domain_id = $1 AND r.id < $2"
	" ORDER BY r.id DESC"
	" LIMIT $3"};

/* Begins with report_origins, because its index has the reports of a reporter in the order of the
 * list. */
#define LINES_OF_REPORTER \
	" FROM report_origins o JOIN reports r ON r.domain_id = o.domain_id AND r.id = o.report_id" \
	" LEFT JOIN report_reporters p ON p.domain_id = o.domain_id AND p.reporter = o.reporter" \
	" WHERE o.domain_id = $1 AND o.report_id < $2"

static const struct eds_db_statement LIST_OF_REPORTER = {"report-list-of-reporter",
	"SELECT " EDS_DB_LIST(LINE_COLUMNS) LINES_OF_REPORTER
	" AND o.reporter = $4"
	" ORDER BY o.report_id DESC"
	" LIMIT $3"};

/* $6 is an enum eds_report_class, or -1 for all classes. PostgreSQL assumes that few lines pass
 * conditions on computed values, and then reads and sorts all lines of the domain for each page. So
 * lists without such conditions have statements of their own. Here the two conditions on the time
 * use expressions that are equal but written differently; otherwise PostgreSQL would assume that
 * both together select a short range. */
#define CONDITIONS \
	" AND CASE WHEN r.begins_at_ms > 0 THEN r.begins_at_ms ELSE r.received_at_ms END >= $4" \
	" AND CASE WHEN r.begins_at_ms <= 0 THEN r.received_at_ms ELSE r.begins_at_ms END <= $5" \
	" AND CASE CAST($6 AS BIGINT) WHEN 0" \
	" THEN r.failed WHEN 1 THEN r.passed WHEN 2 THEN r.forwarded ELSE 1 END > 0"

static const struct eds_db_statement LIST_SOME = {"report-list-some",
	"SELECT " EDS_DB_LIST(LINE_COLUMNS) LINES
	" WHERE r.domain_id = $1 AND r.id < $2" CONDITIONS
	" ORDER BY r.id DESC"
	" LIMIT $3"};

static const struct eds_db_statement LIST_SOME_OF_REPORTER = {"report-list-some-of-reporter",
	"SELECT " EDS_DB_LIST(LINE_COLUMNS) LINES_OF_REPORTER CONDITIONS
	" AND o.reporter = $7"
	" ORDER BY o.report_id DESC"
	" LIMIT $3"};

static const struct eds_db_statement GET = {"report-get",
	"SELECT " EDS_DB_LIST(LINE_COLUMNS) ", " EDS_DB_LIST(DETAIL_COLUMNS) LINES
	" LEFT JOIN report_bodies b ON b.id = o.body_id"
	" WHERE r.domain_id = $1 AND r.id = $2"};

/* Caps the number that each report adds to a sum, because reporters may claim any numbers, and the
 * sum over all reports must not overflow. */
#define SUM(column) \
	"coalesce(CAST(sum(CASE WHEN " column " > 1000000000000 THEN 1000000000000 ELSE " column \
	" END) AS BIGINT), 0)"

#define SUM_COLUMNS(FIRST, NEXT) \
	FIRST(SUM_REPORTS, "count(*)") \
	NEXT(SUM_SUCCESSFUL, SUM("r.passed")) \
	NEXT(SUM_FAILED, SUM("r.failed"))
enum { EDS_DB_NAMES(SUM_COLUMNS) };

static const struct eds_db_statement TLS_SUMS = {"report-tls-sums",
	"SELECT " EDS_DB_LIST(SUM_COLUMNS) LINES
	" WHERE r.domain_id = $1 AND r.received_at_ms > $2 AND r.kind = 'tls'"
	" AND r.state = 'read'" COUNTS};

#define FAILURE_COLUMNS(FIRST, NEXT) \
	FIRST(FAILURE_TYPE, "f.failure") \
	NEXT(FAILURE_SESSIONS, SUM("f.sessions") " AS sessions")
enum { EDS_DB_NAMES(FAILURE_COLUMNS) };

static const struct eds_db_statement TLS_FAILURES = {"report-tls-failures",
	"SELECT " EDS_DB_LIST(FAILURE_COLUMNS) LINES
	" JOIN report_failures f ON f.domain_id = r.domain_id AND f.report_id = r.id"
	" WHERE r.domain_id = $1 AND r.received_at_ms > $2 AND r.kind = 'tls'" COUNTS
	" GROUP BY f.failure"
	" ORDER BY sessions DESC, f.failure COLLATE \"C\""};
/* clang-format on */

enum {
	VALUES_OF_PAGE = 3,
	VALUES_OF_CONDITIONS = 3,
};

/* The start of a list without a cursor: g sorts after all hex digits, and so after every id. */
static const char NEWEST[] = "g";

static const char *text_or_none(struct rt_ctx *ctx, struct eds_db_query *query, int column)
{
	const char *text = eds_db_text(ctx, query, column);

	return text != NULL ? text : "";
}

static void read_origin(
	struct rt_ctx *ctx, struct eds_db_query *query, struct eds_report_line *line)
{
	const char *reporter = eds_db_text(ctx, query, LINE_REPORTER);

	line->origin = (struct eds_report_origin){
		.reporter = reporter != NULL ? reporter : "",
		.judged = reporter != NULL,
		.verified = reporter != NULL && eds_db_int(query, LINE_VERIFIED) != 0,
		.spf = text_or_none(ctx, query, LINE_SPF),
		.dkim = text_or_none(ctx, query, LINE_DKIM),
		.dmarc = text_or_none(ctx, query, LINE_DMARC),
		.standing = text_or_none(ctx, query, LINE_STANDING),
		.way = reporter != NULL ? eds_db_text(ctx, query, LINE_WAY) : "mail",
	};
	line->counts = eds_report_origin_counts(&line->origin);
}

static void read_line(struct rt_ctx *ctx, struct eds_db_query *query, struct eds_report_line *line)
{
	*line = (struct eds_report_line){
		.id = eds_db_text(ctx, query, LINE_ID),
		.received_at_ms = eds_db_int(query, LINE_RECEIVED_AT_MS),
		.kind = eds_db_text(ctx, query, LINE_KIND),
		.state = eds_db_text(ctx, query, LINE_STATE),
		.mail_from = eds_db_text(ctx, query, LINE_MAIL_FROM),
		.organization = eds_db_text(ctx, query, LINE_ORGANIZATION),
		.contact = eds_db_text(ctx, query, LINE_CONTACT),
		.reporter_id = eds_db_text(ctx, query, LINE_REPORTER_ID),
		.policy_domain = eds_db_text(ctx, query, LINE_POLICY_DOMAIN),
		.begins_at_ms = eds_db_int(query, LINE_BEGINS_AT_MS),
		.ends_at_ms = eds_db_int(query, LINE_ENDS_AT_MS),
		.records = eds_db_int(query, LINE_RECORDS),
		.total = eds_db_int(query, LINE_TOTAL),
		.passed = eds_db_int(query, LINE_PASSED),
		.failed = eds_db_int(query, LINE_FAILED),
		.reason_code = eds_db_text(ctx, query, LINE_REASON_CODE),
		.reason = eds_db_text(ctx, query, LINE_REASON),
		.discovered = eds_db_text(ctx, query, LINE_DISCOVERED),
		.forwarded = eds_db_int(query, LINE_FORWARDED),
	};
	read_origin(ctx, query, line);
}

static bool has_conditions(const struct eds_report_query *wanted)
{
	return wanted->from_ms > 0 || wanted->to_ms > 0 || wanted->of_class;
}

static enum eds_db_result ask(struct eds_store *store, const struct eds_domain *domain,
	const struct eds_report_query *wanted, struct eds_db_query **query)
{
	struct eds_db_value values[VALUES_OF_PAGE + VALUES_OF_CONDITIONS + 1] = {
		eds_db_text_value(domain->id),
		eds_db_text_value(wanted->before != NULL ? wanted->before : NEWEST),
		eds_db_int_value(wanted->limit > 0 ? wanted->limit : INT32_MAX),
		eds_db_int_value(wanted->from_ms),
		eds_db_int_value(wanted->to_ms > 0 ? wanted->to_ms : INT64_MAX),
		eds_db_int_value(wanted->of_class ? wanted->class : -1)};
	bool of_reporter = wanted->reporter != NULL && *wanted->reporter != '\0';
	bool some = has_conditions(wanted);
	size_t count = VALUES_OF_PAGE + (some ? VALUES_OF_CONDITIONS : 0);

	if (!of_reporter)
		return eds_db_query(store->db, some ? &LIST_SOME : &LIST, values, count, query);
	values[count] = eds_db_text_value(wanted->reporter);
	return eds_db_query(store->db, some ? &LIST_SOME_OF_REPORTER : &LIST_OF_REPORTER, values,
		count + 1, query);
}

rt_status eds_store_report_list(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_query *wanted,
	struct eds_report_line **lines, size_t *count)
{
	size_t room = 0;
	struct eds_db_query *query;
	enum eds_db_result result = ask(store, domain, wanted, &query);

	*lines = NULL;
	for (*count = 0; result == EDS_DB_ROW; (*count)++) {
		*lines = rt_grow(ctx, *lines, *count, &room, sizeof **lines);
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
		line->selectors = eds_db_text(ctx, query, LINE_COLUMN_COUNT + DETAIL_SELECTORS);
		line->detail = eds_db_text(ctx, query, LINE_COLUMN_COUNT + DETAIL_TEXT);
		line->outcomes = eds_db_text(ctx, query, LINE_COLUMN_COUNT + DETAIL_OUTCOMES);
		line->body = eds_db_text(ctx, query, LINE_COLUMN_COUNT + DETAIL_BODY);
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
		sums->failures = rt_grow(
			ctx, sums->failures, sums->failure_count, &room, sizeof *sums->failures);
		sums->failures[sums->failure_count++] = (struct eds_report_failure_sum){
			.type = eds_db_text(ctx, query, FAILURE_TYPE),
			.sessions = eds_db_int(query, FAILURE_SESSIONS)};
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
		sums->reports = eds_db_int(query, SUM_REPORTS);
		sums->successful = eds_db_int(query, SUM_SUCCESSFUL);
		sums->failed = eds_db_int(query, SUM_FAILED);
	}
	eds_db_end(query);
	if (result != EDS_DB_ROW)
		return eds_store_failed(ctx, store, result);
	return sums->reports > 0 ? read_failures(ctx, store, domain_id, since_ms, sums) : RT_OK;
}
