/* Stores a report's body and origin, and counts reports towards the daily limits. */
#include "functions/lib/store/reports/report-add.h"
#include "runtime/time.h"

#include "functions/lib/store/reports/report-original.h"

#include <nettle/base16.h>
#include <nettle/sha2.h>
#include <string.h>

enum { DAY_MS = 24 * 3600 * 1000 };

static const struct eds_db_statement CHARGE = {"report-charge",
	"INSERT INTO report_usage (domain_id, share, day, reports, octets)"
	" VALUES ($1, $2, $3, 1, $4)"
	" ON CONFLICT (domain_id, share, day) DO UPDATE SET reports = report_usage.reports + 1,"
	" octets = report_usage.octets + excluded.octets"
	" WHERE report_usage.reports < $5 AND report_usage.octets + excluded.octets <= $6"};

static const struct eds_db_statement OTHERS_FULL = {"report-others-full",
	"SELECT 1 FROM report_usage"
	" WHERE domain_id = $1 AND share = '' AND day = $2 AND (reports >= $3 OR octets >= $4)"
	" AND EXISTS (SELECT 1 FROM reports WHERE domain_id = $1 AND identity = $5)"
	" AND NOT EXISTS (SELECT 1 FROM report_reporters WHERE domain_id = $1"
	" AND standing = 'accepted')"};

static const struct eds_db_statement HAS_BODY = {
	"report-has-body", "SELECT 1 FROM report_bodies WHERE id = $1"};

static const struct eds_db_statement PUT_BODY = {"report-put-body",
	"INSERT INTO report_bodies (id, received_at_ms, body)"
	" VALUES ($1, $2, $3)"
	" ON CONFLICT (id) DO NOTHING"};

static const struct eds_db_statement PUT_ORIGIN = {"report-put-origin",
	"INSERT INTO report_origins (domain_id, report_id, reporter, verified, spf, dkim, dmarc,"
	" body_id, outcomes, way)"
	" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"
	" ON CONFLICT DO NOTHING"};

struct share {
	const char *name;
	int64_t reports;
	int64_t bytes;
};

static int64_t length_of(const char *text)
{
	return text != NULL ? (int64_t)strlen(text) : 0;
}

static rt_status charge(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_line *line,
	const struct share *share, bool *within)
{
	int64_t changed = 0;
	enum eds_db_result result = eds_db_execute(store->db, &CHARGE,
		EDS_DB_VALUES(eds_db_text_value(domain->id), eds_db_text_value(share->name),
			eds_db_int_value(rt_wall_ms() / DAY_MS),
			eds_db_int_value(length_of(line->body)), eds_db_int_value(share->reports),
			eds_db_int_value(share->bytes)),
		&changed);

	*within = changed == 1;
	if (result == EDS_DB_FOREIGN_KEY)
		return eds_store_no_domain(ctx);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

/* A report of a reporter that counts (report-add.h) is first counted towards that reporter's own
 * limit. When this limit is reached, the report is not counted towards the common limit of all
 * reporters that count. */
rt_status eds_store_report_charge(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_line *line, bool *within,
	const char **share)
{
	const struct share others = {"", EDS_OTHERS_DAY_REPORTS, EDS_OTHERS_DAY_BYTES};
	const struct share all = {"*", EDS_REPORTERS_DAY_REPORTS, EDS_REPORTERS_DAY_BYTES};
	const struct share uploads = {
		EDS_REPORT_UPLOAD, EDS_REPORTERS_DAY_REPORTS, EDS_REPORTERS_DAY_BYTES};
	const struct share own = {
		line->origin.reporter, EDS_REPORTER_DAY_REPORTS, EDS_REPORTER_DAY_BYTES};

	*share = uploads.name;
	if (eds_report_is_upload(&line->origin))
		return charge(ctx, store, domain, line, &uploads, within);
	*share = others.name;
	if (!line->counts)
		return charge(ctx, store, domain, line, &others, within);
	*share = own.name;
	RT_TRY(charge(ctx, store, domain, line, &own, within));
	if (!*within)
		return RT_OK;
	*share = all.name;
	return charge(ctx, store, domain, line, &all, within);
}

rt_status eds_store_report_others_full(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_domain *domain, bool *full)
{
	int64_t day = rt_wall_ms() / DAY_MS;
	const char *line = rt_printf(ctx, EDS_REPORT_OVER_IDENTITY, (long long)day, "");
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &OTHERS_FULL,
		EDS_DB_VALUES(eds_db_text_value(domain->id), eds_db_int_value(day),
			eds_db_int_value(EDS_OTHERS_DAY_REPORTS),
			eds_db_int_value(EDS_OTHERS_DAY_BYTES), eds_db_text_value(line)),
		&query);

	*full = result == EDS_DB_ROW;
	eds_db_end(query);
	if (result != EDS_DB_ROW && result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return RT_OK;
}

char *eds_report_body_id(struct rt_ctx *ctx, const char *body)
{
	char *id = rt_alloc(ctx, BASE16_ENCODE_LENGTH(SHA256_DIGEST_SIZE) + 1);
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx sha;

	sha256_init(&sha);
	sha256_update(&sha, strlen(body), (const uint8_t *)body);
	sha256_digest(&sha, sizeof digest, digest);
	base16_encode_update(id, sizeof digest, digest);
	return id;
}

/* First asks whether the database has the body already. Otherwise the body of a report to many
 * addresses would be sent to the database once for each address. */
static rt_status put_body(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_report_line *line)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(
		store->db, &HAS_BODY, EDS_DB_VALUES(eds_db_text_value(line->body_id)), &query);

	eds_db_end(query);
	if (result == EDS_DB_ROW)
		return RT_OK;
	if (result == EDS_DB_OK)
		result = eds_db_execute(store->db, &PUT_BODY,
			EDS_DB_VALUES(eds_db_text_value(line->body_id),
				eds_db_int_value(line->received_at_ms),
				eds_db_text_value(line->body)),
			NULL);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_report_origin_add(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_line *line)
{
	const struct eds_report_origin *origin = &line->origin;
	const char *body_id = line->body != NULL ? line->body_id : NULL;
	enum eds_db_result result;

	if (body_id != NULL)
		RT_TRY(put_body(ctx, store, line));
	RT_TRY(eds_store_report_original_add(ctx, store, domain, line));
	result = eds_db_execute(store->db, &PUT_ORIGIN,
		EDS_DB_VALUES(eds_db_text_value(domain->id), eds_db_text_value(line->id),
			eds_db_text_value(origin->reporter), eds_db_int_value(origin->verified),
			eds_db_text_value(origin->spf), eds_db_text_value(origin->dkim),
			eds_db_text_value(origin->dmarc), eds_db_text_value(body_id),
			eds_db_text_value(line->outcomes != NULL ? line->outcomes : ""),
			eds_db_text_value(origin->way != NULL ? origin->way : "mail")),
		NULL);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}
