#include "functions/lib/posture/stored.h"
#include "functions/lib/posture/names.h"
#include "functions/lib/posture/posture-json.h"
#include "functions/lib/posture/stored-json.h"
#include "runtime/json-format.h"

#include <stdlib.h>
#include <string.h>

#include "functions/lib/posture/report-records.h"

/* A stored item is {"name", "state", "record", "findings", "details"} and also
 *     "changedAtMs"  time of the last change
 *     "checkedAtMs"  time of the look that saw it, if that is not the domain's latest
 *     "known"        {"state", "record", "codes"} of the last look that saw it completely, if the
 *                    look that is stored here did not
 *     "codes"        of all its findings, when there were too many to store
 *     "selectorsUntilMs"  in the first item, while the search for selectors is open: when the
 *                    search ends
 */

enum { FINDINGS_OF_TOO_MUCH = 4 };

/* The state in "known" of an item that no look has seen completely; a complete look never gives
 * this state. */
static const char *const never_known = "unknown";

struct merge {
	struct rt_ctx *ctx;
	const struct eds_posture_memory *before;
	const struct eds_posture *look;
	json_t *old_items;
	json_t *old_records;
	int64_t now_ms;
	struct eds_posture_update *update;
};

static json_t *find(const json_t *array, const char *key, const char *value)
{
	for (size_t i = 0; i < json_array_size(array); i++) {
		json_t *item = json_array_get(array, i);
		const char *text = rt_json_string(item, key);

		if (text != NULL && strcmp(text, value) == 0)
			return item;
	}
	return NULL;
}

static int compare_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorts the parts of the text between separators, and drops repeated ones. */
static const char *sorted(struct rt_ctx *ctx, const char *text, char separator)
{
	char *copy = rt_strdup(ctx, text);
	size_t count = 1;
	size_t at = 0;
	const char **parts;
	char *out = rt_alloc(ctx, strlen(text) + 1);
	char *end = out;

	for (const char *c = copy; *c != '\0'; c++)
		count += *c == separator;
	parts = rt_alloc_array(ctx, count, sizeof *parts);
	for (char *part = copy; part != NULL;) {
		char *next = strchr(part, separator);

		if (next != NULL)
			*next++ = '\0';
		parts[at++] = part;
		part = next;
	}
	qsort(parts, count, sizeof *parts, compare_text);
	for (size_t i = 0; i < count; i++) {
		if (i > 0 && strcmp(parts[i], parts[i - 1]) == 0)
			continue;
		if (end != out)
			*end++ = separator;
		end = stpcpy(end, parts[i]);
	}
	return out;
}

static const char *codes_of(struct rt_ctx *ctx, const json_t *item)
{
	const json_t *findings = json_object_get(item, "findings");
	const char *codes = "";

	for (size_t i = 0; i < json_array_size(findings); i++) {
		const char *code = rt_json_string(json_array_get(findings, i), "code");

		if (code != NULL)
			codes = codes[0] != '\0' ? rt_printf(ctx, "%s %s", codes, code) : code;
	}
	return sorted(ctx, codes, ' ');
}

/* What the last complete look at the item saw. */
static struct eds_posture_facet known_of(struct rt_ctx *ctx, const json_t *item)
{
	const json_t *known = json_object_get(item, "known");
	const json_t *of = json_is_object(known) ? known : item;
	const char *state = rt_json_string(of, "state");
	const char *codes = rt_json_string(of, "codes");

	return (struct eds_posture_facet){
		.state = state != NULL ? state : never_known,
		.record = rt_json_string(of, "record"),
		.codes = codes != NULL ? codes : codes_of(ctx, item),
	};
}

static bool same_record(struct rt_ctx *ctx, const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	return strcmp(a, b) == 0 || strcmp(sorted(ctx, a, '\n'), sorted(ctx, b, '\n')) == 0;
}

static bool same_facet(
	struct rt_ctx *ctx, const struct eds_posture_facet *a, const struct eds_posture_facet *b)
{
	return strcmp(a->state, b->state) == 0 && strcmp(a->codes, b->codes) == 0 &&
		same_record(ctx, a->record, b->record);
}

/* True when neither the item nor any of its findings is unknown. */
static bool is_whole(const struct eds_posture_item *item)
{
	for (size_t i = 0; i < item->count; i++)
		if (item->findings[i].state == EDS_POSTURE_UNKNOWN)
			return false;
	return item->state != EDS_POSTURE_UNKNOWN;
}

static const char *cut(struct rt_ctx *ctx, const char *record)
{
	if (record == NULL || strlen(record) <= EDS_POSTURE_CHANGE_RECORD_MAX)
		return record;
	return rt_printf(ctx, "%.*s ...", EDS_POSTURE_CHANGE_RECORD_MAX - 4, record);
}

