/* Lists the reporters of a domain, counts their reports, and records the owner's decisions about
 * them. */
#include "functions/lib/store/reports/reporter.h"
#include "runtime/time.h"

#include <string.h>

#include "functions/lib/store/transaction.h"

/* clang-format off */
#define REPORTER_COLUMNS(FIRST, NEXT) \
	FIRST(REPORTER_DOMAIN, "reporter") \
	NEXT(REPORTER_STANDING, "standing") \
	NEXT(REPORTER_FIRST_SEEN_MS, "first_seen_at_ms") \
	NEXT(REPORTER_LAST_SEEN_MS, "last_seen_at_ms") \
	NEXT(REPORTER_VERIFIED_MS, "verified_at_ms") \
	NEXT(REPORTER_VERIFIED_REPORTS, "verified_reports") \
	NEXT(REPORTER_OTHER_REPORTS, "other_reports")
enum { EDS_DB_NAMES(REPORTER_COLUMNS) };


static const struct eds_db_statement GET = {"reporter-get",
	"SELECT " EDS_DB_LIST(REPORTER_COLUMNS)
	" FROM report_reporters"
	" WHERE domain_id = $1 AND reporter = $2"};

static const struct eds_db_statement LIST = {"reporter-list",
	"SELECT " EDS_DB_LIST(REPORTER_COLUMNS)
	" FROM report_reporters"
	" WHERE domain_id = $1 AND reporter <> '' AND reporter COLLATE \"C\" > $2"
	" ORDER BY reporter COLLATE \"C\""
	" LIMIT $3"};

static const struct eds_db_statement DECIDE = {"reporter-decide",
	"UPDATE report_reporters"
	" SET standing = $3"
	" WHERE domain_id = $1 AND reporter = $2 AND reporter <> ''"
	" RETURNING " EDS_DB_LIST(REPORTER_COLUMNS)};

static const struct eds_db_statement SEEN = {"reporter-seen",
	"INSERT INTO report_reporters (domain_id, reporter, standing, first_seen_at_ms,"
	" last_seen_at_ms, verified_at_ms, verified_reports, other_reports)"
	" VALUES ($1, $2, '', $3, $3, $4, $5, $6)"
	" ON CONFLICT (domain_id, reporter)"
	" DO UPDATE SET last_seen_at_ms = excluded.last_seen_at_ms, verified_at_ms = CASE"
	" WHEN excluded.verified_at_ms > 0 THEN excluded.verified_at_ms"
	" ELSE report_reporters.verified_at_ms END,"
	" verified_reports = report_reporters.verified_reports + excluded.verified_reports,"
	" other_reports = report_reporters.other_reports + excluded.other_reports"};

/* Of the reporters that were never verified and have no decision of the owner, removes all but the
 * $3 latest and the reporter $2. */
static const struct eds_db_statement CROWD_OUT = {"reporter-crowd-out",
	"DELETE FROM report_reporters"
	" WHERE domain_id = $1 AND reporter IN"
	" (SELECT reporter FROM report_reporters WHERE domain_id = $1 AND verified_at_ms = 0"
	" AND standing = '' AND reporter <> $2 ORDER BY last_seen_at_ms DESC, reporter"
	" LIMIT 1000 OFFSET $3)"};
/* clang-format on */

bool eds_report_origin_counts(const struct eds_report_origin *origin)
{
	if (!origin->judged || strcmp(origin->standing, "blocked") == 0)
		return false;
	return origin->verified || strcmp(origin->standing, "accepted") == 0;
}

bool eds_report_is_upload(const struct eds_report_origin *origin)
{
	return origin->way != NULL && strcmp(origin->way, EDS_REPORT_UPLOAD) == 0;
}

static void read_reporter(
	struct rt_ctx *ctx, struct eds_db_query *query, struct eds_reporter *reporter)
{
	*reporter = (struct eds_reporter){
		.domain = eds_db_text(ctx, query, REPORTER_DOMAIN),
		.standing = eds_db_text(ctx, query, REPORTER_STANDING),
		.first_seen_ms = eds_db_int(query, REPORTER_FIRST_SEEN_MS),
		.last_seen_ms = eds_db_int(query, REPORTER_LAST_SEEN_MS),
		.verified_ms = eds_db_int(query, REPORTER_VERIFIED_MS),
		.verified_reports = eds_db_int(query, REPORTER_VERIFIED_REPORTS),
		.other_reports = eds_db_int(query, REPORTER_OTHER_REPORTS),
	};
}

rt_status eds_store_reporter_get(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *name, struct eds_reporter *reporter)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &GET,
		EDS_DB_VALUES(eds_db_text_value(domain->id), eds_db_text_value(name)), &query);

	*reporter = (struct eds_reporter){.domain = name, .standing = ""};
	if (result == EDS_DB_ROW)
		read_reporter(ctx, query, reporter);
	eds_db_end(query);
	if (result != EDS_DB_ROW && result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return RT_OK;
}

rt_status eds_store_reporter_list(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *after, int limit,
	struct eds_reporter **reporters, size_t *count)
{
	size_t room = 0;
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &LIST,
		EDS_DB_VALUES(eds_db_text_value(domain->id),
			eds_db_text_value(after != NULL ? rt_lower(ctx, after) : ""),
			eds_db_int_value(limit > 0 ? limit : INT32_MAX)),
		&query);

	*reporters = NULL;
	for (*count = 0; result == EDS_DB_ROW; ++*count) {
		*reporters = rt_grow(ctx, *reporters, *count, &room, sizeof **reporters);
		read_reporter(ctx, query, &(*reporters)[*count]);
		result = eds_db_next(query);
	}
	eds_db_end(query);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

struct decision {
	const struct eds_domain *domain;
	const char *name;
	const char *standing;
	struct eds_reporter *reporter;
};

static rt_status decide(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct decision *decision = arg;
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &DECIDE,
		EDS_DB_VALUES(eds_db_text_value(decision->domain->id),
			eds_db_text_value(decision->name), eds_db_text_value(decision->standing)),
		&query);
	bool found = result == EDS_DB_ROW;

	if (found) {
		read_reporter(ctx, query, decision->reporter);
		result = eds_db_next(query);
	}
	eds_db_end(query);
	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	if (!found)
		return rt_fail(ctx, RT_NOT_FOUND, "reporter-not-found",
			"no report of that reporter is known for this domain");
	return RT_OK;
}

rt_status eds_store_reporter_decide(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *name, const char *standing,
	struct eds_reporter *reporter)
{
	struct decision decision = {domain, rt_lower(ctx, name), standing, reporter};

	return eds_store_write_guarded(ctx, store, decide, &decision);
}

rt_status eds_store_reporter_seen(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_origin *origin)
{
	bool proved = origin->verified && !eds_report_is_upload(origin);
	const struct eds_db_value name = eds_db_text_value(origin->reporter);
	int64_t now_ms = rt_wall_ms();
	enum eds_db_result result;

	if (*origin->reporter == '\0')
		return RT_OK;
	result = eds_db_execute(store->db, &SEEN,
		EDS_DB_VALUES(eds_db_text_value(domain->id), name, eds_db_int_value(now_ms),
			eds_db_int_value(proved ? now_ms : 0), eds_db_int_value(proved),
			eds_db_int_value(!proved)),
		NULL);
	if (result == EDS_DB_OK && !proved)
		result = eds_db_execute(store->db, &CROWD_OUT,
			EDS_DB_VALUES(eds_db_text_value(domain->id), name,
				eds_db_int_value(EDS_REPORTERS_UNVERIFIED_MAX - 1)),
			NULL);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}
