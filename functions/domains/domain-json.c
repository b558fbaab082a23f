#include "functions/domains/domain-json.h"
#include "runtime/json-format.h"
#include "runtime/time.h"

#include <string.h>

#include "functions/lib/mta-sts/record.h"
#include "functions/lib/report-address.h"

/* A record to publish for a domain before the first check of its DNS. Nobody knows yet which record
 * it would replace, so the note says when not to publish it: p=none in place of p=reject would let
 * forged mail through. */
static json_t *report_record(struct rt_ctx *ctx, const char *purpose, const char *name,
	const char *value, const char *note)
{
	json_t *record = json_object();

	rt_json_set_text(ctx, record, "purpose", purpose);
	rt_json_set_text(ctx, record, "name", name);
	rt_json_set_text(ctx, record, "type", "TXT");
	rt_json_set_text(ctx, record, "value", value);
	rt_json_set(record, "change", json_null());
	rt_json_set(record, "old", json_null());
	rt_json_set_text(ctx, record, "note", note);
	return record;
}

/* The records to publish before the first check of the domain's DNS. The DMARC record has p=none:
 * in a domain that had no DMARC record, this policy does not change how mail is treated. */
static json_t *first_records(
	struct rt_ctx *ctx, const char *name, const char *address, const char *url)
{
	json_t *records = json_array();

	rt_json_append(records,
		report_record(ctx, "dmarc-reports", rt_printf(ctx, "_dmarc.%s", name),
			rt_printf(ctx, "v=DMARC1; p=none; rua=mailto:%s", address),
			"The DNS of this domain has not been checked yet. Publish this record only "
			"if there is no DMARC record; if there is one, keep its policy and add the "
			"address to its rua=."));
	rt_json_append(records,
		report_record(ctx, "tls-reports", rt_printf(ctx, "_smtp._tls.%s", name),
			rt_printf(ctx, "v=TLSRPTv1; rua=%s", eds_tlsrpt_uris(ctx, address, url)),
			"The DNS of this domain has not been checked yet. Publish this record only "
			"if there is no TLS-RPT record; if there is one, add the addresses to its "
			"rua=."));
	return records;
}

/* The records that direct the domain's reports to this service, as the latest check of the domain's
 * DNS stored them; before the first check, those of first_records(). */
static json_t *expected_records(
	struct rt_ctx *ctx, const struct eds_domain *domain, const char *address)
{
	const struct eds_posture_kept *kept = &domain->posture;
	json_t *records;

	if (kept->checked_at_ms == 0)
		return first_records(ctx, domain->name, address, eds_report_url(ctx, domain->id));
	if (rt_json_parse(ctx, kept->records, strlen(kept->records), &records) == RT_OK)
		return records;
	/* records that a later version wrote may be unreadable: recommend none */
	rt_fail_clear(ctx);
	return json_array();
}

static json_t *posture_json(struct rt_ctx *ctx, const struct eds_posture_kept *kept)
{
	json_t *json;

	if (kept->checked_at_ms == 0)
		return json_null();
	json = json_object();
	rt_json_set_text(ctx, json, "state", kept->state);
	rt_json_set_text(ctx, json, "checkedAt", rt_time_format(ctx, kept->checked_at_ms));
	rt_json_set_text(ctx, json, "changedAt", rt_time_format(ctx, kept->changed_at_ms));
	return json;
}

json_t *eds_domain_json(struct rt_ctx *ctx, const struct eds_domain *domain)
{
	const char *address = eds_report_address(ctx, domain->id);
	json_t *json = json_object();

	rt_json_set_text(ctx, json, "id", domain->id);
	rt_json_set_text(ctx, json, "name", domain->name);
	rt_json_set_text(ctx, json, "createdAt", rt_time_format(ctx, domain->created_at_ms));
	rt_json_set_text(ctx, json, "reportAddress", address);
	rt_json_set(json, "expectedRecords", expected_records(ctx, domain, address));
	rt_json_set(json, "posture", posture_json(ctx, &domain->posture));
	return json;
}
