#include "functions/tester/report/comparison.h"
#include "runtime/json-format.h"

#include <string.h>

#include "functions/tester/rules.h"

enum {
	TEXT_BYTES_MAX = 64 * 1024,
};

/* The measurements that are compared, as paths into the result. */
static const char *const MEASURED[] = {"spf.result", "spf.domain", "dkim.state", "dmarc.result",
	"dmarc.policy", "dmarc.record", "ptr.state", "ptr.record", "mx.state", "blocklists.listed",
	"helo.name", "helo.state", "helo.clientAddress", "tls.state", "tls.version",
	"headers.mailFrom", "headers.fromDomain", "headers.dateState", "unsubscribe.state"};

/* The member at a path like "spf.result"; NULL when it is missing or null. */
static json_t *find(const json_t *object, const char *path)
{
	size_t length = strcspn(path, ".");
	json_t *member = json_object_getn(object, path, length);

	if (path[length] == '.')
		return find(member, path + length + 1);
	return json_is_null(member) ? NULL : member;
}

static json_t *or_null(json_t *value)
{
	return value != NULL ? json_incref(value) : json_null();
}

static bool is_same(const json_t *one, const json_t *other)
{
	return one == other || (one != NULL && other != NULL && json_equal(one, other));
}

static json_t *change_json(json_t *before, json_t *after)
{
	json_t *change = json_object();

	rt_json_set(change, "before", or_null(before));
	rt_json_set(change, "after", or_null(after));
	return change;
}

/* The score in tenths. Stored scores are decimals; sums and differences of tenths are exact. */
static int tenths(const json_t *number)
{
	double value = json_number_value(number) * 10;

	return (int)(value < 0 ? value - 0.5 : value + 0.5);
}

static json_t *side_json(const struct eds_session *session, const json_t *result)
{
	json_t *side = json_object();

	rt_json_set(side, "testId", json_string(session->test_id));
	rt_json_set(side, "receivedAt", or_null(find(result, "results.headers.receivedAt")));
	rt_json_set(side, "subject", or_null(find(result, "results.headers.subject")));
	rt_json_set(side, "spamScore", or_null(find(result, "spamScore")));
	rt_json_set(side, "verdict", or_null(find(result, "verdict")));
	rt_json_set(side, "outlook", or_null(find(result, "results.outlook.state")));
	return side;
}

/* The points of one rule, which may have applied more than once. */
static int sum_of(const json_t *breakdown, const char *rule, bool *applied)
{
	int sum = 0;
	json_t *item;
	size_t i;

	*applied = false;
	json_array_foreach(breakdown, i, item)
	{
		const char *name = rt_json_string(item, "rule");

		if (name == NULL || strcmp(name, rule) != 0)
			continue;
		sum += tenths(find(item, "score"));
		*applied = true;
	}
	return sum;
}

static void compare_rule(json_t *rules, const char *rule, const json_t *before, const json_t *after)
{
	bool applied_before;
	bool applied_after;
	int sum_before = sum_of(before, rule, &applied_before);
	int sum_after = sum_of(after, rule, &applied_after);
	json_t *change;

	if (applied_before == applied_after && sum_before == sum_after)
		return;
	change = json_object();
	rt_json_set(change, "rule", json_string(rule));
	rt_json_set(
		change, "before", applied_before ? tester_tenths_json(sum_before) : json_null());
	rt_json_set(change, "after", applied_after ? tester_tenths_json(sum_after) : json_null());
	rt_json_append(rules, change);
}

static json_t *rules_json(const json_t *before, const json_t *after)
{
	json_t *rules = json_array();

	before = find(before, "scoreBreakdown");
	after = find(after, "scoreBreakdown");
	for (int rule = 0; rule < TESTER_RULES; rule++)
		compare_rule(rules, tester_rule_name((enum tester_rule)rule), before, after);
	return rules;
}

static void add_measured(json_t *list, const char *name, json_t *before, json_t *after)
{
	json_t *change;

	if (is_same(before, after))
		return;
	change = change_json(before, after);
	rt_json_set(change, "name", json_string(name));
	rt_json_append(list, change);
}

/* The signatures as "example.com s1 valid, mailer.example k2 invalid", in the order of the fields
 * in the message; NULL without signatures, or if the text is too long. */
static json_t *signatures_text(struct rt_ctx *ctx, const json_t *results)
{
	const json_t *signatures = find(results, "dkim.signatures");
	struct rt_buffer text;
	json_t *item;
	size_t i;

	rt_buffer_init(&text, ctx, TEXT_BYTES_MAX);
	json_array_foreach(signatures, i, item)
	{
		static const char *const members[] = {"domain", "selector", "state"};

		for (size_t m = 0; m < sizeof members / sizeof members[0]; m++) {
			const char *value = rt_json_string(item, members[m]);

			rt_buffer_text(&text, m > 0 ? " " : i > 0 ? ", " : "");
			rt_buffer_text(&text, value != NULL ? value : "?");
		}
	}
	return text.length > 0 && !text.overflow ? rt_json_text(ctx, text.bytes) : NULL;
}

