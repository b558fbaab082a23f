/* The log of reports: adds lines. */
#include "functions/lib/store/reports/report.h"
#include "runtime/time.h"
#include "runtime/uuid.h"

#include <string.h>

#include "functions/lib/store/reports/report-add.h"
#include "functions/lib/store/reports/report-named-json.h"
#include "functions/lib/store/reports/report-named.h"
#include "functions/lib/store/reports/report-rows.h"
#include "functions/lib/store/reports/report-watch-make.h"
#include "functions/lib/store/reports/reporter.h"
#include "functions/lib/store/transaction.h"

/* clang-format off */
static const struct eds_db_statement FIND = {"report-find",
	"SELECT message_id FROM reports WHERE domain_id = $1 AND identity = $2"};

static const struct eds_db_statement INSERT = {"report-insert",
	"INSERT INTO reports (domain_id, id, identity, message_id, received_at_ms, kind, state,"
	" mail_from, organization, contact, reporter_id, policy_domain, begins_at_ms, ends_at_ms,"
	" records, total, passed, failed, reason_code, reason, discovered, selectors, detail,"
	" forwarded, packed)"
	" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,"
	" $18, $19, $20, $21, $22, $23, $24, 1)"
	" ON CONFLICT (domain_id, identity) DO NOTHING"};

static const struct eds_db_statement INSERT_FAILURE = {"report-insert-failure",
	"INSERT INTO report_failures (domain_id, report_id, failure, sessions)"
	" VALUES ($1, $2, $3, $4)"
	" ON CONFLICT (domain_id, report_id, failure)"
	" DO UPDATE SET sessions = report_failures.sessions + excluded.sessions"};

#define BOTH_COLUMNS(FIRST, NEXT) \
	FIRST(BOTH_MESSAGE_ID, "message_id") \
	NEXT(BOTH_IDENTITY, "identity")
enum { EDS_DB_NAMES(BOTH_COLUMNS) };

static const struct eds_db_statement FIND_BOTH = {"report-find-both",
	"SELECT " EDS_DB_LIST(BOTH_COLUMNS)
	" FROM reports"
	" WHERE domain_id = $1 AND identity IN ($2, $3)"};

static const struct eds_db_statement REMOVE = {"report-remove",
	"DELETE FROM reports WHERE domain_id = $1 AND identity = $2"};
/* clang-format on */

struct addition {
	const struct eds_domain *domain;
	struct eds_report_item *items;
	size_t count;
};

/* Finds the message in which the report with this identity arrived before; *message_id is NULL when
 * there is none. */
static rt_status find_message(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const char *identity, const char **message_id)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &FIND,
		EDS_DB_VALUES(eds_db_text_value(domain->id), eds_db_text_value(identity)), &query);

	*message_id = result == EDS_DB_ROW ? eds_db_text(ctx, query, EDS_DB_ONLY) : NULL;
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
			eds_db_text_value(line->discovered),
			/* the columns selectors and detail are empty: only lines of earlier
			 * releases, which did not know bodies, have values in them */
			eds_db_text_value("[]"), eds_db_text_value("{}"),
			eds_db_int_value(line->forwarded)),
		changed);
}

/* Adds a line. When the log already has a line with this identity, adds none, and sets *added to
 * EDS_REPORT_SAME. */
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
	return changed == 0 ? RT_OK : eds_store_report_origin_add(ctx, store, domain, line);
}

/* Clears the members that are stored only for a line with the state "read". */
static void leave_out(struct eds_report_line *line)
{
	line->discovered = "[]";
	line->body = NULL;
	line->outcomes = "";
}

/* Adds a line which says that a daily limit (report-add.h) is reached, once per day and limit.
 * Further reports beyond this limit are not stored at all. */
static rt_status add_over(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_item *item, const char *share)
{
	struct eds_report_line line = *item->line;
	enum eds_report_added added;

	line.identity = rt_printf(ctx, EDS_REPORT_OVER_IDENTITY,
		(long long)(rt_wall_ms() / (24 * 3600 * 1000)), share);
	line.state = "refused";
	line.reason_code = "reports-too-many-today";
	if (eds_report_is_upload(&line.origin))
		line.reason = "The daily limit for uploaded reports is reached; further "
			      "uploaded reports are not kept today.";
	else if (*share == '\0')
		line.reason = "The daily limit for reports of unverified senders is reached; "
			      "further reports of unverified senders are not kept today.";
	else
		line.reason = "The daily limit for reports of this sender is reached; further "
			      "reports of this sender are not kept today.";
	leave_out(&line);
	return add_line(ctx, store, domain, &line, &added);
}

