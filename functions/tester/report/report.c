#include "functions/tester/report/report.h"
#include "functions/tester/report/second-opinion-read.h"
#include "runtime/json-format.h"
#include "runtime/time.h"

#include <string.h>

#include "functions/tester/advice/advice.h"
#include "functions/tester/report/report-parts.h"
#include "functions/tester/report/report-shape.h"

enum { TEXT_MAX = 1000 }; /* maximum number of octets shown of a field of the message */

/* Sets the member to the text, or to null for an empty text. */
static void set_or_null(struct rt_ctx *ctx, json_t *object, const char *key, const char *text)
{
	rt_json_set_text(ctx, object, key, text != NULL && text[0] != '\0' ? text : NULL);
}

static void set_cut(struct rt_ctx *ctx, json_t *object, const char *key, const char *text)
{
	if (text != NULL && strlen(text) > TEXT_MAX)
		text = rt_memdup(ctx, text, TEXT_MAX);
	set_or_null(ctx, object, key, text);
}

static json_t *spf_json(struct rt_ctx *ctx, const struct eds_spf_result *spf)
{
	json_t *object = json_object();

	bool unknown = spf->unjudged || spf->code == EDS_SPF_TEMPERROR;

	rt_json_set_text(ctx, object, "result", eds_spf_code_name(spf->code));
	rt_json_set_text(ctx, object, "state", unknown ? "unknown" : "known");
	set_or_null(ctx, object, "domain", spf->domain);
	return object;
}

static json_t *signature_json(struct rt_ctx *ctx, const struct eds_dkim_signature *signature)
{
	json_t *object = json_object();

	set_or_null(ctx, object, "domain", signature->domain);
	set_or_null(ctx, object, "selector", signature->selector);
	set_or_null(ctx, object, "algorithm", signature->algorithm);
	set_or_null(ctx, object, "canonicalization", signature->canonicalization);
	rt_json_set_text(ctx, object, "bodyHash", eds_dkim_hash_name(signature->body_hash));
	rt_json_set_text(ctx, object, "headerHash", eds_dkim_hash_name(signature->header_hash));
	rt_json_set_text(ctx, object, "key", eds_key_state_name(signature->key_state));
	rt_json_set(object, "valid", json_boolean(signature->state == EDS_DKIM_VALID));
	rt_json_set_text(ctx, object, "state", eds_dkim_state_name(signature->state));
	rt_json_set(object, "errors", eds_findings_json(ctx, &signature->errors));
	return object;
}

/* The state of all signatures together; one valid signature makes it valid. */
enum dkim_whole { DKIM_WHOLE_NONE, DKIM_WHOLE_UNKNOWN, DKIM_WHOLE_INVALID, DKIM_WHOLE_VALID };

static enum dkim_whole dkim_whole(const struct eds_dkim_result *dkim)
{
	bool unknown = dkim->failure[0] != '\0' || dkim->total > dkim->count;
	bool invalid = false;

	for (size_t i = 0; i < dkim->count; i++) {
		enum eds_dkim_state state = dkim->signatures[i].state;

		if (state == EDS_DKIM_VALID)
			return DKIM_WHOLE_VALID;
		unknown |= state == EDS_DKIM_TEMPORARY || state == EDS_DKIM_UNCHECKED;
		invalid |= state == EDS_DKIM_INVALID || state == EDS_DKIM_TESTING;
	}
	if (invalid)
		return DKIM_WHOLE_INVALID;
	return unknown ? DKIM_WHOLE_UNKNOWN : DKIM_WHOLE_NONE;
}

static json_t *dkim_json(struct rt_ctx *ctx, const struct eds_dkim_result *dkim)
{
	static const char *const names[] = {
		[DKIM_WHOLE_NONE] = "none",
		[DKIM_WHOLE_UNKNOWN] = "unknown",
		[DKIM_WHOLE_INVALID] = "invalid",
		[DKIM_WHOLE_VALID] = "valid",
	};
	json_t *object = json_object();
	json_t *signatures = json_array();
	enum dkim_whole whole = dkim_whole(dkim);

	for (size_t i = 0; i < dkim->count; i++)
		rt_json_append(signatures, signature_json(ctx, &dkim->signatures[i]));
	rt_json_set(object, "valid", json_boolean(whole == DKIM_WHOLE_VALID));
	rt_json_set_text(ctx, object, "state", names[whole]);
	rt_json_set(object, "signatures", signatures);
	return object;
}

static json_t *ptr_json(struct rt_ctx *ctx, const struct ptr_result *ptr)
{
	json_t *object = json_object();

	rt_json_set(object, "valid", json_boolean(ptr->state == PTR_STATE_VALID));
	rt_json_set_text(ctx, object, "state", ptr_state_name(ptr->state));
	set_or_null(ctx, object, "record", ptr->record);
	return object;
}

static json_t *list_json(struct rt_ctx *ctx, const struct eds_dnsbl_result *list)
{
	static const char *const states[] = {"clean", "listed", "unknown"};
	json_t *object = json_object();
	json_t *codes = json_array();

	for (size_t i = 0; i < list->code_count; i++)
		rt_json_append(codes, rt_json_text(ctx, list->codes[i]));
	rt_json_set_text(ctx, object, "list", list->label);
	rt_json_set_text(ctx, object, "state", states[list->state]);
	rt_json_set(object, "codes", codes);
	rt_json_set_text(ctx, object, "reason", list->reason);
	rt_json_set_text(ctx, object, "operator", list->known != NULL ? list->known->name : NULL);
	rt_json_set_text(ctx, object, "lookUp", list->known != NULL ? list->known->look_up : NULL);
	return object;
}

