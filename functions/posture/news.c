#include "functions/posture/news.h"
#include "functions/lib/posture/names.h"
#include "runtime/json-format.h"

#include <string.h>

#include "functions/lib/alert/news.h"
#include "functions/lib/dmarc/dmarc.h"
#include "functions/lib/dmarc/evaluate.h"
#include "functions/lib/dmarc/record.h"
#include "functions/lib/posture/stored-json.h"
#include "functions/lib/posture/stored.h"

static json_t *side_json(struct rt_ctx *ctx, const struct eds_posture_side *side)
{
	json_t *json = json_object();

	rt_json_set_text(ctx, json, "state", side->state);
	rt_json_set_text(ctx, json, "record", side->record);
	return json;
}

/* The advice of the item's worst finding that has advice. */
static const char *advice_of(const struct eds_posture *look, const char *item_name)
{
	const struct eds_posture_item *item = NULL;
	const struct eds_posture_finding *worst = NULL;

	for (int i = 0; i < EDS_POSTURE_SUBJECTS; i++)
		if (strcmp(eds_posture_subject_name((enum eds_posture_subject)i), item_name) == 0)
			item = &look->items[i];
	for (size_t i = 0; item != NULL && i < item->count; i++)
		if (item->findings[i].advice[0] != '\0' &&
			(worst == NULL || item->findings[i].state > worst->state))
			worst = &item->findings[i];
	return worst != NULL ? worst->advice : "";
}

/* The start of a sentence about the subject, such as "The SPF record"; the caller appends " of
 * example.com". */
static const char *subject_words(const char *item)
{
	static const char *const words[EDS_POSTURE_SUBJECTS] = {
		[EDS_POSTURE_ZONE] = "The DNS zone",
		[EDS_POSTURE_MX] = "The MX records",
		[EDS_POSTURE_SPF] = "The SPF record",
		[EDS_POSTURE_DMARC] = "The DMARC record",
		[EDS_POSTURE_MTA_STS] = "The MTA-STS setup",
		[EDS_POSTURE_TLS_RPT] = "The TLS-RPT record",
		[EDS_POSTURE_DANE] = "The TLSA records",
		[EDS_POSTURE_CAA] = "The CAA records",
		[EDS_POSTURE_BIMI] = "The BIMI record",
		[EDS_POSTURE_DNSSEC] = "The DNSSEC setup",
	};

	for (int i = 0; i < EDS_POSTURE_SUBJECTS; i++)
		if (strcmp(eds_posture_subject_name((enum eds_posture_subject)i), item) == 0)
			return words[i];
	return "The DNS setup";
}

static void say_changed(struct rt_ctx *ctx, const struct eds_posture_due *due,
	const struct eds_posture_change *change, struct eds_alert_said *said)
{
	said->event = EDS_ALERT_POSTURE_CHANGED;
	said->what = strcmp(change->old.state, change->now.state) == 0
		? rt_printf(ctx, "%s of %s changed; the state is still %s.",
			  subject_words(change->item), due->name, change->now.state)
		: rt_printf(ctx, "%s of %s changed; the state was %s and is now %s.",
			  subject_words(change->item), due->name, change->old.state,
			  change->now.state);
}

/* The policies that a DMARC record asks for, as ranks; without sp=, sp is that of p=. Both are -1
 * without a usable record. */
struct strength {
	int p;
	int sp;
};

static struct strength strength_of(struct rt_ctx *ctx, const struct eds_posture_side *side)
{
	struct eds_dmarc_record record;

	if (side->record == NULL ||
		!eds_dmarc_record_parse(ctx, side->record, strlen(side->record), &record))
		return (struct strength){-1, -1};
	return (struct strength){(int)record.p, (int)record.sp};
}

/* The DMARC policy that applied to the domain before, from the domain's own record or from the
 * record of a domain above it; NULL when the policy is not known. */
static const char *policy_before(struct rt_ctx *ctx, const struct eds_posture_due *due)
{
	const json_t *items = eds_posture_stored_array(ctx, due->before.items);

	for (size_t i = 0; i < json_array_size(items); i++) {
		const json_t *item = json_array_get(items, i);
		const char *name = rt_json_string(item, "name");

		if (name != NULL && strcmp(name, "dmarc") == 0)
			return rt_json_string(json_object_get(item, "details"), "policy");
	}
	return NULL;
}

static int rank(const char *policy)
{
	for (int i = EDS_DMARC_P_NONE; i <= EDS_DMARC_P_REJECT; i++)
		if (strcmp(policy, eds_dmarc_policy_name((enum eds_dmarc_policy)i)) == 0)
			return i;
	return -1;
}

/* Comparing tags is not enough: a domain that drops its own record falls back to the record of the
 * domain above it, which may ask for a weaker policy for subdomains (sp=). */
static bool applies_less(
	struct rt_ctx *ctx, const struct eds_posture_due *due, const struct eds_posture *look)
{
	const char *before = policy_before(ctx, due);
	const json_t *details = look->items[EDS_POSTURE_DMARC].details;
	const char *after = details != NULL ? rt_json_string(details, "policy") : NULL;

	return before != NULL && (after == NULL || rank(after) < rank(before));
}

static bool is_weaker(struct rt_ctx *ctx, const struct eds_posture_due *due,
	const struct eds_posture *look, const struct eds_posture_change *change)
{
	struct strength old;
	struct strength now;

	if (strcmp(change->item, eds_posture_subject_name(EDS_POSTURE_DMARC)) != 0)
		return false;
	old = strength_of(ctx, &change->old);
	now = strength_of(ctx, &change->now);
	return now.p < old.p || now.sp < old.sp || (old.p >= 0 && applies_less(ctx, due, look));
}

static void say_weakened(struct rt_ctx *ctx, const struct eds_posture_due *due,
	const struct eds_posture_change *change, struct eds_alert_said *said)
{
	said->event = EDS_ALERT_DMARC_WEAKENED;
	said->what = change->now.record == NULL
		? rt_printf(ctx, "No DMARC record applies to %s any more.", due->name)
		: rt_printf(ctx, "The DMARC policy for %s is weaker than before.", due->name);
	said->advice = "If this was not intended, publish the previous record again: until then, "
		       "receivers accept forged mail that they would have stopped.";
}

struct eds_alert_all_news posture_news(
	struct rt_ctx *ctx, const struct eds_posture_due *due, const struct eds_posture *look)
{
	struct eds_alert_news *news = NULL;
	size_t count = 0;

	/* There may be one more message than there are changes: at most one change is about DMARC,
	 * and such a change may give two messages. */
	if (due->change_count > 0)
		news = rt_alloc_array(ctx, due->change_count + 1, sizeof *news);
	for (size_t i = 0; i < due->change_count; i++) {
		const struct eds_posture_change *change = &due->changes[i];
		struct eds_alert_said said = {
			.domain_id = due->domain_id,
			.domain = due->name,
			.subject = change->item,
			.change = change->id,
			.at_ms = change->at_ms,
			.before = side_json(ctx, &change->old),
			.after = side_json(ctx, &change->now),
			.advice = advice_of(look, change->item),
		};

		say_changed(ctx, due, change, &said);
		news[count++] = eds_alert_news_make(ctx, &said);
		if (!is_weaker(ctx, due, look, change))
			continue;
		/* the first message owns the JSON in before and after, so the second message needs
		 * new JSON */
		said.before = side_json(ctx, &change->old);
		said.after = side_json(ctx, &change->now);
		say_weakened(ctx, due, change, &said);
		news[count++] = eds_alert_news_make(ctx, &said);
	}
	return (struct eds_alert_all_news){.items = news, .count = count};
}
