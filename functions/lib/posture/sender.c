#include <string.h>
#include <strings.h>

#include "functions/lib/dns/name.h"
#include "functions/lib/posture/item.h"
#include "functions/lib/posture/sender.h"
#include "functions/lib/spf/spf-edit.h"
#include "functions/lib/spf/spf-errors.h"
#include "functions/lib/spf/spf-hazard.h"
#include "functions/lib/spf/spf-record.h"
#include "functions/lib/spf/spf-walk.h"
#include "runtime/json-format.h"

struct spf_look {
	struct eds_look *look;
	const struct eds_dns_answer *answer; /* the answer for TXT at the domain */
	struct eds_spf_walk walk;
};

/* Suggests a record with this value at the domain, in place of the published one. */
static void put_record(
	const struct spf_look *spf, struct eds_posture_finding *finding, const char *value)
{
	if (value != NULL)
		finding->record = (struct eds_posture_record){.name = spf->look->domain,
			.type = "TXT",
			.value = value,
			.old = spf->look->item->record};
}

static void show_records(struct spf_look *spf)
{
	for (size_t i = 0; i < spf->answer->count; i++) {
		const struct eds_dns_record *txt = &spf->answer->records[i];

		if (txt->txt_length >= 6 && strncasecmp(txt->txt, "v=spf1", 6) == 0 &&
			(txt->txt_length == 6 || txt->txt[6] == ' '))
			eds_look_show(spf->look, txt->txt, txt->txt_length);
	}
}

static void say_none(struct spf_look *spf)
{
	const char *misspelt = eds_spf_misspelt(spf->look->ctx, spf->answer);

	if (misspelt != NULL)
		eds_look_find(spf->look, EDS_POSTURE_ERROR, "spf-version",
			"Let the record begin with v=spf1 and a space, and nothing before it.",
			"Receivers ignore the SPF record of %s, because it does not begin with "
			"v=spf1 and a space. It is: %.300s",
			spf->look->domain, misspelt);
	else
		eds_look_find(spf->look, EDS_POSTURE_ERROR, "spf-missing",
			"Publish an SPF record that names the servers which send the domain's "
			"mail. If the servers that receive its mail also send it, publish v=spf1 "
			"mx ~all. If the domain sends no mail, publish v=spf1 -all.",
			"%s publishes no SPF record, so receivers cannot tell its servers from others.",
			spf->look->domain);
}

static void say_error(struct spf_look *spf)
{
	const char *code = spf->walk.error;
	const char *way = eds_spf_way_out(code);
	struct eds_posture_finding *finding;

	if (strcmp(code, "no-record") == 0) {
		say_none(spf);
		return;
	}
	finding = eds_look_find(spf->look, EDS_POSTURE_ERROR,
		rt_printf(spf->look->ctx, "spf-%s", code),
		way[0] == ' ' ? way + 1 : "Correct the record; until then it has no effect.", "%s",
		spf->walk.reason);
	if (strcmp(code, "several-records") == 0 && spf->walk.tree_count == 1)
		put_record(spf, finding, eds_spf_records_join(spf->look->ctx, spf->answer));
}

static void say_lookups(struct spf_look *spf)
{
	if (spf->walk.lookups > EDS_SPF_TERMS_MAX)
		eds_look_find(spf->look, EDS_POSTURE_ERROR, "spf-too-many-lookups",
			eds_spf_way_out("too-many-lookups") + 1,
			"The record needs %s%u DNS lookups; receivers allow %d (RFC 7208 section "
			"4.6.4), so mail from the servers in its last terms fails.",
			spf->walk.cut ? "more than " : "", spf->walk.lookups, EDS_SPF_TERMS_MAX);
}

/* True when the name that the term asks for lies in the domain, so that nobody else can publish
 * it. */
static bool names_own(const struct spf_look *spf, const struct eds_spf_void *nothing)
{
	const char *target = strchr(nothing->term, ':');

	if (target == NULL)
		return true;
	target++;
	return eds_dns_name_covers(
		spf->look->domain, rt_memdup(spf->look->ctx, target, strcspn(target, "/")));
}

static const char *void_advice(const struct spf_look *spf, const struct eds_spf_void *nothing)
{
	if (!eds_dns_name_covers(spf->look->domain, nothing->domain))
		return "Ask the service that publishes the record to remove the term. If the "
		       "service no longer sends for you, remove the term of your own record that "
		       "leads to its record.";
	if (names_own(spf, nothing))
		return "Remove the term: it names none of your servers, and receivers give up "
		       "after two such terms.";
	return "Remove the term; anybody who obtains the name can send mail as you.";
}

