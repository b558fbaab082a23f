#include <string.h>
#include <strings.h>

#include "functions/lib/mail/domain.h"
#include "functions/lib/spf/spf-errors.h"
#include "functions/lib/spf/spf-hazard.h"
#include "functions/tester/advice/advice-spf.h"
#include "functions/tester/advice/advice.h"
#include "runtime/json-format.h"

/* The term for the client's address, such as "ip4:192.0.2.1". */
static const char *address_term(struct rt_ctx *ctx, const struct rt_ip *ip)
{
	char text[RT_IP_TEXT_MAX];

	rt_ip_format(ip, text);
	return rt_printf(ctx, "%s:%s", ip->family == AF_INET6 ? "ip6" : "ip4", text);
}

/* The published record with the client's address added, or, if there is none, a first record. */
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

static json_t *terms_json(struct rt_ctx *ctx, const struct spf_tree *tree, size_t node)
{
	const struct spf_tree_term *terms = &tree->terms[tree->nodes[node].first];
	json_t *array = json_array();

	for (size_t i = 0; i < tree->nodes[node].count; i++) {
		json_t *term = json_object();

		rt_json_set_text(ctx, term, "term", terms[i].text);
		rt_json_set(term, "lookup", json_boolean(terms[i].lookup));
		rt_json_set(term, "reached", json_boolean(terms[i].reached));
		rt_json_set(term, "void", json_boolean(terms[i].nothing));
		rt_json_set(term, "over", json_boolean(terms[i].over));
		rt_json_set(term, "matched", json_boolean(terms[i].matched));
		rt_json_append(array, term);
	}
	return array;
}

/* The number of lookups of this record alone; each included record has a node of its own. */
static json_int_t lookups_of(const struct spf_tree *tree, size_t node)
{
	const struct spf_tree_term *terms = &tree->terms[tree->nodes[node].first];
	json_int_t count = 0;

	for (size_t i = 0; i < tree->nodes[node].count; i++)
		count += terms[i].lookup;
	return count;
}

static json_t *tree_json(struct rt_ctx *ctx, const struct analysis *analysis)
{
	const struct eds_spf_result *spf = &analysis->spf;
	json_t *tree = json_array();

	for (size_t i = 0; i < spf->tree_count; i++) {
		json_t *node = json_object();

		rt_json_set(node, "depth", json_integer(spf->tree[i].depth));
		rt_json_set_text(ctx, node, "via", eds_spf_via_name(spf->tree[i].via));
		rt_json_set_text(ctx, node, "domain", spf->tree[i].domain);
		rt_json_set_text(ctx, node, "record", spf->tree[i].record);
		rt_json_set(node, "lookups", json_integer(lookups_of(&analysis->spf_tree, i)));
		rt_json_set(node, "terms", terms_json(ctx, &analysis->spf_tree, i));
		rt_json_append(tree, node);
	}
	return tree;
}

static json_t *evaluation_json(struct rt_ctx *ctx, const struct analysis *analysis)
{
	const struct eds_spf_result *spf = &analysis->spf;
	json_t *object = json_object();

	rt_json_set_text(ctx, object, "record", spf->record);
	rt_json_set_text(ctx, object, "matched", spf->mechanism);
	rt_json_set_text(ctx, object, "explanation", spf->explanation);
	rt_json_set(object, "lookups", json_integer(spf->terms));
	rt_json_set(object, "lookupsMax", json_integer(EDS_SPF_TERMS_MAX));
	rt_json_set(object, "voidLookups", json_integer(spf->void_lookups));
	rt_json_set(object, "tree", tree_json(ctx, analysis));
	return object;
}

/* True if the message was probably forwarded, which breaks SPF: it has a field that forwarders add,
 * or a DKIM signature that is still valid. */
static bool is_passed_on(const struct analysis *analysis)
{
	if (analysis->headers.passed_on != NULL)
		return true;
	for (size_t i = 0; i < analysis->dkim.count; i++)
		if (analysis->dkim.signatures[i].state == EDS_DKIM_VALID)
			return true;
	return false;
}

/* The part of the sentence that says what the record allows, such as "says that 192.0.2.1 must
 * not". */
static const char *what_it_says(struct advice_list *list, const struct analysis *analysis)
{
	char ip[RT_IP_TEXT_MAX];

	rt_ip_format(&analysis->client.ip, ip);
	switch (analysis->spf.code) {
	case EDS_SPF_FAIL:
		return rt_printf(list->ctx, "says that %s must not", ip);
	case EDS_SPF_SOFTFAIL:
		return rt_printf(list->ctx, "says that %s probably must not", ip);
	default:
		return rt_printf(list->ctx, "does not say whether %s may", ip);
	}
}

/* Advises on a server that the record does not authorize. A forwarder does not belong in the
 * record: its other users could then send as the author. */
static void advise_not_authorised(struct advice_list *list, const struct analysis *analysis,
	enum tester_rule rule, const char *code)
{
	const char *says = what_it_says(list, analysis);
	struct advice *item;