/* Counts the report towards the daily limits; *kept is false when one of them is reached. */
static rt_status charge(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, struct eds_report_item *item, bool *kept)
{
	const char *share;

	RT_TRY(eds_store_report_charge(ctx, store, domain, item->line, kept, &share));
	if (*kept)
		return RT_OK;
	item->added = EDS_REPORT_OVER;
	return add_over(ctx, store, domain, item, share);
}

static rt_status add_refused(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, struct eds_report_item *item)
{
	const char *message_id;
	bool kept;

	leave_out(item->line);
	RT_TRY(find_message(ctx, store, domain, item->line->identity, &message_id));
	if (message_id != NULL) {
		item->added = EDS_REPORT_SAME;
		return RT_OK;
	}
	RT_TRY(charge(ctx, store, domain, item, &kept));
	return kept ? add_line(ctx, store, domain, item->line, &item->added) : RT_OK;
}

static rt_status add_duplicate(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, struct eds_report_item *item)
{
	struct eds_report_line line = *item->line;
	const char *message_id;
	bool kept;

	line.identity = rt_printf(ctx, "again|%s|%s", line.message_id, line.identity);
	line.state = "duplicate";
	line.reason_code = "report-duplicate";
	line.reason = "This report has arrived before, in another message; it counts once.";
	RT_TRY(find_message(ctx, store, domain, line.identity, &message_id));
	if (message_id != NULL) {
		item->added = EDS_REPORT_SAME;
		return RT_OK;
	}
	leave_out(&line);
	item->added = EDS_REPORT_DUPLICATE;
	RT_TRY(charge(ctx, store, domain, item, &kept));
	return kept ? add_line(ctx, store, domain, &line, &item->added) : RT_OK;
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

/* What the log already has of a report that arrives again. */
struct before {
	const char *message_id; /* message that brought the same report before; NULL for none */
	bool part; /* the log has only a part of the report, and the new report is whole */
};

static rt_status find_before(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_line *line, struct before *before)
{
	bool is_part = line->whole_identity != NULL;
	const char *other = is_part ? line->whole_identity
				    : rt_printf(ctx, "%s" EDS_REPORT_CUT_MARK, line->identity);
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(store->db, &FIND_BOTH,
		EDS_DB_VALUES(eds_db_text_value(domain->id), eds_db_text_value(line->identity),
			eds_db_text_value(other)),
		&query);

	*before = (struct before){.message_id = NULL};
	for (; result == EDS_DB_ROW; result = eds_db_next(query)) {
		if (!is_part && strcmp(eds_db_text(ctx, query, BOTH_IDENTITY), other) == 0)
			before->part = true;
		else
			before->message_id = eds_db_text(ctx, query, BOTH_MESSAGE_ID);
	}
	eds_db_end(query);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

static rt_status remove_part(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_line *line)
{
	const char *part = rt_printf(ctx, "%s" EDS_REPORT_CUT_MARK, line->identity);
	enum eds_db_result result;

	RT_TRY(eds_store_report_rows_remove(ctx, store, domain, part));
	result = eds_db_execute(store->db, &REMOVE,
		EDS_DB_VALUES(eds_db_text_value(domain->id), eds_db_text_value(part)), NULL);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

static rt_status add_read(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, struct eds_report_item *item)
{
	struct eds_report_line *line = item->line;
	struct before before;
	bool kept;

	RT_TRY(find_before(ctx, store, domain, line, &before));
	if (before.message_id != NULL && strcmp(before.message_id, line->message_id) == 0) {
		item->added = EDS_REPORT_SAME;
		return RT_OK;
	}
	if (before.message_id != NULL)
		return add_duplicate(ctx, store, domain, item);
	RT_TRY(charge(ctx, store, domain, item, &kept));
	if (!kept)
		return RT_OK;
	if (before.part)
		RT_TRY(remove_part(ctx, store, domain, line));
	RT_TRY(eds_store_reporter_seen(ctx, store, domain, &line->origin));
	RT_TRY(eds_store_named_count(ctx, store, line, item->named, item->named_count));
	line->discovered = eds_store_named_discovered(ctx, item->named, item->named_count);
	line->outcomes = eds_store_named_letters(ctx, item);
	RT_TRY(add_line(ctx, store, domain, line, &item->added));
	if (item->added == EDS_REPORT_ADDED) {
		RT_TRY(eds_store_report_rows_add(ctx, store, domain, item));
		RT_TRY(eds_store_report_watch_make(ctx, store, domain->id));
	}
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
