#include "functions/tester/advice/advice.h"
#include "functions/tester/advice/advice-client.h"
#include "functions/tester/advice/advice-dkim.h"
#include "functions/tester/advice/advice-dmarc.h"
#include "functions/tester/advice/advice-lists.h"
#include "functions/tester/advice/advice-message.h"
#include "functions/tester/advice/advice-outlook.h"
#include "functions/tester/advice/advice-spf.h"
#include "runtime/json-format.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_MAX = 1024 };

struct advice *advice_add(struct advice_list *list, enum advice_severity severity,
	enum tester_rule rule, const char *code, const char *format, ...)
{
	/* The last slot takes every item past the maximum and is never shown. */
	struct advice *item = &list->items[list->count];
	char message[MESSAGE_MAX];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	*item = (struct advice){.severity = severity, .rule = rule, .code = code};
	item->message = rt_strdup(list->ctx, message);
	if (list->count < ADVICE_MAX - 1)
		list->count++;
	return item;
}

static int tenths_of(const struct advice *item)
{
	return item->rule == TESTER_NO_RULE ? 0 : tester_rule_tenths(item->rule);
}

static bool comes_before(const struct advice *a, const struct advice *b)
{
	if (a->severity != b->severity)
		return a->severity < b->severity;
	/* All urgent items rank equally: each one alone makes receivers refuse the message,
	 * whatever its points. */
	if (a->severity == ADVICE_URGENT)
		return false;
	return tenths_of(a) > tenths_of(b);
}

/* Insertion sort, since it keeps equal items in the order they were added. */
static void sort(struct advice_list *list)
{
	for (size_t i = 1; i < list->count; i++) {
		struct advice item = list->items[i];
		size_t at = i;

		for (; at > 0 && comes_before(&item, &list->items[at - 1]); at--)
			list->items[at] = list->items[at - 1];
		list->items[at] = item;
	}
}

static json_t *record_json(struct rt_ctx *ctx, const struct advice_record *record)
{
	json_t *object;

	if (record->type == NULL)
		return json_null();
	object = json_object();
	rt_json_set_text(ctx, object, "name", record->name);
	rt_json_set_text(ctx, object, "type", record->type);
	rt_json_set_text(ctx, object, "value", record->value);
	return object;
}

static json_t *item_json(struct rt_ctx *ctx, const struct advice *item)
{
	static const char *const severities[] = {"urgent", "action", "note", "good"};
	json_t *object = json_object();

	rt_json_set_text(ctx, object, "code", item->code);
	rt_json_set_text(ctx, object, "severity", severities[item->severity]);
	rt_json_set_text(ctx, object, "rule",
		item->rule == TESTER_NO_RULE ? NULL : tester_rule_name(item->rule));
	rt_json_set_text(ctx, object, "message", item->message);
	rt_json_set(object, "record", record_json(ctx, &item->record));
	if (item->evidence != NULL)
		rt_json_set(object, "evidence", item->evidence);
	return object;
}

json_t *advice_json(struct rt_ctx *ctx, const struct analysis *analysis)
{
	struct advice_list *list = rt_alloc(ctx, sizeof *list);
	json_t *array = json_array();

	list->ctx = ctx;
	advice_dmarc(list, analysis);
	advice_outlook(list, analysis);
	advice_spf(list, analysis);
	advice_client(list, analysis);
	advice_lists(list, analysis);
	advice_mx(list, analysis);
	advice_headers(list, analysis);
	/* last, since the warnings on many signatures can fill the list */
	advice_dkim(list, analysis);
	sort(list);
	for (size_t i = 0; i < list->count; i++)
		rt_json_append(array, item_json(ctx, &list->items[i]));
	return array;
}
