#include "functions/lib/store/reports/report-twin.h"

#include "functions/lib/store/transaction.h"

static const struct eds_db_statement FIND = {"report-twin",
	"SELECT o.reporter"
	" FROM reports r"
	" JOIN report_origins o ON o.domain_id = r.domain_id AND o.report_id = r.id"
	" WHERE r.domain_id = $1 AND r.kind = $2 AND r.reporter_id = $3 AND r.organization = $4"
	" AND r.begins_at_ms = $5 AND r.ends_at_ms = $6 AND r.state = 'read' AND o.verified = 1"
	" LIMIT 1"};

static const struct eds_db_statement FIND_UPLOAD = {"report-upload-twin",
	"SELECT r.identity"
	" FROM reports r"
	" JOIN report_origins o ON o.domain_id = r.domain_id AND o.report_id = r.id"
	" WHERE r.domain_id = $1 AND r.kind = $2 AND r.reporter_id = $3 AND r.organization = $4"
	" AND r.begins_at_ms = $5 AND r.ends_at_ms = $6 AND r.state = 'read' AND o.way = 'upload'"
	" LIMIT 1"};

/* Gives the text in the only column of the first row; NULL without a row. */
static rt_status find(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_db_statement *statement, const struct eds_domain *domain,
	const struct eds_report_twin *twin, const char **text)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, statement,
		EDS_DB_VALUES(eds_db_text_value(domain->id), eds_db_text_value(twin->kind),
			eds_db_text_value(twin->reporter_id), eds_db_text_value(twin->organization),
			eds_db_int_value(twin->begins_at_ms), eds_db_int_value(twin->ends_at_ms)),
		&query);

	*text = result == EDS_DB_ROW ? eds_db_text(ctx, query, EDS_DB_ONLY) : NULL;
	eds_db_end(query);
	if (result != EDS_DB_ROW && result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return RT_OK;
}

rt_status eds_store_report_twin(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_twin *twin, const char **reporter)
{
	return find(ctx, store, &FIND, domain, twin, reporter);
}

rt_status eds_store_report_upload_twin(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_twin *twin, const char **identity)
{
	return find(ctx, store, &FIND_UPLOAD, domain, twin, identity);
}
