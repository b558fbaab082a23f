#include "functions/domains/domain-json.h"

#include "runtime/config.h"

static json_t *report_record(
	struct rt_ctx *ctx, const char *purpose, const char *name, const char *value)
{
	json_t *record = json_object();

	rt_json_set_text(ctx, record, "purpose", purpose);
	rt_json_set_text(ctx, record, "name", name);
	rt_json_set_text(ctx, record, "type", "TXT");
	rt_json_set_text(ctx, record, "value", value);
	return record;
}

/* Where the domain has a record already, its owner adds the address to rua (RFC 9989 section on
 * the rua tag, RFC 8460 section 3); p=none changes nothing about its mail. */
static json_t *expected_records(struct rt_ctx *ctx, const char *name, const char *address)
{
	json_t *records = json_array();

	rt_json_append(records,
		report_record(ctx, "dmarc-reports", rt_printf(ctx, "_dmarc.%s", name),
			rt_printf(ctx, "v=DMARC1; p=none; rua=mailto:%s", address)));
	rt_json_append(records,
		report_record(ctx, "tls-reports", rt_printf(ctx, "_smtp._tls.%s", name),
			rt_printf(ctx, "v=TLSRPTv1; rua=mailto:%s", address)));
	return records;
}

json_t *eds_domain_json(struct rt_ctx *ctx, const struct eds_domain *domain)
{
	const char *address = rt_printf(ctx, "%s@%s", domain->id, rt_config()->report_domain);
	json_t *json = json_object();

	rt_json_set_text(ctx, json, "id", domain->id);
	rt_json_set_text(ctx, json, "name", domain->name);
	rt_json_set_text(ctx, json, "createdAt", rt_time_format(ctx, domain->created_at_ms));
	rt_json_set_text(ctx, json, "reportAddress", address);
	rt_json_set(json, "expectedRecords", expected_records(ctx, domain->name, address));
	return json;
}