static void say_voids(struct spf_look *spf)
{
	bool many = spf->walk.void_count > EDS_SPF_VOID_MAX;

	for (size_t i = 0; i < spf->walk.void_count; i++)
		eds_look_find(spf->look, EDS_POSTURE_WARNING, "spf-void-lookup",
			void_advice(spf, &spf->walk.voids[i]),
			"The term %.200s in the record of %s names something that DNS does not "
			"have.",
			spf->walk.voids[i].term, spf->walk.voids[i].domain);
	if (many)
		eds_look_find(spf->look, EDS_POSTURE_ERROR, "spf-too-many-void-lookups",
			eds_spf_way_out("too-many-void-lookups") + 1,
			"%s%zu terms name something that DNS does not have; receivers allow %d "
			"such terms (RFC 7208 section 4.6.4).",
			spf->walk.void_count == EDS_SPF_WALK_VOIDS_MAX ? "At least " : "",
			spf->walk.void_count, EDS_SPF_VOID_MAX);
}

/* True when the record names servers. A record like "v=spf1 ?all" names none: with ~all at its end,
 * all mail of the domain would fail.
 */
static bool names_servers(const struct spf_look *spf)
{
	const struct eds_dns_record *found;
	struct eds_spf_record record;

	return eds_spf_choose(spf->answer, &found) == EDS_SPF_CHOICE_ONE &&
		eds_spf_record_parse(spf->look->ctx, found->txt, found->txt_length, &record) &&
		record.count > 0 && record.terms[0].kind != EDS_SPF_ALL;
}

static void say_hazard(void *arg, const struct eds_spf_hazard *hazard)
{
	const struct spf_look *spf = arg;
	bool all = strcmp(hazard->code, "spf-allows-all") == 0;
	struct eds_posture_finding *finding = eds_look_find(spf->look,
		all ? EDS_POSTURE_ERROR : EDS_POSTURE_WARNING, hazard->code, hazard->advice,
		"The SPF record of %s %s%.200s.", hazard->domain, hazard->where, hazard->term);

	if ((strcmp(hazard->code, "spf-no-all") == 0 ||
		    strcmp(hazard->code, "spf-neutral-all") == 0) &&
		strcmp(hazard->domain, spf->look->domain) == 0 && names_servers(spf))
		put_record(
			spf, finding, eds_spf_record_end(spf->look->ctx, spf->walk.tree[0].record));
}

static json_t *details(const struct spf_look *spf)
{
	struct rt_ctx *ctx = spf->look->ctx;
	json_t *json = json_object();
	json_t *tree = json_array();

	for (size_t i = 0; i < spf->walk.tree_count; i++) {
		json_t *node = json_object();

		rt_json_set(node, "depth", json_integer(spf->walk.tree[i].depth));
		rt_json_set_text(ctx, node, "via", eds_spf_via_name(spf->walk.tree[i].via));
		rt_json_set_text(ctx, node, "domain", spf->walk.tree[i].domain);
		rt_json_set_text(ctx, node, "record", spf->walk.tree[i].record);
		rt_json_append(tree, node);
	}
	rt_json_set(json, "lookups", json_integer(spf->walk.lookups));
	rt_json_set(json, "lookupsMax", json_integer(EDS_SPF_TERMS_MAX));
	rt_json_set(json, "voidLookups", json_integer((json_int_t)spf->walk.void_count));
	rt_json_set(json, "tree", tree);
	return json;
}

void eds_look_spf(struct eds_look *look)
{
	struct spf_look *spf = rt_alloc(look->ctx, sizeof *spf);

	spf->look = look;
	spf->answer = eds_dns_get(look->dns, look->domain, EDS_DNS_TXT);
	eds_spf_walk(look->ctx, look->dns, look->domain, &spf->walk);
	show_records(spf);
	if (spf->walk.failed != NULL)
		eds_look_unanswered(look, "spf-temporary", spf->walk.failed);
	if (spf->walk.error[0] != '\0')
		say_error(spf);
	say_lookups(spf);
	say_voids(spf);
	eds_spf_hazards(look->ctx, spf->walk.tree, spf->walk.tree_count, say_hazard, spf);
	look->item->details = details(spf);
}
