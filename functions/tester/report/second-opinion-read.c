#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "functions/tester/report/second-opinion-read.h"
#include "functions/tester/report/second-opinion.h"
#include "runtime/json-format.h"

enum {
	SCORE_MAX = 1000000,
};

static bool read_number(const json_t *object, const char *key, double *number)
{
	const json_t *value = json_object_get(object, key);

	*number = json_number_value(value);
	return json_is_number(value) && fabs(*number) <= SCORE_MAX;
}

static const char *cut(struct rt_ctx *ctx, const char *text, size_t max)
{
	return text == NULL ? "" : rt_memdup(ctx, text, strnlen(text, max));
}

/* Sorts the largest scores, positive or negative, first; equal ones by name, so that the order is
 * always the same. */
static int compare(const void *one, const void *other)
{
	const struct opinion_symbol *a = one;
	const struct opinion_symbol *b = other;

	if (fabs(a->score) > fabs(b->score) || fabs(a->score) < fabs(b->score))
		return fabs(a->score) > fabs(b->score) ? -1 : 1;
	return strcmp(a->name, b->name);
}

static bool read_symbols(struct rt_ctx *ctx, json_t *symbols, struct second_opinion *opinion)
{
	size_t count = 0;
	struct opinion_symbol *all = rt_alloc_array(
		ctx, json_object_size(symbols) + 1, sizeof *all);
	const char *name;
	json_t *symbol;

	json_object_foreach(symbols, name, symbol)
	{
		if (!read_number(symbol, "score", &all[count].score))
			return false;
		all[count].name = cut(ctx, name, OPINION_NAME_MAX);
		all[count].description = cut(
			ctx, rt_json_string(symbol, "description"), OPINION_DESCRIPTION_MAX);
		count++;
	}
	qsort(all, count, sizeof *all, compare);
	opinion->symbol_count = count < OPINION_SYMBOLS_MAX ? count : OPINION_SYMBOLS_MAX;
	opinion->other_symbols = count - opinion->symbol_count;
	memcpy(opinion->symbols, all, opinion->symbol_count * sizeof *all);
	return true;
}

bool second_opinion_read(
	struct rt_ctx *ctx, const char *body, size_t length, struct second_opinion *opinion)
{
	json_t *answer;

	if (rt_json_parse(ctx, body, length, &answer) != RT_OK) {
		rt_fail_clear(ctx);
		return false;
	}
	opinion->action = cut(ctx, rt_json_string(answer, "action"), OPINION_NAME_MAX);
	return opinion->action[0] != '\0' && read_number(answer, "score", &opinion->score) &&
		read_number(answer, "required_score", &opinion->required) &&
		json_is_object(json_object_get(answer, "symbols")) &&
		read_symbols(ctx, json_object_get(answer, "symbols"), opinion);
}

/* The score with two decimals, as rspamd itself shows it. */
static json_t *score_json(double score)
{
	long hundredths = (long)(score * 100 + (score < 0 ? -0.5 : 0.5));

	return json_real((double)hundredths / 100);
}

static json_t *symbols_json(struct rt_ctx *ctx, const struct second_opinion *opinion)
{
	json_t *array = json_array();

	for (size_t i = 0; i < opinion->symbol_count; i++) {
		const struct opinion_symbol *symbol = &opinion->symbols[i];
		json_t *object = json_object();

		rt_json_set_text(ctx, object, "name", symbol->name);
		rt_json_set(object, "score", score_json(symbol->score));
		rt_json_set_text(ctx, object, "description",
			symbol->description[0] != '\0' ? symbol->description : NULL);
		rt_json_append(array, object);
	}
	return array;
}

json_t *second_opinion_json(struct rt_ctx *ctx, const struct second_opinion *opinion)
{
	bool given = opinion->failure == NULL;
	json_t *object;

	if (!opinion->asked)
		return json_null();
	object = json_object();
	rt_json_set_text(ctx, object, "by", "rspamd");
	rt_json_set_text(ctx, object, "state", given ? "given" : "unknown");
	rt_json_set_text(ctx, object, "reason", opinion->failure);
	rt_json_set(object, "score", given ? score_json(opinion->score) : json_null());
	rt_json_set(object, "required", given ? score_json(opinion->required) : json_null());
	rt_json_set_text(ctx, object, "action", given ? opinion->action : NULL);
	rt_json_set(object, "symbols", given ? symbols_json(ctx, opinion) : json_array());
	rt_json_set(object, "otherSymbols",
		json_integer(given ? (json_int_t)opinion->other_symbols : 0));
	return object;
}