static void note_difference(struct merge *merge, enum eds_posture_subject subject,
	struct eds_posture_facet old, struct eds_posture_facet now)
{
	struct eds_posture_update *update = merge->update;

	old.record = cut(merge->ctx, old.record);
	now.record = cut(merge->ctx, now.record);
	update->differences[update->difference_count++] = (struct eds_posture_difference){
		.subject = subject, .old = old, .now = now};
}

static json_t *facet_json(struct rt_ctx *ctx, const struct eds_posture_facet *facet)
{
	json_t *json = json_object();

	rt_json_set_text(ctx, json, "state", facet->state);
	rt_json_set_text(ctx, json, "record", facet->record);
	rt_json_set_text(ctx, json, "codes", facet->codes);
	return json;
}

/* Stores an item that was seen completely. A different order of records is not a change, so the
 * records keep their old order. */
static json_t *merge_whole(
	struct merge *merge, enum eds_posture_subject subject, json_t *item, const json_t *old)
{
	struct eds_posture_facet now = known_of(merge->ctx, item);
	struct eds_posture_facet before;
	int64_t changed_at_ms = merge->now_ms;

	if (old != NULL)
		before = known_of(merge->ctx, old);
	if (old != NULL && strcmp(before.state, never_known) != 0) {
		if (same_facet(merge->ctx, &before, &now)) {
			changed_at_ms = eds_posture_stored_number(
				old, "changedAtMs", changed_at_ms);
			rt_json_set_text(merge->ctx, item, "record", before.record);
		} else {
			note_difference(merge, subject, before, now);
		}
	}
	rt_json_set(item, "changedAtMs", json_integer(changed_at_ms));
	return item;
}

static json_t *merge_unknown(struct merge *merge, json_t *item, const json_t *old)
{
	struct eds_posture_facet known;

	rt_json_set(item, "changedAtMs",
		json_integer(eds_posture_stored_number(old, "changedAtMs", merge->now_ms)));
	if (old == NULL)
		return item;
	known = known_of(merge->ctx, old);
	rt_json_set(item, "known", facet_json(merge->ctx, &known));
	return item;
}

static bool is_unknown(const json_t *old)
{
	const char *state = rt_json_string(old, "state");

	return state == NULL || strcmp(state, never_known) == 0;
}

/* True when the stored item may stay in place of the new one: the result of a recent complete look
 * is better than an unknown state, or than a look that left out a name server. But a stored item in
 * state unknown does not stay when the new look left out a name server, or failed for a reason on
 * our side. */
static bool can_stay(
	const struct merge *merge, const struct eds_posture_item *seen, const json_t *old)
{
	bool postponed = is_whole(seen);
	int64_t kept_ms = postponed ? EDS_POSTURE_POSTPONED_MS : EDS_POSTURE_KEPT_MS;

	if ((seen->aside || postponed) && is_unknown(old))
		return false;
	return old != NULL && json_object_get(old, "known") == NULL &&
		merge->now_ms -
			eds_posture_stored_number(
				old, "checkedAtMs", merge->before->checked_at_ms) <
		kept_ms;
}

static json_t *merge_item(struct merge *merge, enum eds_posture_subject subject)
{
	const struct eds_posture_item *seen = &merge->look->items[subject];
	const char *name = eds_posture_subject_name(subject);
	json_t *old = find(merge->old_items, "name", name);
	json_t *item;

	if (!is_whole(seen) && !seen->aside)
		merge->update->unanswered = true;
	if (seen->postponed)
		merge->update->postponed = true;
	if ((seen->postponed || !is_whole(seen)) && seen->count > 0 && can_stay(merge, seen, old)) {
		rt_json_set(old, "checkedAtMs",
			json_integer(eds_posture_stored_number(
				old, "checkedAtMs", merge->before->checked_at_ms)));
		merge->update->kept = merge->update->kept || !is_whole(seen);
		return old;
	}
	item = eds_posture_item_json(merge->ctx, subject, seen);
	return is_whole(seen) ? merge_whole(merge, subject, item, old)
			      : merge_unknown(merge, item, old);
}

/* Raises the domain's state to that of the item; an item that keeps its old state counts with that
 * state. */
static void raise_state(const char **state, const struct eds_posture_item *seen, const json_t *item)
{
	const char *text = rt_json_string(item, "state");

	if (json_object_get(item, "checkedAtMs") == NULL)
		text = eds_posture_state_name(eds_posture_item_counts(seen));
	if (text != NULL && eds_posture_state_rank(text) > eds_posture_state_rank(*state))
		*state = text;
}

/* Takes each record from the new look, or from the stored ones when the record's item stays as it
 * was. */
