#include "functions/reports/rows/selectors-read.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void report_selectors_init(
	struct report_selectors *selectors, struct rt_ctx *ctx, int64_t first_day, size_t day_count)
{
	*selectors = (struct report_selectors){
		.ctx = ctx, .first_day = first_day, .day_count = day_count};
	selectors->items = rt_alloc_array(ctx, REPORT_SELECTORS_MAX, sizeof *selectors->items);
}

/* Adds a count to the sum. Reporters choose the counts, so a sum may overflow: the sum then becomes
 * INT64_MAX. */
static void add(int64_t *sum, int64_t messages)
{
	if (__builtin_add_overflow(*sum, messages, sum))
		*sum = INT64_MAX;
}

/* The item of this selector, added if new; NULL when there are too many. */
static struct report_selector *find_or_add(
	struct report_selectors *selectors, const char *domain, const char *selector)
{
	struct report_selector *item;

	for (size_t i = 0; i < selectors->count; i++) {
		item = &selectors->items[i];
		if (strcmp(item->selector, selector) == 0 && strcmp(item->domain, domain) == 0)
			return item;
	}
	if (selectors->count == REPORT_SELECTORS_MAX)
		return NULL;
	item = &selectors->items[selectors->count++];
	item->domain = rt_strdup(selectors->ctx, domain);
	item->selector = rt_strdup(selectors->ctx, selector);
	item->days = rt_alloc_array(selectors->ctx, selectors->day_count, sizeof *item->days);
	return item;
}

static const char *text_of(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text != NULL ? text : "";
}

static bool is_same_key(const json_t *a, const json_t *b)
{
	return strcmp(text_of(a, "selector"), text_of(b, "selector")) == 0 &&
		strcmp(text_of(a, "domain"), text_of(b, "domain")) == 0;
}

/* True if an earlier result is of the same key. A message that one key signed more than once counts
 * once; it passed if one of the signatures did. */
static bool is_told_before(const json_t *results, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (is_same_key(json_array_get(results, i), json_array_get(results, at)))
			return true;
	return false;
}

static bool has_passed(const json_t *results, size_t at)
{
	for (size_t i = at; i < json_array_size(results); i++)
		if (is_same_key(json_array_get(results, i), json_array_get(results, at)) &&
			strcmp(text_of(json_array_get(results, i), "result"), "pass") == 0)
			return true;
	return false;
}

static void add_row(struct report_selectors *selectors, size_t day, const json_t *row)
{
	const json_t *results = json_object_get(row, "dkimResults");
	int64_t messages = json_integer_value(json_object_get(row, "messages"));

	for (size_t i = 0; i < json_array_size(results); i++) {
		const json_t *result = json_array_get(results, i);
		const char *selector = text_of(result, "selector");
		int64_t passed = has_passed(results, i) ? messages : 0;
		struct report_selector *item;

		if (selector[0] == '\0' || is_told_before(results, i))
			continue;
		item = find_or_add(selectors, text_of(result, "domain"), selector);
		if (item == NULL)
			continue;
		add(&item->messages, messages);
		add(&item->passed, passed);
		add(&item->days[day].messages, messages);
		add(&item->days[day].passed, passed);
	}
}

void report_selectors_add(struct report_selectors *selectors, int64_t day, const json_t *rows)
{
	int64_t at = day - selectors->first_day;

	if (at < 0 || at >= (int64_t)selectors->day_count)
		return;
	for (size_t i = 0; i < json_array_size(rows); i++)
		add_row(selectors, (size_t)at, json_array_get(rows, i));
}

static int by_messages(const void *a, const void *b)
{
	const struct report_selector *one = a;
	const struct report_selector *other = b;

	if (one->messages != other->messages)
		return one->messages < other->messages ? 1 : -1;
	return strcmp(one->selector, other->selector);
}

void report_selectors_sort(struct report_selectors *selectors)
{
	qsort(selectors->items, selectors->count, sizeof *selectors->items, by_messages);
}