	if (is_passed_on(analysis)) {
		advice_add(list, ADVICE_ACTION, rule, code,
			"The SPF record of %s %s send its mail. If this server forwards the mail "
			"or is a mailing list, leave the record as it is: SPF fails "
			"after forwarding, but a DKIM signature stays valid. If the server is your "
			"own, add %s to the record.",
			analysis->spf.domain, says, address_term(list->ctx, &analysis->client.ip));
		return;
	}
	item = advice_add(list, ADVICE_ACTION, rule, code,
		"The SPF record of %s %s send its mail. If this server is yours, publish the "
		"record with its address; if it forwards somebody else's mail, let it use an "
		"envelope sender of its own.",
		analysis->spf.domain, says);
	item->record = record_with_client(list, analysis);
}

static void advise_error(struct advice_list *list, const struct analysis *analysis,
	enum tester_rule rule, const char *code, const char *meaning)
{
	const struct eds_spf_result *spf = &analysis->spf;

	advice_add(list, ADVICE_ACTION, rule, code, "%s%s%s%s", meaning,
		spf->reason[0] != '\0' ? " The reason: " : "", spf->reason,
		eds_spf_way_out(spf->reason_code));
}

static void advise_none(struct advice_list *list, const struct analysis *analysis)
{
	const char *domain = analysis->spf.domain;
	struct advice *item;

	if (!analysis->client.is_public)
		return;
	/* Nothing can be published for an address literal or an invented HELO. */
	if (eds_domain_normalize(list->ctx, domain, strlen(domain)) == NULL)
		return;
	if (analysis->mx.no_domain && strcasecmp(analysis->mx.domain, domain) == 0)
		return; /* the advice on MX says that the domain does not exist */
	if (analysis->spf_misspelt != NULL) {
		advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "spf-version",
			"Receivers ignore the SPF record of %s, because it does not begin with "
			"v=spf1 and a space. Let the record begin with exactly these "
			"characters. The record is: %.300s",
			domain, analysis->spf_misspelt);
		return;
	}
	if (is_passed_on(analysis)) {
		advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "spf-missing",
			"%s publishes no SPF record. Publish one that names the servers which send "
			"its mail; a server that only forwards it does not belong in the record.",
			domain);
		return;
	}
	item = advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "spf-missing",
		"%s publishes no SPF record. If only this server sends its mail, publish the "
		"record given here; otherwise add each other server to the record.",
		domain);
	item->record = record_with_client(list, analysis);
}

static void note_grave(void *arg, const struct eds_spf_hazard *hazard)
{
	bool *grave = arg;

	*grave = *grave || hazard->grave;
}

/* Advises on a pass. A record that lets other people's servers pass, or that has another fault,
 * gets no ADVICE_GOOD. */
static void advise_pass(struct advice_list *list, const struct analysis *analysis)
{
	const struct eds_spf_result *spf = &analysis->spf;
	bool grave = false;
	bool any = eds_spf_hazards(list->ctx, spf->tree, spf->tree_count, note_grave, &grave);

	if (grave)
		advice_add(list, ADVICE_NOTE, SPF_PASS, "spf-pass",
			"SPF passes for %s, but its record lets servers pass that are not its own.",
			spf->domain);
	else
		advice_add(list, any ? ADVICE_NOTE : ADVICE_GOOD, SPF_PASS, "spf-pass",
			"SPF authorizes this server for %s%s.", spf->domain,
			any ? "; its record can be improved" : "");
}

static void advise_result(struct advice_list *list, const struct analysis *analysis)
{
	switch (analysis->spf.code) {
	case EDS_SPF_PASS:
		advise_pass(list, analysis);
		break;
	case EDS_SPF_FAIL:
		advise_not_authorised(list, analysis, SPF_FAIL, "spf-fail");
		break;
	case EDS_SPF_SOFTFAIL:
		advise_not_authorised(list, analysis, SPF_SOFTFAIL, "spf-softfail");
		break;
	case EDS_SPF_NEUTRAL:
		advise_not_authorised(list, analysis, TESTER_NO_RULE, "spf-neutral");
		break;
	case EDS_SPF_PERMERROR:
		advise_error(list, analysis, SPF_PERMERROR, "spf-permerror",
			"The SPF record cannot be evaluated until it is corrected.");
		break;
	case EDS_SPF_TEMPERROR:
		advise_error(list, analysis, SPF_TEMPERROR, "spf-temperror",
			"SPF could not be evaluated because of a temporary failure; analyze the "
			"message again later.");
		break;
	case EDS_SPF_NONE:
		advise_none(list, analysis);
		break;
	}
}

static void advise_hazard(void *arg, const struct eds_spf_hazard *hazard)
{
	advice_add(arg, hazard->grave ? ADVICE_ACTION : ADVICE_NOTE, TESTER_NO_RULE, hazard->code,
		"The SPF record of %s %s%.200s. %s", hazard->domain, hazard->where, hazard->term,
		hazard->advice);
}

void advice_spf(struct advice_list *list, const struct analysis *analysis)
{
	const struct eds_spf_result *spf = &analysis->spf;
	struct advice *item;

	advise_result(list, analysis);
	eds_spf_hazards(list->ctx, spf->tree, spf->tree_count, advise_hazard, list);
	if (spf->record[0] == '\0')
		return;
	item = advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "spf-evaluation",
		"SPF for %s was decided after %u of the %d lookups allowed. The part after the "
		"term that decided was not looked up; a check of the domain counts the lookups of "
		"the whole record.",
		spf->domain, spf->terms, EDS_SPF_TERMS_MAX);
	item->evidence = evaluation_json(list->ctx, analysis);
}