static json_t *measured_json(struct rt_ctx *ctx, const json_t *before, const json_t *after)
{
	json_t *list = json_array();

	for (size_t i = 0; i < sizeof MEASURED / sizeof MEASURED[0]; i++)
		add_measured(
			list, MEASURED[i], find(before, MEASURED[i]), find(after, MEASURED[i]));
	add_measured(
		list, "dkim.signatures", signatures_text(ctx, before), signatures_text(ctx, after));
	return list;
}

/* The element of the list that equals the item in these members; NULL when there is none. */
static json_t *find_like(
	const json_t *list, const json_t *item, const char *const *members, size_t count)
{
	json_t *other;
	size_t i;

	json_array_foreach(list, i, other)
	{
		size_t same = 0;

		while (same < count &&
			is_same(find(other, members[same]), find(item, members[same])))
			same++;
		if (same == count)
			return other;
	}
	return NULL;
}

static const char *const DEMAND[] = {"provider", "requirement", "scope"};
enum { DEMAND_MEMBERS = sizeof DEMAND / sizeof DEMAND[0] };

static void add_demand(json_t *list, const json_t *item, json_t *before, json_t *after)
{
	json_t *change;

	if (is_same(before, after))
		return;
	change = change_json(before, after);
	for (size_t i = 0; i < DEMAND_MEMBERS; i++)
		rt_json_set(change, DEMAND[i], or_null(find(item, DEMAND[i])));
	rt_json_append(list, change);
}

static json_t *requirements_json(const json_t *before, const json_t *after)
{
	const json_t *old = find(before, "requirements");
	const json_t *new = find(after, "requirements");
	json_t *list = json_array();
	json_t *item;
	size_t i;

	json_array_foreach(new, i, item)
	{
		json_t *like = find_like(old, item, DEMAND, DEMAND_MEMBERS);

		add_demand(list, item, find(like, "state"), find(item, "state"));
	}
	/* Adds the demands that only `before` has: it was made by another version of eds, which had
	 * these demands. */
	json_array_foreach(old, i, item) if (find_like(new, item, DEMAND, DEMAND_MEMBERS) == NULL)
		add_demand(list, item, find(item, "state"), NULL);
	return list;
}

/* Those items of the advice `one` whose code does not occur in the advice `other`. *common: the
 * number of items of `one` whose code occurs in both. */
static json_t *advice_without(const json_t *one, const json_t *other, size_t *common)
{
	static const char *const code[] = {"code"};
	static const char *const shown[] = {"code", "severity", "message"};
	json_t *list = json_array();
	json_t *item;
	size_t i;

	*common = 0;
	json_array_foreach(one, i, item)
	{
		json_t *advice;

		if (find_like(other, item, code, 1) != NULL) {
			++*common;
			continue;
		}
		advice = json_object();
		for (size_t m = 0; m < sizeof shown / sizeof shown[0]; m++)
			rt_json_set(advice, shown[m], or_null(find(item, shown[m])));
		rt_json_append(list, advice);
	}
	return list;
}

static json_t *advice_json(const json_t *before, const json_t *after)
{
	const json_t *old = find(before, "advice");
	const json_t *new = find(after, "advice");
	json_t *advice = json_object();
	size_t remaining;

	rt_json_set(advice, "resolved", advice_without(old, new, &remaining));
	rt_json_set(advice, "added", advice_without(new, old, &remaining));
	rt_json_set(advice, "remaining", json_integer((json_int_t)remaining));
	return advice;
}

static rt_status parse(struct rt_ctx *ctx, const struct eds_session *session, json_t **result)
{
	if (rt_json_parse(ctx, session->result, strlen(session->result), result) == RT_OK)
		return RT_OK;
	rt_fail_clear(ctx);
	return rt_fail(
		ctx, RT_INTERNAL, "result-invalid", "the stored result of a test cannot be read");
}

rt_status comparison_json(struct rt_ctx *ctx, const struct eds_session *before,
	const struct eds_session *after, json_t **comparison)
{
	const json_t *results[2];
	json_t *old;
	json_t *new;

	RT_TRY(parse(ctx, before, &old));
	RT_TRY(parse(ctx, after, &new));
	results[0] = find(old, "results");
	results[1] = find(new, "results");
	*comparison = json_object();
	rt_json_set(*comparison, "before", side_json(before, old));
	rt_json_set(*comparison, "after", side_json(after, new));
	rt_json_set(*comparison, "scoreChange",
		tester_tenths_json(
			tenths(find(new, "spamScore")) - tenths(find(old, "spamScore"))));
	rt_json_set(*comparison, "rules", rules_json(old, new));
	rt_json_set(*comparison, "measured", measured_json(ctx, results[0], results[1]));
	rt_json_set(*comparison, "requirements", requirements_json(results[0], results[1]));
	rt_json_set(*comparison, "advice", advice_json(results[0], results[1]));
	return RT_OK;
}
