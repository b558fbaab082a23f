#include "functions/mta-sts/advice.h"
#include "runtime/json-format.h"
#include "runtime/time.h"

#include <string.h>

#include "functions/lib/mta-sts/evidence.h"
#include "functions/lib/mta-sts/record.h"
#include "functions/lib/mta-sts/verdict.h"
#include "functions/lib/report-address.h"
#include "runtime/config/config.h"

enum severity { ACTION, NOTE, GOOD };

struct advice {
	struct rt_ctx *ctx;
	const struct eds_mta_sts *config;
	struct eds_mta_sts_seen seen;
	json_t *items[GOOD + 1]; /* the items, by severity */
	bool blocked;            /* something prevents mode enforce */
	bool unknown;            /* something on which mode enforce depends is not known */
};

/* Adds an item; add_record() can give it a record. */
static json_t *add(struct advice *a, enum severity severity, const char *code, const char *message)
{
	static const char *const names[] = {[ACTION] = "action", [NOTE] = "note", [GOOD] = "good"};
	json_t *item = json_object();

	rt_json_set_text(a->ctx, item, "code", code);
	rt_json_set_text(a->ctx, item, "severity", names[severity]);
	rt_json_set_text(a->ctx, item, "message", message);
	rt_json_set(item, "record", json_null());
	rt_json_append(a->items[severity], item);
	return item;
}

static void add_record(
	struct advice *a, json_t *item, const char *label, const char *type, const char *value)
{
	json_t *record = json_object();

	rt_json_set_text(
		a->ctx, record, "name", rt_printf(a->ctx, "%s.%s", label, a->config->name));
	rt_json_set_text(a->ctx, record, "type", type);
	rt_json_set_text(a->ctx, record, "value", value);
	rt_json_set(item, "record", record);
}

static json_t *block(struct advice *a, const char *code, const char *message)
{
	a->blocked = true;
	return add(a, ACTION, code, message);
}

/* True when the last check got no answer about the TXT record. The search includes the quotation
 * marks around the code: in JSON they show that the code is a whole string and not part of a
 * message. */
static bool is_id_unknown(const struct eds_mta_sts_observed *seen)
{
	return seen->dns_id == NULL && seen->errors != NULL &&
		strstr(seen->errors, "\"txt-temporary\"") != NULL;
}

static void advise_setup(struct advice *a)
{
	const struct eds_mta_sts_observed *seen = &a->config->observed;
	const char *id = a->config->policy_id;

	if (!seen->valid)
		block(a, "setup-invalid", "The last check found errors; correct them first.");
	if (a->config->kept_out && a->config->hosted)
		add_record(a,
			block(a, "name-held",
				"The _mta-sts TXT record shows an id that was issued for another "
				"registration of this domain here, so the policy is not served; "
				"publish the record of this advice."),
			"_mta-sts", "TXT", rt_printf(a->ctx, "v=STSv1; id=%s", id));
	else if (!is_id_unknown(seen) && (seen->dns_id == NULL || strcmp(seen->dns_id, id) != 0))
		add_record(a,
			block(a, "id-out-of-sync",
				"The _mta-sts TXT record does not carry the current policy id, "
				"so senders do not fetch the current policy; publish the record "
				"of this advice."),
			"_mta-sts", "TXT", rt_printf(a->ctx, "v=STSv1; id=%s", id));
}

/* Advises on the policy host's alias. A missing alias does not prevent mode enforce: an address
 * record instead of the CNAME works too, until the addresses of the policy host change. */
static void advise_alias(struct advice *a)
{
	const char *target = rt_printf(a->ctx, "%s.", rt_config()->policy_host);
	json_t *item;

	if (!a->config->hosted || a->seen.alias == EDS_ALIAS_RIGHT ||
		a->seen.alias == EDS_ALIAS_UNKNOWN)
		return;
	if (a->seen.alias == EDS_ALIAS_NONE)
		item = add(a, ACTION, "alias-missing",
			"The policy host has no CNAME record that leads to the server of the "
			"policy.");
	else
		item = add(a, ACTION, "alias-wrong",
			rt_printf(a->ctx,
				"The CNAME record of the policy host leads to %s, not to the "
				"server of the policy.",
				a->seen.alias_target));
	add_record(a, item, "mta-sts", "CNAME", target);
}

/* Adds mx-uncovered only in mode testing: in mode enforce, the check itself reports an error when
 * no pattern covers a mail server. */
