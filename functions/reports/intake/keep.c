#include "functions/reports/intake/keep.h"
#include "functions/lib/store/reports/report-add.h"
#include "functions/reports/intake/discover-check.h"
#include "functions/reports/line-read.h"

#include <string.h>

#include "functions/lib/dmarc/discover.h"
#include "functions/lib/dmarc/dmarc.h"
#include "functions/lib/store/reports/report-fold.h"
#include "functions/lib/store/reports/report-twin.h"
#include "functions/reports/detail-json.h"
#include "functions/reports/rows/rows-of.h"

void report_write_bodies(struct rt_ctx *ctx, struct report_delivery *delivery)
{
	for (size_t i = 0; i < delivery->reports.count; i++) {
		if (delivery->reports.items[i].fault_code != NULL)
			continue;
		delivery->bodies[i] = report_body_text(ctx, &delivery->reports.items[i]);
		delivery->body_ids[i] = eds_report_body_id(ctx, delivery->bodies[i]);
		if (delivery->reports.items[i].kind == EDS_REPORT_DMARC)
			report_rows_read(ctx, &delivery->reports.items[i], &delivery->sums[i],
				&delivery->sum_counts[i]);
	}
}

static rt_status fill_item(struct rt_ctx *ctx, struct report_delivery *delivery, size_t index,
	const struct eds_domain *domain, struct eds_report_item *item)
{
	const struct eds_report *report = &delivery->reports.items[index];

	if (!report_line_was_read(item->line))
		return RT_OK;
	item->line->body = delivery->bodies[index];
	item->line->body_id = delivery->body_ids[index];
	item->sums = delivery->sums[index];
	item->sum_count = delivery->sum_counts[index];
	item->failures = report_failures(ctx, domain, report, &item->failure_count);
	return report_named(ctx, delivery->store, domain, report, item);
}

/* Sets log->org_domain. Only a report about a parent domain needs the organizational domain, so DNS
 * is asked only when there is such a report. When DNS does not give the organizational domain, the
 * last two labels of the name are taken, so that no parent is excluded. */
static void find_org_domain(
	struct rt_ctx *ctx, struct report_delivery *delivery, struct report_log *log)
{
	const char *name = log->domain->name;
	const char *dot;

	log->org_domain = name;
	for (size_t i = 0; i < delivery->reports.count; i++) {
		if (!report_is_from_above(ctx, log->domain, &delivery->reports.items[i]))
			continue;
		if (eds_dmarc_org_domain(delivery->ctx, delivery->dns, name, &log->org_domain))
			return;
		for (log->org_domain = name; (dot = strchr(log->org_domain, '.')) != NULL &&
			strchr(dot + 1, '.') != NULL;)
			log->org_domain = dot + 1;
		return;
	}
}

/* Sets log->sender to the sender of the report with this index, and reads into log->known what the
 * store knows of that sender as a reporter of the domain. */
static rt_status meet(
	struct rt_ctx *ctx, struct report_delivery *delivery, size_t index, struct report_log *log)
{
	const struct report_sender *sender = delivery->senders[index];

	if (log->sender == sender)
		return RT_OK;
	log->sender = sender;
	return eds_store_reporter_get(
		ctx, delivery->store, log->domain, sender->domain, &log->known);
}

/* If the same report was uploaded before, gives the line the identity of that upload. The upload
 * may be stored under another domain of its reporter. */
static rt_status meet_upload(struct rt_ctx *ctx, struct report_delivery *delivery,
	const struct eds_domain *domain, struct eds_report_line *line)
{
	struct eds_report_twin twin = {.kind = line->kind,
		.organization = line->organization,
		.reporter_id = line->reporter_id,
		.begins_at_ms = line->begins_at_ms,
		.ends_at_ms = line->ends_at_ms};
	const char *identity;

	if (!line->counts || eds_report_is_upload(&line->origin) || !report_line_was_read(line))
		return RT_OK;
	RT_TRY(eds_store_report_upload_twin(ctx, delivery->store, domain, &twin, &identity));
	if (identity != NULL)
		report_line_is(ctx, line, identity);
	return RT_OK;
}

static rt_status make_items(struct rt_ctx *ctx, struct report_delivery *delivery,
	struct report_log *log, struct eds_report_item *items, size_t *count)
{
	find_org_domain(ctx, delivery, log);
	for (size_t i = 0; i < delivery->reports.count; i++) {
		RT_TRY(meet(ctx, delivery, i, log));
		items[i].line = report_line(
			ctx, log, &delivery->reports.items[i], delivery->first + i);
		RT_TRY(meet_upload(ctx, delivery, log->domain, items[i].line));
		RT_TRY(fill_item(ctx, delivery, i, log->domain, &items[i]));
	}
	*count = delivery->reports.count;
	if (delivery->reports.cut)
		items[(*count)++].line = report_line_cut(ctx, log);
	if (*count > 0) {
		items[0].line->original = delivery->original;
		items[0].line->original_length = delivery->original_length;
	}
	return report_check_new(ctx, delivery->store, items, *count, &delivery->lookups);
}

rt_status report_keep(struct rt_ctx *ctx, struct report_delivery *delivery,
	const struct eds_domain *domain, struct eds_report_item **items, size_t *count)
{
	struct report_log log = {.domain = domain,
		.mail = delivery->mail,
		.way = delivery->way,
		.tls_alone = delivery->tls_alone};
	rt_status status;

	*items = rt_alloc_array(ctx, delivery->reports.count + 1, sizeof **items);
	RT_TRY(make_items(ctx, delivery, &log, *items, count));
	status = eds_store_reports_add(ctx, delivery->store, domain, *items, *count);
	if (status == RT_NOT_FOUND) {
		rt_fail_clear(ctx);
		*count = 0;
		return RT_OK;
	}
	RT_TRY(status);
	return eds_store_report_fold_sometimes(ctx, delivery->store, domain->id);
}