static json_t *blocklists_json(struct rt_ctx *ctx, const struct analysis *analysis)
{
	json_t *object = json_object();
	json_t *results = json_array();
	int listed = 0;

	for (size_t i = 0; i < RT_DNSBL_KINDS; i++) {
		listed += analysis->lists[i].state == EDS_DNSBL_LISTED;
		rt_json_append(results, list_json(ctx, &analysis->lists[i]));
	}
	rt_json_set(object, "listed", json_integer(listed));
	rt_json_set(object, "results", results);
	return object;
}

static json_t *helo_json(struct rt_ctx *ctx, const struct analysis *analysis)
{
	json_t *object = json_object();
	char ip[RT_IP_TEXT_MAX];

	rt_ip_format(&analysis->client.ip, ip);
	set_cut(ctx, object, "name", analysis->client.helo);
	rt_json_set_text(ctx, object, "state", helo_state_name(analysis->ptr.helo));
	rt_json_set(object, "spf", spf_json(ctx, &analysis->spf_helo));
	set_or_null(ctx, object, "clientAddress", ip);
	set_or_null(ctx, object, "tls", analysis->client.tls);
	return object;
}

static json_t *exchange_json(struct rt_ctx *ctx, const struct eds_mx_exchange *exchange)
{
	json_t *object = json_object();
	json_t *addresses = json_array();

	for (size_t i = 0; i < exchange->address_count; i++) {
		char ip[RT_IP_TEXT_MAX];

		rt_ip_format(&exchange->addresses[i], ip);
		rt_json_append(addresses, rt_json_text(ctx, ip));
	}
	rt_json_set(object, "preference", json_integer((json_int_t)exchange->preference));
	rt_json_set_text(ctx, object, "exchange", exchange->name[0] != '\0' ? exchange->name : ".");
	rt_json_set(object, "addresses", addresses);
	rt_json_set(object, "alias", json_boolean(exchange->alias));
	return object;
}

static json_t *mx_json(struct rt_ctx *ctx, const struct eds_mx_result *mx)
{
	json_t *object = json_object();
	json_t *records = json_array();

	for (size_t i = 0; i < mx->count; i++)
		rt_json_append(records, exchange_json(ctx, &mx->exchanges[i]));
	set_or_null(ctx, object, "domain", mx->domain);
	rt_json_set(object, "valid", json_boolean(mx->state == EDS_MX_STATE_VALID));
	rt_json_set_text(ctx, object, "state", eds_mx_state_name(mx->state));
	rt_json_set(object, "records", records);
	return object;
}

static json_t *headers_json(struct rt_ctx *ctx, const struct analysis *analysis)
{
	const struct headers_result *headers = &analysis->headers;
	const struct unsubscribe_result *unsubscribe = &analysis->unsubscribe;
	bool readable = headers->date == DATE_OK || headers->date == DATE_FUTURE ||
		headers->date == DATE_PAST;
	json_t *object = json_object();

	set_cut(ctx, object, "messageId", headers->message_id);
	rt_json_set_text(
		ctx, object, "date", readable ? rt_time_format(ctx, headers->date_ms) : NULL);
	rt_json_set_text(ctx, object, "dateState", date_state_name(headers->date));
	rt_json_set_text(ctx, object, "receivedAt", rt_time_format(ctx, analysis->received_at_ms));
	set_cut(ctx, object, "subject", headers->subject);
	set_cut(ctx, object, "mailFrom", analysis->mail_from);
	set_or_null(ctx, object, "fromDomain",
		analysis->from.state == EDS_FROM_ONE ? analysis->from.domains[0] : NULL);
	rt_json_set(object, "listUnsubscribe",
		json_boolean(unsubscribe->parts[UNSUBSCRIBE_FIELD].state == DEMAND_MET));
	rt_json_set(object, "oneClick", json_boolean(unsubscribe->whole.state == DEMAND_MET));
	return object;
}

static json_t *results_json(struct rt_ctx *ctx, const struct analysis *analysis)
{
	json_t *object = json_object();

	rt_json_set(object, "spf", spf_json(ctx, &analysis->spf));
	rt_json_set(object, "dkim", dkim_json(ctx, &analysis->dkim));
	rt_json_set(object, "dmarc", report_dmarc_json(ctx, analysis));
	rt_json_set(object, "ptr", ptr_json(ctx, &analysis->ptr));
	rt_json_set(object, "blocklists", blocklists_json(ctx, analysis));
	rt_json_set(object, "helo", helo_json(ctx, analysis));
	rt_json_set(object, "mx", mx_json(ctx, &analysis->mx));
	rt_json_set(object, "headers", headers_json(ctx, analysis));
	rt_json_set(object, "tls", report_tls_json(ctx, &analysis->client));
	rt_json_set(object, "form", report_form_json(ctx, analysis));
	rt_json_set(object, "unsubscribe", report_unsubscribe_json(ctx, &analysis->unsubscribe));
	rt_json_set(object, "requirements", requirements_json(ctx, &analysis->requirements));
	rt_json_set(object, "outlook", outlook_json(ctx, &analysis->outlook));
	rt_json_set(object, "advice", advice_json(ctx, analysis));
	rt_json_set(object, "shape", report_shape_json(ctx, analysis));
	rt_json_set(object, "secondOpinion", second_opinion_json(ctx, &analysis->opinion));
	return object;
}

json_t *report_json(struct rt_ctx *ctx, const struct analysis *analysis)
{
	int tenths = tester_score_tenths(&analysis->score);
	json_t *object = json_object();

	rt_json_set(object, "spamScore", tester_tenths_json(tenths));
	rt_json_set_text(ctx, object, "verdict", tester_verdict_name(tester_verdict(tenths)));
	rt_json_set(object, "results", results_json(ctx, analysis));
	rt_json_set(object, "scoreBreakdown", tester_breakdown_json(ctx, &analysis->score));
	return object;
}
