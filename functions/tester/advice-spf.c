#include <string.h>
#include <strings.h>

#include "functions/tester/advice.h"

/* "ip4:192.0.2.1" for the client. */
static const char *address_term(struct rt_ctx *ctx, const struct rt_ip *ip)
{
	char text[RT_IP_TEXT_MAX];

	rt_ip_format(ip, text);
	return rt_printf(ctx, "%s:%s", ip->family == AF_INET6 ? "ip6" : "ip4", text);
}

/* The published record with the client's address allowed, or a first record. */
static struct advice_record record_with_client(
	struct advice_list *list, const struct analysis *analysis)
{
	static const char version[] = "v=spf1";
	const char *record = analysis->spf.record;
	const char *term = address_term(list->ctx, &analysis->client.ip);
	const char *rest = " ~all";

	if (strncasecmp(record, version, sizeof version - 1) == 0)
		rest = record + sizeof version - 1;
	return (struct advice_record){
		.name = analysis->spf.domain,
		.type = "TXT",
		.value = rt_printf(list->ctx, "%s %s%s", version, term, rest),
	};
}

static json_t *tree_json(struct rt_ctx *ctx, const struct eds_spf_result *spf)
{
	json_t *tree = json_array();

	for (size_t i = 0; i < spf->tree_count; i++) {
		json_t *node = json_object();

		rt_json_set(node, "depth", json_integer(spf->tree[i].depth));
		rt_json_set_text(ctx, node, "via", spf->tree[i].via);
		rt_json_set_text(ctx, node, "domain", spf->tree[i].domain);
		rt_json_set_text(ctx, node, "record", spf->tree[i].record);
		rt_json_append(tree, node);
	}
	return tree;
}

static json_t *evaluation_json(struct rt_ctx *ctx, const struct eds_spf_result *spf)
{
	json_t *object = json_object();

	rt_json_set_text(ctx, object, "record", spf->record);
	rt_json_set_text(ctx, object, "matched", spf->mechanism);
	rt_json_set_text(ctx, object, "explanation", spf->explanation);
	rt_json_set(object, "lookups", json_integer(spf->terms));
	rt_json_set(object, "lookupsMax", json_integer(EDS_SPF_TERMS_MAX));
	rt_json_set(object, "voidLookups", json_integer(spf->void_lookups));
	rt_json_set(object, "tree", tree_json(ctx, spf));
	return object;
}

static void advise_not_authorised(struct advice_list *list, const struct analysis *analysis,
	enum tester_rule rule, const char *code, const char *strength)
{
	char ip[RT_IP_TEXT_MAX];
	struct advice *item;

	rt_ip_format(&analysis->client.ip, ip);
	item = advice_add(list, ADVICE_ACTION, rule, code,
		"The SPF record of %s says that %s %s send its mail. If this server may, add it "
		"to the record; if it forwards somebody else's mail, let it use an envelope "
		"sender of its own.",
		analysis->spf.domain, ip, strength);
	item->record = record_with_client(list, analysis);
}

static void advise_error(struct advice_list *list, const struct analysis *analysis,
	enum tester_rule rule, const char *code, const char *meaning)
{
	const char *reason = analysis->spf.reason;

	advice_add(list, ADVICE_ACTION, rule, code, "%s%s%s", meaning,
		reason[0] != '\0' ? " The reason: " : "", reason);
}

static void advise_none(struct advice_list *list, const struct analysis *analysis)
{
	const char *domain = analysis->spf.domain;
	struct advice *item;

	if (!analysis->client.is_public)
		return;
	/* An address literal or an invented HELO is no name to publish anything at. */
	if (eds_domain_normalize(list->ctx, domain, strlen(domain)) == NULL)
		return;
	item = advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "spf-missing",
		"%s publishes no SPF record. Publish one that names the servers which send its "
		"mail.",
		domain);
	item->record = record_with_client(list, analysis);
}

static void advise_result(struct advice_list *list, const struct analysis *analysis)
{
	switch (analysis->spf.code) {
	case EDS_SPF_PASS:
		advice_add(list, ADVICE_GOOD, SPF_PASS, "spf-pass",
			"SPF authorises this server for %s.", analysis->spf.domain);
		break;
	case EDS_SPF_FAIL:
		advise_not_authorised(list, analysis, SPF_FAIL, "spf-fail", "must not");
		break;
	case EDS_SPF_SOFTFAIL:
		advise_not_authorised(
			list, analysis, SPF_SOFTFAIL, "spf-softfail", "probably must not");
		break;
	case EDS_SPF_NEUTRAL:
		advise_not_authorised(list, analysis, TESTER_NO_RULE, "spf-neutral",
			"is not said to be allowed to");
		break;
	case EDS_SPF_PERMERROR:
		advise_error(list, analysis, SPF_PERMERROR, "spf-permerror",
			"The SPF record cannot be evaluated until it is corrected.");
		break;
	case EDS_SPF_TEMPERROR:
		advise_error(list, analysis, SPF_TEMPERROR, "spf-temperror",
			"SPF could not be evaluated for now; analyse the message again later.");
		break;
	case EDS_SPF_NONE:
		advise_none(list, analysis);
		break;
	}
}

void advice_spf(struct advice_list *list, const struct analysis *analysis)
{
	const struct eds_spf_result *spf = &analysis->spf;
	struct advice *item;

	advise_result(list, analysis);
	if (spf->record[0] == '\0')
		return;
	item = advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "spf-evaluation",
		"SPF for %s needed %u of the %d lookups allowed and read %zu record%s.",
		spf->domain, spf->terms, EDS_SPF_TERMS_MAX, spf->tree_count,
		spf->tree_count == 1 ? "" : "s");
	item->evidence = evaluation_json(list->ctx, spf);
}