static json_t *merge_records(const struct merge *merge, const json_t *items)
{
	json_t *records = eds_posture_report_records(merge->ctx, merge->look);
	json_t *merged = json_array();

	for (size_t i = 0; i < EDS_POSTURE_REPORT_RECORDS; i++) {
		const char *purpose;
		const char *subject = eds_posture_subject_name(
			eds_posture_report_subject(i, &purpose));
		bool stays = json_object_get(find(items, "name", subject), "checkedAtMs") != NULL;
		json_t *record = find(stays ? merge->old_records : records, "purpose", purpose);

		if (record != NULL)
			rt_json_append(merged, json_incref(record));
	}
	return merged;
}

static void shorten(struct rt_ctx *ctx, json_t *items, bool findings_too)
{
	for (size_t i = 0; i < json_array_size(items); i++) {
		json_t *item = json_array_get(items, i);
		json_t *findings = json_object_get(item, "findings");

		rt_json_set(item, "details", json_null());
		if (findings_too && json_object_get(item, "codes") == NULL)
			rt_json_set_text(ctx, item, "codes", codes_of(ctx, item));
		while (findings_too && json_array_size(findings) > FINDINGS_OF_TOO_MUCH)
			json_array_remove(findings, json_array_size(findings) - 1);
	}
}

/* Shortens large items, so that a domain with huge records cannot fill our disk. */
static const char *format_items(struct rt_ctx *ctx, json_t *items)
{
	size_t length;
	const char *text = rt_json_format(ctx, items, &length);

	for (int step = 0; step < 2 && length > EDS_POSTURE_STORED_MAX; step++) {
		shorten(ctx, items, step > 0);
		text = rt_json_format(ctx, items, &length);
	}
	return text;
}

static int64_t changed_at_ms(const json_t *items)
{
	int64_t latest_ms = 0;

	for (size_t i = 0; i < json_array_size(items); i++) {
		int64_t at_ms = eds_posture_stored_number(
			json_array_get(items, i), "changedAtMs", 0);

		if (at_ms > latest_ms)
			latest_ms = at_ms;
	}
	return latest_ms;
}

static int64_t search_until_ms(const json_t *items)
{
	return eds_posture_stored_number(json_array_get(items, 0), "selectorsUntilMs", 0);
}

bool eds_posture_searches(struct rt_ctx *ctx, const struct eds_posture_memory *memory)
{
	return memory->checked_at_ms == 0 ||
		search_until_ms(eds_posture_stored_array(ctx, memory->items)) != 0;
}

/* Stores whether the search for selectors is still open. until_ms: when an open search ends; 0 if
 * none was open. */
static void merge_search(struct merge *merge, json_t *items, int64_t until_ms)
{
	json_t *first = json_array_get(items, 0);

	if (merge->before->checked_at_ms == 0)
		until_ms = merge->now_ms + EDS_POSTURE_SEARCH_MS;
	merge->update->selectors_open = first != NULL && merge->look->selectors_open &&
		until_ms > merge->now_ms;
	if (merge->update->selectors_open)
		rt_json_set(first, "selectorsUntilMs", json_integer(until_ms));
	else
		json_object_del(first, "selectorsUntilMs"); /* an item that was kept still has this
							     * member if an earlier search was
							     * open */
}

void eds_posture_remember(struct rt_ctx *ctx, const struct eds_posture_memory *before,
	const struct eds_posture *look, int64_t now_ms, struct eds_posture_update *update)
{
	struct merge merge = {
		.ctx = ctx, .before = before, .look = look, .now_ms = now_ms, .update = update};
	json_t *items = json_array();

	*update = (struct eds_posture_update){
		.after = {
			.checked_at_ms = now_ms, .state = eds_posture_state_name(EDS_POSTURE_OK)}};
	merge.old_items = eds_posture_stored_array(
		ctx, before->checked_at_ms != 0 ? before->items : "[]");
	merge.old_records = eds_posture_stored_array(
		ctx, before->checked_at_ms != 0 ? before->records : "[]");
	for (size_t i = 0; i < EDS_POSTURE_SUBJECTS; i++) {
		json_t *item;

		if (look->items[i].left_out)
			continue;
		item = merge_item(&merge, (enum eds_posture_subject)i);
		raise_state(&update->after.state, &look->items[i], item);
		rt_json_append(items, json_incref(item));
	}
	merge_search(&merge, items, search_until_ms(merge.old_items));
	update->after.records = rt_json_format(ctx, merge_records(&merge, items), NULL);
	update->after.items = format_items(ctx, items);
	update->after.changed_at_ms = changed_at_ms(items);
	update->same = before->checked_at_ms != 0 &&
		strcmp(update->after.items, before->items) == 0 &&
		strcmp(update->after.records, before->records) == 0;
}
