#include "functions/lib/posture/report-records.h"
#include "runtime/json-format.h"

#include <string.h>

struct wanted {
	enum eds_posture_subject subject;
	const char *purpose;
	const char *missing; /* code of the finding for a domain without such a record; if there is
			      * a report address, this finding has the record to publish */
	const char *elsewhere;
};

static const struct wanted wanted[EDS_POSTURE_REPORT_RECORDS] = {
	{EDS_POSTURE_DMARC, "dmarc-reports", "dmarc-missing", "dmarc-reports-elsewhere"},
	{EDS_POSTURE_TLS_RPT, "tls-reports", "tlsrpt-missing", "tlsrpt-reports-elsewhere"},
};

enum eds_posture_subject eds_posture_report_subject(size_t index, const char **purpose)
{
	*purpose = wanted[index].purpose;
	return wanted[index].subject;
}

static json_t *record_json(struct rt_ctx *ctx, const char *purpose,
	const struct eds_posture_record *record, const char *change)
{
	json_t *json = json_object();

	rt_json_set_text(ctx, json, "purpose", purpose);
	rt_json_set_text(ctx, json, "name", record->name);
	rt_json_set_text(ctx, json, "type", record->type);
	rt_json_set_text(ctx, json, "value", record->value);
	rt_json_set_text(ctx, json, "change", change);
	rt_json_set_text(ctx, json, "old", record->old);
	return json;
}

static const struct eds_posture_finding *find(
	const struct eds_posture_item *item, const struct wanted *one)
{
	for (size_t i = 0; i < item->count; i++)
		if (strcmp(item->findings[i].code, one->missing) == 0 ||
			strcmp(item->findings[i].code, one->elsewhere) == 0)
			return &item->findings[i];
	return NULL;
}

/* False when DNS failed or the published record has no effect, so that it is not known whether
 * reports arrive. */
static bool is_certain(const struct eds_posture_item *item)
{
	for (size_t i = 0; i < item->count; i++)
		if (item->findings[i].state == EDS_POSTURE_ERROR)
			return false;
	return item->published_at != NULL;
}

json_t *eds_posture_report_records(struct rt_ctx *ctx, const struct eds_posture *posture)
{
	json_t *records = json_array();

	for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
		const struct eds_posture_item *item = &posture->items[wanted[i].subject];
		const struct eds_posture_finding *finding = find(item, &wanted[i]);
		struct eds_posture_record published = {
			.name = item->published_at, .type = "TXT", .value = item->record};

		if (finding != NULL && finding->record.type != NULL)
			rt_json_append(records,
				record_json(ctx, wanted[i].purpose, &finding->record,
					finding->record.old != NULL ? "change" : "add"));
		else if (finding == NULL && is_certain(item))
			rt_json_append(
				records, record_json(ctx, wanted[i].purpose, &published, "ok"));
	}
	return records;
}
