#include "functions/mta-sts/news.h"
#include "runtime/json-format.h"
#include "runtime/time.h"

#include <string.h>

#include "functions/mta-sts/change-news.h"

enum {
	NEWS_MAX = 4 + 2 * EDS_MTA_STS_MX_MAX, /* maximum number of messages from one check */
};

static json_t *side(struct rt_ctx *ctx, const struct eds_mta_sts_observed *seen)
{
	json_t *json = json_object();

	rt_json_set(json, "valid", json_boolean(seen->valid));
	rt_json_set(json, "policyFetched", json_boolean(seen->policy_fetched));
	rt_json_set_text(ctx, json, "mode", seen->policy_mode);
	rt_json_set_text(ctx, json, "dnsId", seen->dns_id);
	return json;
}

static void say_broken(struct rt_ctx *ctx, const struct eds_mta_sts_due *due,
	const struct eds_findings *errors, struct eds_alert_said *said)
{
	said->event = EDS_ALERT_MTA_STS_BROKEN;
	said->what = rt_printf(ctx, "MTA-STS of %s no longer works: %s", due->config.name,
		errors->count > 0 ? errors->items[0].message : "");
	said->advice = due->config.mode == EDS_POLICY_ENFORCE
		? "Correct it soon: in mode enforce, senders do not deliver to a server that the "
		  "policy does not cover or whose certificate is not valid."
		: "Correct it before you switch to mode enforce.";
}

/* True if DNS failed in the previous check: the code of one of its errors then ends in
 * "-temporary". */
static bool was_unanswered(const struct eds_mta_sts_observed *before)
{
	return before->errors != NULL && strstr(before->errors, "-temporary\"") != NULL;
}

/* The news of one check, while the news is gathered. */
struct telling {
	struct rt_ctx *ctx;
	const struct eds_mta_sts_due *due;
	const struct eds_mta_sts_seen *before; /* results of the previous check; NULL: not known */
	const struct eds_mta_sts_seen *seen;
	bool is_of_now; /* the previous check saw the present configuration */
	int64_t now_ms;
	struct eds_alert_news *items;
	size_t count;
};

static struct eds_alert_said begin(const struct telling *telling, enum eds_alert_event event)
{
	const struct eds_mta_sts_due *due = telling->due;

	return (struct eds_alert_said){
		.event = event,
		.domain_id = due->config.domain_id,
		.domain = due->config.name,
		.at_ms = telling->now_ms,
		.change = rt_printf(telling->ctx, "%lld", (long long)telling->now_ms),
		.advice = "",
	};
}

static void add(struct telling *telling, const struct eds_alert_said *said)
{
	telling->items[telling->count++] = eds_alert_news_make(telling->ctx, said);
}

static void tell_validity(struct telling *telling)
{
	const struct eds_mta_sts_due *due = telling->due;
	const struct eds_mta_sts_observed *before = &due->config.observed;
	bool could_break = telling->is_of_now && (before->valid || was_unanswered(before));
	bool could_recover = !telling->is_of_now || !before->valid;
	struct eds_alert_said said = begin(telling, EDS_ALERT_MTA_STS_RECOVERED);

	if (could_break && !due->seen.valid && !telling->seen->temporary)
		say_broken(telling->ctx, due, &telling->seen->errors, &said);
	else if (could_recover && due->seen.valid)
		said.what = rt_printf(telling->ctx, "MTA-STS of %s works again.", due->config.name);
	else
		return;
	said.subject = "mta-sts";
	said.before = side(telling->ctx, before);
	said.after = side(telling->ctx, &due->seen);
	add(telling, &said);
}

static const char *uncovered_of(const struct eds_mta_sts_seen *seen)
{
	for (size_t i = 0; i < seen->errors.count; i++)
		if (strcmp(seen->errors.items[i].code, "mx-uncovered") == 0)
			return seen->errors.items[i].message;
	return NULL;
}

static json_t *cover_json(bool covered)
{
	json_t *json = json_object();

	rt_json_set(json, "covered", json_boolean(covered));
	return json;
}

/* Adds the news that the policy does not cover a mail server, or that it covers all mail servers
 * again. When the owner has just removed a pattern, the first check after this change does not
 * report the uncovered server: the previous check did not see the present configuration
 * (is_of_now). */
static void tell_cover(struct telling *telling)
{
	const struct eds_mta_sts *config = &telling->due->config;
	const char *uncovered = uncovered_of(telling->seen);
	const char *errors = config->observed.errors;
	bool was_uncovered = errors != NULL && strstr(errors, "\"mx-uncovered\"") != NULL;
	struct eds_alert_said said = begin(telling, EDS_ALERT_MX_COVERED);

	if (uncovered != NULL && !was_uncovered && telling->is_of_now) {
		said.event = EDS_ALERT_MX_UNCOVERED;
		said.what = rt_printf(telling->ctx,
			"A mail server of %s is missing from its MTA-STS policy: %s", config->name,
			uncovered);
		said.advice = config->mode == EDS_POLICY_ENFORCE
			? "Add it to the MX patterns of the policy at once, or remove it from the "
			  "MX records: in mode enforce, senders do not deliver to it."
			: "Add it to the MX patterns of the policy, or remove it from the MX "
			  "records.";
	} else if (uncovered == NULL && telling->seen->mx_state != EDS_MX_UNKNOWN &&
		(was_uncovered || !telling->is_of_now)) {
		said.what = rt_printf(telling->ctx,
			"The MTA-STS policy of %s covers all its mail servers again.",
			config->name);
	} else {
		return;
	}
	said.subject = "mx-cover";
	said.before = cover_json(!was_uncovered);
	said.after = cover_json(uncovered == NULL);
	add(telling, &said);
}

