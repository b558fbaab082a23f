#include "functions/tester/report/report-parts.h"
#include "functions/lib/dmarc/evaluate.h"
#include "functions/tester/requirements/requirements.h"
#include "runtime/json-format.h"

#include <string.h>

enum {
	TLS_TEXT_MAX = 100,
	/* maximum number of octets shown of a record, equal to EDS_DMARC_RECORD_MAX */
	RECORD_TEXT_MAX = 4096,
};

static void set_or_null(struct rt_ctx *ctx, json_t *object, const char *key, const char *text)
{
	rt_json_set_text(ctx, object, key, text != NULL && text[0] != '\0' ? text : NULL);
}

static json_t *identifier_json(struct rt_ctx *ctx, const struct analysis *analysis,
	const struct eds_dmarc_identifier *one, const char *result)
{
	static const char *const names[] = {"unaligned", "undecided", "aligned"};
	json_t *object = json_object();

	set_or_null(ctx, object, "domain", one->domain);
	rt_json_set_text(ctx, object, "fromDomain",
		analysis->from.state == EDS_FROM_ONE ? analysis->from.domains[0] : NULL);
	rt_json_set_text(ctx, object, "mode", one->strict ? "strict" : "relaxed");
	rt_json_set_text(ctx, object, "names",
		one->domain[0] != '\0' ? names[one->names] : names[EDS_DMARC_UNALIGNED]);
	rt_json_set_text(ctx, object, "result", result);
	rt_json_set(
		object, "aligned", json_boolean(one->passed && one->names == EDS_DMARC_ALIGNED));
	return object;
}

static const char *dkim_word(const struct eds_dkim_result *dkim, bool passed)
{
	if (passed)
		return "pass";
	if (dkim->failure[0] != '\0')
		return "temperror";
	return dkim->total == 0 ? "none" : "fail";
}

static json_t *alignment_json(struct rt_ctx *ctx, const struct analysis *analysis)
{
	const struct eds_dmarc_result *dmarc = &analysis->dmarc;
	json_t *object = json_object();

	rt_json_set(object, "spf",
		identifier_json(ctx, analysis, &dmarc->spf, eds_spf_code_name(analysis->spf.code)));
	rt_json_set(object, "dkim",
		identifier_json(ctx, analysis, &dmarc->dkim,
			dkim_word(&analysis->dkim, dmarc->dkim.passed)));
	return object;
}

json_t *report_dmarc_json(struct rt_ctx *ctx, const struct analysis *analysis)
{
	const struct eds_dmarc_result *dmarc = &analysis->dmarc;
	json_t *object = json_object();

	rt_json_set_text(ctx, object, "result", eds_dmarc_code_name(dmarc->code));
	rt_json_set_text(
		ctx, object, "state", dmarc->code == EDS_DMARC_TEMPERROR ? "undecided" : "decided");
	rt_json_set_text(ctx, object, "policy",
		dmarc->has_record ? eds_dmarc_policy_name(dmarc->policy) : NULL);
	set_or_null(ctx, object, "record",
		strlen(dmarc->record) <= RECORD_TEXT_MAX ? dmarc->record : NULL);
	set_or_null(ctx, object, "recordDomain", dmarc->record_domain);
	set_or_null(ctx, object, "organizationalDomain", dmarc->org_domain);
	set_or_null(ctx, object, "tag", eds_dmarc_tag_name(dmarc->applied));
	rt_json_set_text(ctx, object, "publishedPolicy",
		dmarc->has_record ? eds_dmarc_policy_name(dmarc->published) : NULL);
	rt_json_set(object, "testing", json_boolean(dmarc->tags.testing));
	rt_json_set(object, "percent",
		dmarc->tags.percent >= 0 ? json_integer(dmarc->tags.percent) : json_null());
	rt_json_set(object, "fromDomainExists", dmarc->no_such_domain ? json_false() : json_null());
	rt_json_set(object, "alignment", alignment_json(ctx, analysis));
	return object;
}

/* client->tls is "TLSv1.3 TLS_AES_256_GCM_SHA384", or only "TLS" when the receiver did not record
 * more. */
json_t *report_tls_json(struct rt_ctx *ctx, const struct eds_client *client)
{
	static const char *const states[] = {"unknown", "none", "used"};
	const char *space = strchr(client->tls, ' ');
	size_t version = space != NULL ? (size_t)(space - client->tls) : 0;
	json_t *object = json_object();

	rt_json_set_text(ctx, object, "state", states[client->tls_use]);
	set_or_null(ctx, object, "version",
		rt_memdup(ctx, client->tls, version < TLS_TEXT_MAX ? version : TLS_TEXT_MAX));
	set_or_null(ctx, object, "cipher",
		space != NULL ? rt_printf(ctx, "%.*s", TLS_TEXT_MAX, space + 1) : NULL);
	return object;
}

static json_t *names_json(
	struct rt_ctx *ctx, const struct eds_form_names *one, const struct eds_form_names *other)
{
	json_t *array = json_array();

	for (size_t i = 0; i < one->count; i++)
		rt_json_append(array, rt_json_text(ctx, one->items[i]));
	for (size_t i = 0; other != NULL && i < other->count; i++)
		rt_json_append(array, rt_json_text(ctx, other->items[i]));
	return array;
}

json_t *report_form_json(struct rt_ctx *ctx, const struct analysis *analysis)
{
	const struct eds_form *form = &analysis->form;
	json_t *object = json_object();

	rt_json_set(object, "doubled", names_json(ctx, &form->doubled, &form->doubled_other));
	rt_json_set(object, "eightBit", names_json(ctx, &form->eight_bit, NULL));
	rt_json_set(object, "fromMailboxes", json_integer((json_int_t)analysis->from.mailboxes));
	rt_json_set(object, "longLines", json_integer((json_int_t)form->long_lines));
	rt_json_set(object, "longestLine", json_integer((json_int_t)form->longest_line));
	rt_json_set(object, "bareCr", json_boolean(form->bare_cr));
	rt_json_set(object, "bareLf", json_boolean(form->bare_lf));
	rt_json_set(object, "hasRecipient", json_boolean(form->has_recipient));
	rt_json_set(object, "whole", json_boolean(form->whole));
	return object;
}

static json_t *uris_json(struct rt_ctx *ctx, const struct unsubscribe_result *unsubscribe)
{
	json_t *array = json_array();

	for (size_t i = 0; i < unsubscribe->uri_count; i++)
		rt_json_append(array,
			rt_json_text(ctx,
				rt_printf(ctx, "%.*s", UNSUBSCRIBE_URI_BYTES_MAX,
					unsubscribe->uris[i])));
	return array;
}

json_t *report_unsubscribe_json(struct rt_ctx *ctx, const struct unsubscribe_result *unsubscribe)
{
	json_t *object = json_object();
	json_t *parts = json_array();

	for (int i = 0; i < UNSUBSCRIBE_PARTS; i++) {
		json_t *part = json_object();

		rt_json_set_text(
			ctx, part, "part", unsubscribe_part_name((enum unsubscribe_part)i));
		rt_json_set_text(
			ctx, part, "state", demand_state_name(unsubscribe->parts[i].state));
		rt_json_set_text(ctx, part, "evidence", unsubscribe->parts[i].evidence);
		rt_json_append(parts, part);
	}
	rt_json_set_text(ctx, object, "state", demand_state_name(unsubscribe->whole.state));
	rt_json_set(object, "parts", parts);
	rt_json_set(object, "uris", uris_json(ctx, unsubscribe));
	return object;
}
