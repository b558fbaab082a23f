#include "functions/lib/selector/outcome.h"

static const char *state_name(enum eds_selector_state state)
{
	static const char *const names[] = {
		[EDS_SELECTOR_UNKNOWN] = "unknown",
		[EDS_SELECTOR_VALID] = "valid",
		[EDS_SELECTOR_REVOKED] = "revoked",
		[EDS_SELECTOR_INVALID] = "invalid",
	};

	return names[state];
}

static const char *findings_text(struct rt_ctx *ctx, const struct eds_findings *findings)
{
	if (findings->count == 0)
		return "[]";
	return rt_json_format(ctx, eds_findings_json(ctx, findings), NULL);
}

static struct eds_selector_check *times_row(struct rt_ctx *ctx, const struct eds_dkim_check *check)
{
	struct eds_selector_check *row = rt_alloc(ctx, sizeof *row);

	row->probed_at_ms = check->probed_at_ms;
	row->checked_at_ms = check->checked_at_ms;
	return row;
}

const struct eds_selector_check *eds_outcome_row(
	struct rt_ctx *ctx, const struct eds_dkim_check *check)
{
	struct eds_selector_check *row = times_row(ctx, check);

	row->state = state_name(check->state);
	row->key_type = check->key_type;
	row->key_bits = check->key_bits;
	row->alias = check->alias;
	row->errors = findings_text(ctx, &check->errors);
	row->warnings = findings_text(ctx, &check->warnings);
	row->wildcard = check->wildcard;
	row->digest = check->digest;
	return row;
}

bool eds_outcome_is_same(const struct eds_selector_due *due, const struct eds_dkim_check *check)
{
	bool probed = check->checked_at_ms - due->probed_at_ms < EDS_PROBE_MS;

	return check->digest == due->digest && (!check->found || probed);
}

void eds_outcome_settle(
	struct rt_ctx *ctx, struct eds_selector_due *due, const struct eds_dkim_check *check)
{
	bool same = check->digest == due->digest && check->wildcard == due->wildcard;

	due->next_at_ms = eds_dkim_next_check_ms(
		check, same ? due->changed_at_ms : check->checked_at_ms);
	if (check->state == EDS_SELECTOR_UNKNOWN)
		due->outcome = EDS_DUE_KEPT;
	else
		due->outcome = same ? EDS_DUE_SAME : EDS_DUE_CHANGED;
	due->check = due->outcome == EDS_DUE_CHANGED ? eds_outcome_row(ctx, check)
						     : times_row(ctx, check);
}
