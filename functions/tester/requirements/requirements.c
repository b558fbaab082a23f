/* The table of the providers' demands, and the judged demands as JSON. requirements-judge.c judges
 * them. */
#include "functions/tester/requirements/requirements.h"
#include "runtime/json-format.h"

#include <string.h>

static const char *const provider_names[PROVIDERS] = {"gmail", "yahoo", "microsoft"};
static const char *const provider_titles[PROVIDERS] = {"Gmail", "Yahoo", "Microsoft"};

static const struct {
	const char *name;
	enum requirement_scope scopes[PROVIDERS];
} table[REQUIREMENTS] = {
	[REQUIRE_SPF_OR_DKIM] = {"spf-or-dkim", {SCOPE_EVERYONE, SCOPE_EVERYONE, SCOPE_NONE}},
	[REQUIRE_PTR] = {"ptr", {SCOPE_EVERYONE, SCOPE_EVERYONE, SCOPE_ADVISED}},
	[REQUIRE_TLS] = {"tls", {SCOPE_EVERYONE, SCOPE_ADVISED, SCOPE_ADVISED}},
	[REQUIRE_FORM] = {"message-form", {SCOPE_EVERYONE, SCOPE_EVERYONE, SCOPE_ADVISED}},
	[REQUIRE_DKIM_KEY] = {"dkim-key", {SCOPE_EVERYONE, SCOPE_EVERYONE, SCOPE_EVERYONE}},
	[REQUIRE_SPF_AND_DKIM] = {"spf-and-dkim", {SCOPE_BULK, SCOPE_BULK, SCOPE_BULK}},
	[REQUIRE_DMARC_RECORD] = {"dmarc-record", {SCOPE_BULK, SCOPE_BULK, SCOPE_BULK}},
	[REQUIRE_ALIGNMENT] = {"from-aligned", {SCOPE_BULK, SCOPE_BULK, SCOPE_BULK}},
	[REQUIRE_UNSUBSCRIBE] = {"one-click-unsubscribe", {SCOPE_BULK, SCOPE_BULK, SCOPE_BULK}},
};

enum requirement_scope requirement_scope(enum requirement requirement, enum provider provider)
{
	return table[requirement].scopes[provider];
}

const char *requirement_name(enum requirement requirement)
{
	return table[requirement].name;
}

const char *requirement_refusers(enum requirement requirement)
{
	const enum requirement_scope *scopes = table[requirement].scopes;

	if (scopes[PROVIDER_GMAIL] == SCOPE_EVERYONE && scopes[PROVIDER_YAHOO] == SCOPE_EVERYONE)
		return "Gmail and Yahoo";
	return provider_titles[PROVIDER_GMAIL];
}

const char *demand_state_name(enum demand_state state)
{
	static const char *const names[] = {"met", "missed", "undecided", "not-applicable"};

	return names[state];
}

/* The demand as it is shown. If the provider only advises it, the state is not-applicable and the
 * evidence says so, since the provider refuses no mail for lack of it. */
static struct demand shown(struct rt_ctx *ctx, const struct demand *demand,
	enum requirement_scope scope, enum provider provider)
{
	if (scope != SCOPE_ADVISED)
		return *demand;
	return (struct demand){.state = DEMAND_NOT_APPLICABLE,
		.evidence = rt_printf(ctx,
			"%s recommends this, but does not refuse mail without it. %s",
			provider_titles[provider], demand->evidence)};
}

static json_t *item_json(struct rt_ctx *ctx, enum requirement requirement, enum provider provider,
	const struct demand *judged)
{
	enum requirement_scope scope = table[requirement].scopes[provider];
	struct demand demand = shown(ctx, judged, scope, provider);
	json_t *item = json_object();

	rt_json_set_text(ctx, item, "provider", provider_names[provider]);
	rt_json_set_text(ctx, item, "requirement", table[requirement].name);
	rt_json_set_text(ctx, item, "scope", scope == SCOPE_BULK ? "bulk" : "everyone");
	rt_json_set_text(ctx, item, "state", demand_state_name(demand.state));
	rt_json_set_text(ctx, item, "evidence", demand.evidence);
	rt_json_set_text(ctx, item, "advice", demand.advice);
	return item;
}

json_t *requirements_json(struct rt_ctx *ctx, const struct requirements *requirements)
{
	json_t *array = json_array();

	for (int i = 0; i < REQUIREMENTS; i++)
		for (int k = 0; k < PROVIDERS; k++)
			if (table[i].scopes[k] != SCOPE_NONE)
				rt_json_append(array,
					item_json(ctx, (enum requirement)i, (enum provider)k,
						&requirements->demands[i][k]));
	return array;
}
