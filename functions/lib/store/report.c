/* The log of reports: lines added. */
#include "functions/lib/store/report.h"

#include <string.h>

#include "functions/lib/store/report-named.h"
#include "functions/lib/store/transaction.h"

static const struct eds_db_statement FIND = {
	"report-find", "SELECT message_id FROM reports WHERE domain_id = $1 AND identity = $2"};

static const struct eds_db_statement INSERT = {"report-insert",
	"INSERT INTO reports (domain_id, id, identity, message_id, received_at_ms, kind, state, "
	"mail_from, organization, contact, reporter_id, policy_domain, begins_at_ms, ends_at_ms, "
	"records, total, passed, failed, reason_code, reason, discovered, selectors, detail) "
	"VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, "
	"$19, $20, $21, $22, $23) ON CONFLICT (domain_id, identity) DO NOTHING"};

static const struct eds_db_statement INSERT_FAILURE = {"report-insert-failure",
	"INSERT INTO report_failures (domain_id, report_id, failure, sessions) VALUES ($1, $2, $3, "
	"$4) ON CONFLICT (domain_id, report_id, failure) DO UPDATE SET"
	" sessions = report_failures.sessions + excluded.sessions"};

struct addition {
	const struct eds_domain *domain;
	struct eds_report_item *items;
	size_t count;
};

/* The message that brought this report before; NULL when none has. */
static rt_status find_message(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *identity, const char **message_id)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &FIND,
		EDS_DB_VALUES(eds_db_text_value(domain->id), eds_db_text_value(identity)), &query);

	*message_id = result == EDS_DB_ROW ? eds_db_text(ctx, query, 0) : NULL;
	eds_db_end(query);
	if (result != EDS_DB_ROW && result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	return RT_OK;
}

static enum eds_db_result insert_line(struct eds_store *store, const struct eds_domain *domain,
	const struct eds_report_line *line, int64_t *changed)
{
	return eds_db_execute(store->db, &INSERT,
		EDS_DB_VALUES(eds_db_text_value(domain->id), eds_db_text_value(line->id),
			eds_db_text_value(line->identity), eds_db_text_value(line->message_id),
			eds_db_int_value(line->received_at_ms), eds_db_text_value(line->kind),
			eds_db_text_value(line->state), eds_db_text_value(line->mail_from),
			eds_db_text_value(line->organization), eds_db_text_value(line->contact),
			eds_db_text_value(line->reporter_id),
			eds_db_text_value(line->policy_domain),
			eds_db_int_value(line->begins_at_ms), eds_db_int_value(line->ends_at_ms),
			eds_db_int_value(line->records), eds_db_int_value(line->total),
			eds_db_int_value(line->passed), eds_db_int_value(line->failed),
			eds_db_text_value(line->reason_code), eds_db_text_value(line->reason),
			eds_db_text_value(line->discovered), eds_db_text_value(line->selectors),
			eds_db_text_value(line->detail)),
		changed);
}

/* The same identity is there: from the same message, which is read again. */
static rt_status add_line(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, struct eds_report_line *line, enum eds_report_added *added)
{
	int64_t changed = 0;
	enum eds_db_result result;

	line->id = rt_uuid(ctx);
	result = insert_line(store, domain, line, &changed);
	if (result == EDS_DB_FOREIGN_KEY)
		return eds_store_no_domain(ctx);
	if (result != EDS_DB_OK)
		return eds_store_failed(ctx, store, result);
	if (changed == 0)
		*added = EDS_REPORT_SAME;
	return RT_OK;
}

/* What is kept of a line that does not count. */
static void leave_out(struct eds_report_line *line)
{
	line->discovered = "[]";
	line->selectors = "[]";
	line->detail = "{}";
}

static rt_status add_refused(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, struct eds_report_item *item)
{
	leave_out(item->line);
	return add_line(ctx, store, domain, item->line, &item->added);
}

static rt_status add_duplicate(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, struct eds_report_item *item)
{
	struct eds_report_line line = *item->line;

	line.identity = rt_printf(ctx, "again|%s|%s", line.message_id, line.identity);
	line.state = "duplicate";
	line.reason_code = "report-duplicate";
	line.reason = "This report has come before, in another message; it counts once.";
	leave_out(&line);
	item->added = EDS_REPORT_DUPLICATE;
	return add_line(ctx, store, domain, &line, &item->added);
}

static rt_status add_failures(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_item *item)
{
	for (size_t i = 0; i < item->failure_count; i++) {
		const struct eds_report_failure_sum *failure = &item->failures[i];
		enum eds_db_result result = eds_db_execute(store->db, &INSERT_FAILURE,
			EDS_DB_VALUES(eds_db_text_value(domain->id),
				eds_db_text_value(item->line->id), eds_db_text_value(failure->type),
				eds_db_int_value(failure->sessions)),
			NULL);

		if (result != EDS_DB_OK)
			return eds_store_failed(ctx, store, result);
	}
	return RT_OK;
}

static rt_status add_read(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, struct eds_report_item *item)
{
	struct eds_report_line *line = item->line;
	const char *message_id;

	RT_TRY(find_message(ctx, store, domain, line->identity, &message_id));
	if (message_id != NULL && strcmp(message_id, line->message_id) == 0) {
		item->added = EDS_REPORT_SAME;
		return RT_OK;
	}
	if (message_id != NULL)
		return add_duplicate(ctx, store, domain, item);
	RT_TRY(eds_store_named_count(ctx, store, line, item->named, item->named_count));
	line->discovered = eds_store_named_discovered(ctx, item->named, item->named_count);
	line->selectors = eds_store_named_json(ctx, item->named, item->named_count);
	RT_TRY(add_line(ctx, store, domain, line, &item->added));
	return add_failures(ctx, store, domain, item);
}

static rt_status add(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	struct addition *addition = arg;

	for (size_t i = 0; i < addition->count; i++) {
		struct eds_report_item *item = &addition->items[i];
		bool read = strcmp(item->line->state, "read") == 0;

		item->added = EDS_REPORT_ADDED;
		RT_TRY((read ? add_read : add_refused)(ctx, store, addition->domain, item));
	}
	return RT_OK;
}

rt_status eds_store_reports_add(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, struct eds_report_item *items, size_t count)
{
	struct addition addition = {.domain = domain, .items = items, .count = count};

	return eds_store_write(ctx, store, add, &addition);
}
