#include "functions/mta-sts/mta-sts-json.h"
#include "runtime/event/response.h"
#include "runtime/json-format.h"
#include "runtime/time.h"

#include <string.h>

#include "functions/lib/mta-sts/policy-format.h"
#include "functions/lib/store/reports/report-read.h"
#include "functions/lib/store/reports/report.h"
#include "functions/mta-sts/advice.h"
#include "runtime/config/config.h"
#include "runtime/event/etag.h"

enum {
	REPORT_DAYS = 30,
};

static json_t *patterns_json(struct rt_ctx *ctx, const struct eds_mx_patterns *patterns)
{
	json_t *list = json_array();

	for (size_t i = 0; i < patterns->count; i++)
		rt_json_append(list, rt_json_text(ctx, patterns->items[i]));
	return list;
}

static json_t *record(struct rt_ctx *ctx, const char *purpose, const char *name, const char *type,
	const char *value)
{
	json_t *json = json_object();

	rt_json_set_text(ctx, json, "purpose", purpose);
	rt_json_set_text(ctx, json, "name", name);
	rt_json_set_text(ctx, json, "type", type);
	rt_json_set_text(ctx, json, "value", value);
	return json;
}

static json_t *expected_records(struct rt_ctx *ctx, const struct eds_mta_sts *config)
{
	json_t *records = json_array();

	/* The CNAME is only for policies hosted here; for a policy hosted elsewhere it would lead
	 * senders to the wrong host. */
	if (config->hosted)
		rt_json_append(records,
			record(ctx, "mta-sts-policy-host",
				rt_printf(ctx, "mta-sts.%s", config->name), "CNAME",
				rt_printf(ctx, "%s.", rt_config()->policy_host)));
	rt_json_append(records,
		record(ctx, "mta-sts-policy-id", rt_printf(ctx, "_mta-sts.%s", config->name), "TXT",
			rt_printf(ctx, "v=STSv1; id=%s", config->policy_id)));
	return records;
}

static rt_status observed_json(
	struct rt_ctx *ctx, const struct eds_mta_sts *config, json_t **observed)
{
	const struct eds_mta_sts_observed *seen = &config->observed;
	bool in_sync = seen->dns_id != NULL && strcmp(seen->dns_id, config->policy_id) == 0;
	json_t *errors;

	*observed = json_null();
	if (seen->checked_at_ms == 0)
		return RT_OK;
	RT_TRY(rt_json_parse(ctx, seen->errors, strlen(seen->errors), &errors));
	*observed = json_object();
	rt_json_set_text(ctx, *observed, "dnsId", seen->dns_id);
	rt_json_set(*observed, "policyFetched", json_boolean(seen->policy_fetched));
	rt_json_set_text(ctx, *observed, "policyMode", seen->policy_mode);
	rt_json_set(*observed, "valid", json_boolean(seen->valid));
	rt_json_set(*observed, "errors", errors);
	rt_json_set_text(ctx, *observed, "checkedAt", rt_time_format(ctx, seen->checked_at_ms));
	rt_json_set(*observed, "policyIdInSync", json_boolean(in_sync));
	return RT_OK;
}

static const char *policy_content(struct rt_ctx *ctx, const struct eds_mta_sts *config)
{
	size_t length;

	return eds_policy_format(ctx, config->mode, config->max_age_s, &config->patterns, &length);
}

static json_t *failures_json(struct rt_ctx *ctx, const struct eds_tls_sums *sums)
{
	json_t *failures = json_array();

	for (size_t i = 0; i < sums->failure_count; i++) {
		json_t *failure = json_object();

		rt_json_set_text(ctx, failure, "type", sums->failures[i].type);
		rt_json_set(failure, "sessions", json_integer(sums->failures[i].sessions));
		rt_json_append(failures, failure);
	}
	return failures;
}

static rt_status reports_json(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_mta_sts *config, json_t **reports)
{
	struct eds_tls_sums sums;

	RT_TRY(eds_store_tls_sums(ctx, store, config->domain_id,
		rt_wall_ms() - REPORT_DAYS * INT64_C(24) * 3600 * 1000, &sums));
	*reports = json_object();
	rt_json_set(*reports, "days", json_integer(REPORT_DAYS));
	rt_json_set(*reports, "count", json_integer(sums.reports));
	rt_json_set(*reports, "successful", json_integer(sums.successful));
	rt_json_set(*reports, "failed", json_integer(sums.failed));
	rt_json_set(*reports, "failures", failures_json(ctx, &sums));
	return RT_OK;
}

static rt_status make_json(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_mta_sts *config, json_t **json)
{
	json_t *observed;
	json_t *reports;
	json_t *advice;

	RT_TRY(observed_json(ctx, config, &observed));
	RT_TRY(reports_json(ctx, store, config, &reports));
	RT_TRY(mta_sts_advice_json(ctx, config, &advice));
	*json = json_object();
	rt_json_set(*json, "enabled", json_boolean(config->enabled));
	rt_json_set_text(ctx, *json, "mode", eds_policy_mode_name(config->mode));
	rt_json_set(*json, "maxAge", json_integer(config->max_age_s));
	rt_json_set(*json, "mxPatterns", patterns_json(ctx, &config->patterns));
	rt_json_set(*json, "hosted", json_boolean(config->hosted));
	rt_json_set_text(ctx, *json, "policyId", config->policy_id);
	rt_json_set_text(ctx, *json, "policyContent", policy_content(ctx, config));
	rt_json_set_text(ctx, *json, "policyUrl",
		rt_printf(ctx, "https://mta-sts.%s/.well-known/mta-sts.txt", config->name));
	rt_json_set_text(ctx, *json, "updatedAt", rt_time_format(ctx, config->updated_at_ms));
	rt_json_set(*json, "expectedRecords", expected_records(ctx, config));
	rt_json_set(*json, "observed", observed);
	rt_json_set(*json, "advice", advice);
	rt_json_set(*json, "reports", reports);
	return RT_OK;
}

static const char *settings_of(struct rt_ctx *ctx, const struct eds_mta_sts *config)
{
	return rt_printf(ctx, "%s %lld %d %d %s", config->policy_id,
		(long long)config->updated_at_ms, config->enabled, config->hosted,
		policy_content(ctx, config));
}

const char *mta_sts_version(struct rt_ctx *ctx, const struct eds_mta_sts *config)
{
	const char *settings = settings_of(ctx, config);

	return rt_etag(ctx, settings, strlen(settings));
}

rt_status mta_sts_respond(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_mta_sts *config, struct rt_response *res)
{
	json_t *json;

	RT_TRY(make_json(ctx, store, config, &json));
	res->settings = settings_of(ctx, config);
	return rt_respond_data(ctx, res, 200, json);
}