static void advise_coverage(struct advice *a)
{
	if (a->config->patterns.count == 0)
		block(a, "patterns-missing",
			"The policy has no MX pattern, so it names no mail server; add one.");
	for (size_t i = 0; a->config->mode == EDS_POLICY_TESTING && i < a->seen.mx_count; i++)
		if (!eds_mta_sts_is_covered(a->config, a->seen.mx[i].host))
			block(a, "mx-uncovered",
				rt_printf(a->ctx,
					"The mail server %s is covered by no pattern: under "
					"enforce, senders would not deliver to it. Add it to "
					"the MX patterns.",
					a->seen.mx[i].host));
}

static void advise_starttls(struct advice *a, const struct eds_mta_sts_mx *mx)
{
	bool recent = rt_wall_ms() - mx->checked_at_ms <= MTA_STS_STARTTLS_MS;

	if (mx->starttls == EDS_STARTTLS_YES && recent)
		return;
	if (mx->starttls == EDS_STARTTLS_NO) {
		block(a, "starttls-missing",
			rt_printf(a->ctx, "The mail server %s would get no mail under enforce. %s",
				mx->host, mx->reason));
		return;
	}
	a->unknown = true;
	add(a, ACTION, "starttls-unknown",
		rt_printf(a->ctx,
			"Whether the mail server %s supports STARTTLS with a valid certificate is "
			"not known. %s",
			mx->host,
			mx->starttls == EDS_STARTTLS_YES
				? "The last successful test was more than a day ago."
				: mx->reason));
}

static void advise_mx(struct advice *a)
{
	if (a->seen.mx_state == EDS_MX_NULL)
		block(a, "mx-null",
			"The domain says that it accepts no mail (null MX), so there is nothing to "
			"protect.");
	if (a->seen.mx_state == EDS_MX_UNKNOWN) {
		a->unknown = true;
		add(a, NOTE, "mx-unknown", "The domain's MX records are not known yet.");
	}
	advise_coverage(a);
	for (size_t i = 0; i < a->seen.mx_count; i++)
		advise_starttls(a, &a->seen.mx[i]);
}

/* The advised record names the domain's report address, so that eds reads the reports. */
static void advise_reports(struct advice *a)
{
	const char *id = a->config->domain_id;
	const char *value = rt_printf(a->ctx, "v=TLSRPTv1; rua=%s",
		eds_tlsrpt_uris(
			a->ctx, eds_report_address(a->ctx, id), eds_report_url(a->ctx, id)));

	if (a->seen.tlsrpt == EDS_TLSRPT_MISSING)
		add_record(a,
			add(a, ACTION, "tlsrpt-missing",
				"There is no TLS-RPT record (RFC 8460), so nobody reports failures; "
				"publish one before you enforce."),
			"_smtp._tls", "TXT", value);
	if (a->seen.tlsrpt == EDS_TLSRPT_INVALID)
		add_record(a,
			add(a, ACTION, "tlsrpt-invalid",
				"The TLS-RPT record cannot be read, or there are several such "
				"records. Reporters ignore them."),
			"_smtp._tls", "TXT", value);
}

/* Removing MTA-STS (RFC 8461 section 8.3): the policy stays in mode none until no sender holds the
 * previous policy. */
static void advise_removal(struct advice *a)
{
	const struct eds_mta_sts *config = a->config;
	const char *records = config->hosted ? "the _mta-sts TXT and the mta-sts CNAME record"
					     : "the _mta-sts TXT record and the policy file";

	if (config->none_until_ms > rt_wall_ms())
		add(a, NOTE, "none-held",
			rt_printf(a->ctx,
				"Senders forget the previous policy when they see mode none, and "
				"from %s on no sender has it any more. Keep record and "
				"policy as they are until then; then remove %s, and switch MTA-STS "
				"off.",
				rt_time_format(a->ctx, config->none_until_ms), records));
	else
		add(a, ACTION, "none-over",
			rt_printf(a->ctx,
				"No sender has the previous policy any more: remove %s, and "
				"switch MTA-STS off.",
				records));
}

static void advise_mode(struct advice *a)
{
	const struct eds_mta_sts *config = a->config;

	if (config->mode == EDS_POLICY_ENFORCE && config->max_age_s < MTA_STS_WEEK_S)
		add(a, NOTE, "max-age-short",
			"With a max_age under a week, senders that rarely send mail forget the "
			"policy before their next mail; under enforce, set 604800 seconds or more.");
	if (!config->enabled && config->enforce_held_until_ms > rt_wall_ms())
		add(a, ACTION, "off-while-enforced",
			rt_printf(a->ctx,
				"MTA-STS is switched off, but until %s senders may still enforce "
				"the policy that they fetched before. If a mail server changes in "
				"this time, these senders deliver no mail to it. Switch MTA-STS on "
				"again in mode testing until then.",
				rt_time_format(a->ctx, config->enforce_held_until_ms)));
	else if (config->mode == EDS_POLICY_TESTING && config->enforce_held_until_ms > rt_wall_ms())
		add(a, ACTION, "leaving-enforce",
			rt_printf(a->ctx,
				"Senders may still enforce the policy they fetched before: stay "
				"in testing, with the policy served, until %s. Only then switch "
				"MTA-STS off.",
				rt_time_format(a->ctx, config->enforce_held_until_ms)));
	if (config->enabled && config->mode == EDS_POLICY_ENFORCE)
		add(a, NOTE, "leave-enforce",
			"To leave mode enforce, change to testing; to end MTA-STS, change to "
			"none. Stay in that mode until the max_age of the policy has passed, "
			"because senders keep the policy for so long; only then switch MTA-STS "
			"off.");
	if (config->enabled && config->mode == EDS_POLICY_NONE)
		advise_removal(a);
}

