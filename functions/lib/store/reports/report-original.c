#include "functions/lib/store/reports/report-original.h"
#include "runtime/time.h"

#include <string.h>

#include "runtime/text/base64.h"

enum { DAY_MS = 24 * 3600 * 1000 };

/* Counts the mail towards a daily limit of octets. The counts of original mails are in the same
 * table as those of reports (report-add.h), under names that no reporter can have. */
static const struct eds_db_statement CHARGE = {"report-original-charge",
	"INSERT INTO report_usage (domain_id, share, day, reports, octets) VALUES ($1, $2, $3, 1, $4)"
	" ON CONFLICT (domain_id, share, day) DO UPDATE SET reports = report_usage.reports + 1,"
	" octets = report_usage.octets + excluded.octets"
	" WHERE report_usage.octets + excluded.octets <= $5"};

static const struct eds_db_statement PUT = {"report-original-put",
	"INSERT INTO report_originals (domain_id, message_id, received_at_ms, mail) VALUES ($1, $2,"
	" $3, $4) ON CONFLICT DO NOTHING"};

static const struct eds_db_statement GET = {"report-original-get",
	"SELECT o.mail FROM reports r JOIN report_originals o ON o.domain_id = r.domain_id AND"
	" o.message_id = r.message_id WHERE r.domain_id = $1 AND r.id = $2 AND"
	" o.received_at_ms > $3"};

static const struct eds_db_statement EXPIRE = {"report-originals-expire",
	"DELETE FROM report_originals WHERE (domain_id, message_id) IN (SELECT domain_id, message_id"
	" FROM report_originals WHERE received_at_ms <= $1 ORDER BY received_at_ms LIMIT $2)"};

static enum eds_db_result charge(struct eds_store *store, const struct eds_domain *domain,
	const struct eds_report_line *line, int64_t *charged)
{
	return eds_db_execute(store->db, &CHARGE,
		EDS_DB_VALUES(eds_db_text_value(domain->id),
			eds_db_text_value(line->counts ? "* originals" : " originals"),
			eds_db_int_value(rt_wall_ms() / DAY_MS),
			eds_db_int_value((int64_t)line->original_length),
			eds_db_int_value(line->counts ? EDS_ORIGINALS_DAY_BYTES
						      : EDS_OTHER_ORIGINALS_DAY_BYTES)),
		charged);
}

rt_status eds_store_report_original_add(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_line *line)
{
	int64_t charged = 0;
	enum eds_db_result result;

	if (line->original == NULL)
		return RT_OK;
	result = charge(store, domain, line, &charged);
	if (result == EDS_DB_OK && charged > 0)
		result = eds_db_execute(store->db, &PUT,
			EDS_DB_VALUES(eds_db_text_value(domain->id),
				eds_db_text_value(line->message_id),
				eds_db_int_value(line->received_at_ms),
				eds_db_text_value(line->original)),
			NULL);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_report_original_get(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *report_id, const char **bytes, size_t *length)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &GET,
		EDS_DB_VALUES(eds_db_text_value(domain->id), eds_db_text_value(report_id),
			eds_db_int_value(rt_wall_ms() - EDS_ORIGINAL_KEPT_MS)),
		&query);
	const char *mail = result == EDS_DB_ROW ? eds_db_text(ctx, query, EDS_DB_ONLY) : NULL;

	eds_db_end(query);
	if (result != EDS_DB_ROW && result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	*bytes = mail != NULL ? rt_base64_decode(ctx, mail, strlen(mail), length) : NULL;
	if (*bytes == NULL)
		return rt_fail(ctx, RT_NOT_FOUND, "original-not-found",
			"there is no such report on this domain, or its mail is not kept");
	return RT_OK;
}

static rt_status expire(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	int64_t changed = 0;
	enum eds_db_result result = eds_db_execute(store->db, &EXPIRE,
		EDS_DB_VALUES(eds_db_int_value(rt_wall_ms() - EDS_ORIGINAL_KEPT_MS),
			eds_db_int_value(EDS_REPORTS_EXPIRE_BATCH)),
		&changed);

	*(size_t *)arg = (size_t)changed;
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

rt_status eds_store_report_originals_expire(
	struct rt_ctx *ctx, struct eds_store *store, size_t *removed)
{
	return eds_store_write_guarded(ctx, store, expire, removed);
}
