#include "functions/lib/mta-sts/change.h"

#include <string.h>

#include "functions/lib/mta-sts/policy-id.h"
#include "runtime/time.h"

static bool same_patterns(const struct eds_mx_patterns *a, const struct eds_mx_patterns *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (strcmp(a->items[i], b->items[i]) != 0)
			return false;
	return true;
}

/* True when senders would read the same policy from both configurations. */
static bool same_policy(const struct eds_mta_sts *a, const struct eds_mta_sts *b)
{
	return a->mode == b->mode && a->max_age_s == b->max_age_s &&
		same_patterns(&a->patterns, &b->patterns);
}

int64_t eds_mta_sts_enforced_until_ms(const struct eds_mta_sts *config, int64_t now_ms)
{
	int64_t until_ms = now_ms + config->max_age_s * 1000;

	if (!config->enabled || config->mode != EDS_POLICY_ENFORCE ||
		until_ms < config->enforce_held_until_ms)
		return config->enforce_held_until_ms;
	return until_ms;
}

/* The time until which senders may still use a policy that they fetched before the mode became
 * none; 0 when the mode is another one. */
static int64_t none_until_ms(
	const struct eds_mta_sts *before, const struct eds_mta_sts *after, int64_t now_ms)
{
	int64_t until_ms = before->enabled ? now_ms + before->max_age_s * 1000 : now_ms;

	if (after->mode != EDS_POLICY_NONE)
		return 0;
	if (before->mode == EDS_POLICY_NONE)
		return before->none_until_ms;
	return until_ms > after->enforce_held_until_ms ? until_ms : after->enforce_held_until_ms;
}

void eds_mta_sts_change(struct rt_ctx *ctx, const struct eds_mta_sts *before,
	struct eds_mta_sts *after, int64_t now_ms)
{
	bool same = same_policy(before, after);

	if (same && before->enabled == after->enabled && before->hosted == after->hosted)
		return;
	after->updated_at_ms = after->changed_at_ms = now_ms;
	after->enforce_held_until_ms = eds_mta_sts_enforced_until_ms(before, now_ms);
	after->none_until_ms = none_until_ms(before, after, now_ms);
	if (!after->hosted)
		after->hosting_ends_at_ms = 0;
	if (!same)
		after->policy_id = eds_policy_id_new(ctx, now_ms);
}

struct edit {
	eds_mta_sts_edit edit;
	void *arg;
};

static rt_status edit_and_change(struct rt_ctx *ctx, struct eds_mta_sts *config, void *arg)
{
	const struct edit *edit = arg;
	const struct eds_mta_sts before = *config;

	RT_TRY(edit->edit(ctx, config, edit->arg));
	eds_mta_sts_change(ctx, &before, config, rt_wall_ms());
	return RT_OK;
}

rt_status eds_mta_sts_update(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, eds_mta_sts_edit edit, void *arg,
	struct eds_mta_sts *after)
{
	struct edit both = {.edit = edit, .arg = arg};

	return eds_store_mta_sts_update(ctx, store, domain, edit_and_change, &both, after);
}