static const char *hosting_sentence(const struct advice *a)
{
	const struct eds_mta_sts *config = a->config;
	int64_t ends_ms = config->hosting_ends_at_ms;
	bool enforced = config->enabled && config->mode == EDS_POLICY_ENFORCE;

	if (ends_ms == EDS_HOSTING_UNTOLD)
		return "The plan does not include hosting any more; hosting continues for 30 "
		       "days.";
	if (ends_ms <= rt_wall_ms() && config->enforce_held_until_ms > rt_wall_ms())
		return rt_printf(a->ctx,
			"The plan does not include hosting any more; the policy has left mode "
			"enforce, and is served until %s, when no sender enforces it any more.",
			rt_time_format(a->ctx, config->enforce_held_until_ms));
	return rt_printf(a->ctx,
		"The plan does not include hosting any more; hosting continues until %s%s",
		rt_time_format(a->ctx, ends_ms),
		enforced ? "; then the policy goes to mode testing, and is served until no sender "
			   "enforces it any more."
			 : ".");
}

static void advise_hosting(struct advice *a)
{
	if (a->config->hosted && a->config->hosting_ends_at_ms > 0)
		add(a, ACTION, "hosting-ends",
			rt_printf(a->ctx,
				"%s Serve the policy from a host of your own by then and set "
				"hosted to false, or have the plan changed.",
				hosting_sentence(a)));
}

static void advise_all(struct advice *a)
{
	advise_setup(a);
	advise_alias(a);
	if (a->config->mode != EDS_POLICY_NONE) {
		advise_mx(a);
		advise_reports(a);
	}
	for (size_t i = 0; i < a->seen.warnings.count; i++)
		add(a, NOTE, a->seen.warnings.items[i].code, a->seen.warnings.items[i].message);
}

enum readiness { OFF, LEAVING, NOT_READY, UNDECIDED, READY };

static enum readiness readiness_of(const struct advice *a)
{
	if (!a->config->enabled)
		return OFF;
	if (a->config->mode == EDS_POLICY_NONE)
		return LEAVING;
	if (a->blocked)
		return NOT_READY;
	return a->unknown ? UNDECIDED : READY;
}

static const char *readiness_name(enum readiness readiness)
{
	static const char *const names[] = {
		[OFF] = "off",
		[LEAVING] = "leaving",
		[NOT_READY] = "not-ready",
		[UNDECIDED] = "unknown",
		[READY] = "ready",
	};

	return names[readiness];
}

static json_t *all_items(struct advice *a)
{
	json_t *items = json_array();

	for (enum severity severity = ACTION; severity <= GOOD; severity++)
		if (json_array_extend(items, a->items[severity]) != 0)
			break;
	return items;
}

rt_status mta_sts_advice_json(struct rt_ctx *ctx, const struct eds_mta_sts *config, json_t **json)
{
	struct advice a = {.ctx = ctx, .config = config};
	enum readiness readiness;

	RT_TRY(eds_mta_sts_evidence_read(ctx, config->observed.evidence, &a.seen));
	for (enum severity severity = ACTION; severity <= GOOD; severity++)
		a.items[severity] = json_array();
	if (config->enabled && config->observed.checked_at_ms == 0) {
		a.unknown = true;
		add(&a, NOTE, "not-checked", "The domain has not been checked yet.");
	} else if (config->enabled) {
		advise_all(&a);
	}
	advise_hosting(&a);
	advise_mode(&a);
	readiness = readiness_of(&a);
	if (readiness == READY && config->mode != EDS_POLICY_ENFORCE)
		add(&a, GOOD, "enforce-ready",
			"Everything is ready for mode enforce; look at the TLS reports of some "
			"days first.");
	*json = json_object();
	rt_json_set(*json, "readyToEnforce", json_boolean(readiness == READY));
	rt_json_set_text(ctx, *json, "state", readiness_name(readiness));
	rt_json_set(*json, "items", all_items(&a));
	return RT_OK;
}
