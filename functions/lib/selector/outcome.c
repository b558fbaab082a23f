#include "functions/lib/selector/outcome.h"
#include "runtime/json-format.h"

#include <string.h>

#include "functions/lib/selector/news.h"

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

struct eds_selector_check *eds_outcome_row(struct rt_ctx *ctx, const struct eds_dkim_check *check)
{
	struct eds_selector_check *row = times_row(ctx, check);

	row->state = eds_selector_state_name(check->state);
	row->key_type = check->key_type;
	row->key_bits = check->key_bits;
	row->alias = check->alias;
	row->errors = findings_text(ctx, &check->errors);
	row->warnings = findings_text(ctx, &check->warnings);
	row->wildcard = check->wildcard;
	row->digest = check->digest;
	row->key_digest = check->key_digest;
	row->record = check->record;
	row->key_hash = check->key_hash;
	return row;
}

/* Makes the row from the check. Copies all texts, because the check may be freed before the row is
 * written. */
static struct eds_selector_check *fill_row(struct rt_ctx *ctx, const struct eds_dkim_check *check)
{
	struct eds_selector_check *row = times_row(ctx, check);

	row->key_digest = check->key_digest;
	row->record = check->record != NULL ? rt_strdup(ctx, check->record) : NULL;
	row->key_hash = check->key_hash != NULL ? rt_strdup(ctx, check->key_hash) : NULL;
	return row;
}

bool eds_outcome_is_same(const struct eds_selector_due *due, const struct eds_dkim_check *check)
{
	bool probed = check->checked_at_ms - due->probed_at_ms < EDS_PROBE_MS;

	return check->digest == due->digest && (!check->found || probed);
}

/* True when the key differs from the last known one. A row of an earlier release may lack both the
 * digest and the hash of its key; the key then counts as unchanged. */
static bool is_another_key(const struct eds_selector_due *due, const struct eds_dkim_check *check)
{
	if (check->key_digest == 0)
		return false;
	if (due->key_digest != 0)
		return check->key_digest != due->key_digest;
	return due->key_hash != NULL && check->key_hash != NULL &&
		strcmp(due->key_hash, check->key_hash) != 0;
}

static const struct eds_selector_check *row_of(
	struct rt_ctx *ctx, const struct eds_selector_due *due, const struct eds_dkim_check *check)
{
	struct eds_selector_check *row;

	if (due->outcome == EDS_DUE_FILLED)
		return fill_row(ctx, check);
	if (due->outcome != EDS_DUE_CHANGED)
		return times_row(ctx, check);
	row = eds_outcome_row(ctx, check);
	row->key_changed = is_another_key(due, check);
	return row;
}

void eds_outcome_settle(
	struct rt_ctx *ctx, struct eds_selector_due *due, const struct eds_dkim_check *check)
{
	bool same = check->digest == due->digest && check->wildcard == due->wildcard;

	due->next_at_ms = eds_dkim_next_check_ms(
		check, same ? due->changed_at_ms : check->checked_at_ms);
	if (check->state == EDS_SELECTOR_UNKNOWN)
		due->outcome = EDS_DUE_KEPT;
	else if (!same)
		due->outcome = EDS_DUE_CHANGED;
	else
		due->outcome = due->record_digest == due->digest ? EDS_DUE_SAME : EDS_DUE_FILLED;
	due->check = row_of(ctx, due, check);
	if (due->outcome == EDS_DUE_CHANGED)
		due->news = eds_selector_news(
			ctx, due, check->errors.count > 0 ? check->errors.items[0].message : NULL);
}
