#include "functions/mta-sts/change-news.h"
#include "functions/lib/mta-sts/change.h"
#include "runtime/json-format.h"
#include "runtime/time.h"

static json_t *side(struct rt_ctx *ctx, const struct eds_mta_sts *config)
{
	json_t *json = json_object();

	rt_json_set(json, "enabled", json_boolean(config->enabled));
	rt_json_set_text(ctx, json, "mode", eds_policy_mode_name(config->mode));
	rt_json_set(json, "hosted", json_boolean(config->hosted));
	return json;
}

/* Starts a message which says that MTA-STS is broken; for another event, the caller changes the
 * member event. A message about the recovery has the subject of the message about the trouble. */
static struct eds_alert_said begin(struct rt_ctx *ctx, const struct eds_mta_sts *before,
	const struct eds_mta_sts *after, const char *subject)
{
	int64_t now_ms = rt_wall_ms();

	return (struct eds_alert_said){
		.event = EDS_ALERT_MTA_STS_BROKEN,
		.domain_id = before->domain_id,
		.domain = before->name,
		.subject = subject,
		.change = rt_printf(ctx, "%lld", (long long)now_ms),
		.at_ms = now_ms,
		.before = side(ctx, before),
		.after = side(ctx, after),
		.advice = "",
	};
}

static struct eds_alert_all_news only(struct rt_ctx *ctx, const struct eds_alert_said *said)
{
	struct eds_alert_news *news = rt_alloc(ctx, sizeof *news);

	*news = eds_alert_news_make(ctx, said);
	return (struct eds_alert_all_news){.items = news, .count = 1};
}

struct eds_alert_all_news mta_sts_switch_news(
	struct rt_ctx *ctx, const struct eds_mta_sts *before, const struct eds_mta_sts *after)
{
	struct eds_alert_said said;

	if (before->enabled == after->enabled ||
		(before->enabled &&
			eds_mta_sts_enforced_until_ms(before, rt_wall_ms()) <= rt_wall_ms()))
		return (struct eds_alert_all_news){.count = 0};
	said = begin(ctx, before, after, "mta-sts switch");
	if (after->enabled) {
		said.event = EDS_ALERT_MTA_STS_RECOVERED;
		said.what = rt_printf(ctx, "MTA-STS of %s is switched on again.", before->name);
	} else {
		said.what = rt_printf(ctx,
			"MTA-STS of %s was switched off while senders may enforce the policy that "
			"they fetched, until %s.",
			before->name,
			rt_time_format(ctx, eds_mta_sts_enforced_until_ms(before, rt_wall_ms())));
		said.advice = "Switch it on again in mode testing until then: otherwise, mail to "
			      "a mail server that the old policy does not name is not delivered.";
	}
	return only(ctx, &said);
}

struct eds_alert_all_news mta_sts_ending_news(
	struct rt_ctx *ctx, const struct eds_mta_sts *before, const struct eds_mta_sts *after)
{
	struct eds_alert_said said;

	if (!before->enabled)
		return (struct eds_alert_all_news){.count = 0};
	said = begin(ctx, before, after, after->hosted ? "hosting enforce" : "hosting end");
	if (after->hosted) {
		said.what = rt_printf(ctx,
			"The MTA-STS policy of %s has left mode enforce for testing: the plan does "
			"not include hosting it any more. It is served until %s; after that, no "
			"sender enforces it.",
			before->name,
			rt_time_format(ctx, eds_mta_sts_enforced_until_ms(before, rt_wall_ms())));
		said.advice = rt_printf(ctx,
			"Publish the TXT record _mta-sts.%s with the new policy id, so that "
			"senders see the change soon; the MTA-STS settings of the domain show "
			"that record.",
			before->name);
	} else {
		said.what = rt_printf(ctx,
			"The MTA-STS policy of %s is no longer served here: the plan does not "
			"include hosting it.",
			before->name);
		said.advice = rt_printf(ctx,
			"Serve it from a host of your own, or remove the records at mta-sts.%s and "
			"_mta-sts.%s.",
			before->name, before->name);
	}
	return only(ctx, &said);
}

struct eds_alert_said mta_sts_hosting_said(
	struct rt_ctx *ctx, const struct eds_mta_sts *config, int64_t now_ms)
{
	struct eds_alert_said said = begin(ctx, config, config, "hosting");

	said.at_ms = now_ms;
	said.what = rt_printf(ctx,
		"The plan no longer includes hosting the MTA-STS policy of %s: it is served until "
		"%s.",
		config->name, rt_time_format(ctx, config->hosting_ends_at_ms));
	said.advice = config->mode == EDS_POLICY_ENFORCE
		? "Serve it from a host of your own by then, or have the plan changed. "
		  "Otherwise it goes to mode testing, and is served until no sender enforces it."
		: "Serve it from a host of your own by then, or have the plan changed.";
	return said;
}