static json_t *certificate_json(struct rt_ctx *ctx, const struct eds_certificate *certificate)
{
	json_t *json = json_object();

	rt_json_set_text(ctx, json, "until",
		certificate->until_ms > 0 ? rt_time_format(ctx, certificate->until_ms) : NULL);
	return json;
}

/* Adds an alert when the certificate of a host ends soon, once for each certificate. Otherwise, if
 * the certificate that the previous check saw ends soon or is not known, adds the news that the
 * host's certificate is no longer about to expire, unless neither check knows a certificate. The
 * store sends that news only after an alert that the certificate ends soon. */
static void tell_certificate(struct telling *telling, const char *host,
	const struct eds_certificate *old, const struct eds_certificate *now)
{
	struct rt_ctx *ctx = telling->ctx;
	int64_t before_ms = telling->due->config.observed.checked_at_ms;
	bool told = old->until_ms == now->until_ms && eds_certificate_ends_soon(old, before_ms);
	bool could_end = old->until_ms == 0 || eds_certificate_ends_soon(old, telling->now_ms);
	struct eds_alert_said said = begin(telling, EDS_ALERT_CERTIFICATE_RENEWED);

	if (eds_certificate_ends_soon(now, telling->now_ms)) {
		if (told)
			return;
		said.event = EDS_ALERT_CERTIFICATE_EXPIRING;
		said.what = rt_printf(ctx, "The certificate of %s, for mail to %s, %s at %s.", host,
			telling->due->config.name,
			now->until_ms > telling->now_ms ? "expires" : "expired",
			rt_time_format(ctx, now->until_ms));
		said.advice = "Renew it: once it has expired, senders that require TLS, as with "
			      "MTA-STS, do not deliver.";
	} else if (could_end && (now->until_ms > 0 || old->until_ms > 0)) {
		said.what = rt_printf(ctx,
			"The certificate of %s, for mail to %s, is no longer about to expire.",
			host, telling->due->config.name);
	} else {
		return;
	}
	said.subject = rt_printf(ctx, "certificate %s", host);
	said.before = certificate_json(ctx, old);
	said.after = certificate_json(ctx, now);
	add(telling, &said);
}

static const struct eds_certificate *certificate_of(
	const struct eds_mta_sts_seen *seen, const char *host)
{
	static const struct eds_certificate none;

	for (size_t i = 0; seen != NULL && i < seen->mx_count; i++)
		if (strcmp(seen->mx[i].host, host) == 0)
			return &seen->mx[i].certificate;
	return &none;
}

static bool has_server(const struct eds_mta_sts_seen *seen, const char *host)
{
	for (size_t i = 0; i < seen->mx_count; i++)
		if (strcmp(seen->mx[i].host, host) == 0)
			return true;
	return false;
}

/* When a host is no longer a mail server of the domain, the warning about its certificate is
 * withdrawn. */
static void tell_certificates(struct telling *telling)
{
	static const struct eds_certificate none;
	const struct eds_mta_sts_seen *before = telling->before;
	const struct eds_mta_sts_seen *seen = telling->seen;
	const struct eds_mta_sts *config = &telling->due->config;

	for (size_t i = 0; i < seen->mx_count; i++)
		tell_certificate(telling, seen->mx[i].host,
			certificate_of(before, seen->mx[i].host), &seen->mx[i].certificate);
	for (size_t i = 0;
		before != NULL && seen->mx_state != EDS_MX_UNKNOWN && i < before->mx_count; i++)
		if (!has_server(seen, before->mx[i].host) && before->mx[i].certificate.until_ms > 0)
			tell_certificate(
				telling, before->mx[i].host, &before->mx[i].certificate, &none);
	tell_certificate(telling, rt_printf(telling->ctx, "mta-sts.%s", config->name),
		before != NULL ? &before->certificate : &none,
		config->enabled ? &seen->certificate : &none);
}

struct eds_alert_all_news mta_sts_news(struct rt_ctx *ctx, const struct eds_mta_sts_due *due,
	const struct eds_mta_sts_seen *before, const struct eds_mta_sts_seen *seen)
{
	struct telling telling = {
		.ctx = ctx,
		.due = due,
		.before = before,
		.seen = seen,
		.is_of_now = due->config.observed.checked_at_ms > due->config.updated_at_ms,
		.now_ms = due->seen.checked_at_ms,
		.items = rt_alloc_array(ctx, NEWS_MAX, sizeof(struct eds_alert_news)),
	};

	if (due->config.enabled && due->config.observed.checked_at_ms != 0) {
		tell_validity(&telling);
		tell_cover(&telling);
	}
	if (due->config.enabled && due->config.hosted &&
		due->config.hosting_ends_at_ms > EDS_HOSTING_UNTOLD) {
		struct eds_alert_said said = mta_sts_hosting_said(
			ctx, &due->config, telling.now_ms);

		add(&telling, &said);
	}
	tell_certificates(&telling);
	return (struct eds_alert_all_news){.items = telling.items, .count = telling.count};
}
