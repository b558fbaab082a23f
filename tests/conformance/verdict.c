/* The verdicts of our verification for the judge (judge.mjs): one case per line of input, one
 * answer per line of output (JSON).
 *
 *     {"do": "dkim", "message": base64, "zone", "now"}            -> {"passed": [selector, ...],
 * "why"}
 *     {"do": "spf", "zone", "client", "helo", "mailFrom"}         -> {"result", "why"}
 *     {"do": "dmarc", "zone", "from", "spf", "dkim": [domain]}    -> {"result", "policy", "why"}
 *
 * A zone is a list of [name, type, data] (tests/support/zone.h); octets over 127 are written as the
 * characters of their number.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "functions/lib/dkim/dkim-verify.h"
#include "functions/lib/dmarc/dmarc.h"
#include "functions/lib/dmarc/evaluate.h"
#include "functions/lib/spf/spf-evaluate.h"
#include "runtime/buffer.h"
#include "runtime/json-format.h"
#include "runtime/json.h"
#include "runtime/text/base64.h"
#include "runtime/time.h"
#include "tests/support/dns-table.h"
#include "tests/support/zone.h"

enum {
	DEADLINE_MS = 20000,
	ZONE_BYTES_MAX = 1024 * 1024,
};

/* The octets of a text whose characters are all below 256. */
static char *octets_of(struct rt_ctx *ctx, const char *text)
{
	char *octets = rt_strdup(ctx, text);
	size_t length = 0;

	for (size_t i = 0; text[i] != '\0'; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c >= 0xc2 && c <= 0xc3)
			octets[length++] = (char)(((c & 3u) << 6) |
				((unsigned char)text[++i] & 0x3f));
		else
			octets[length++] = (char)c;
	}
	octets[length] = '\0';
	return octets;
}

static const char *zone_lines(struct rt_ctx *ctx, const json_t *records)
{
	struct rt_buffer lines;

	rt_buffer_init(&lines, ctx, ZONE_BYTES_MAX);
	for (size_t i = 0; i < json_array_size(records); i++) {
		const json_t *record = json_array_get(records, i);

		for (size_t part = 0; part < 3; part++) {
			rt_buffer_text(&lines,
				octets_of(ctx, json_string_value(json_array_get(record, part))));
			rt_buffer_text(&lines, part < 2 ? " " : "\n");
		}
	}
	return lines.length > 0 ? lines.bytes : "";
}

static struct eds_lookup load_zone(struct rt_ctx *ctx, const json_t *task)
{
	struct zone *zone = rt_alloc(ctx, sizeof *zone);

	zone_init(zone, ctx);
	zone_load(zone, zone_lines(ctx, json_object_get(task, "zone")));
	return zone_lookup(zone);
}

static json_t *judge_dkim(struct rt_ctx *ctx, const json_t *task)
{
	const char *encoded = rt_json_string(task, "message");
	int64_t now_ms = json_integer_value(json_object_get(task, "now")) * 1000;
	struct eds_lookup lookup = load_zone(ctx, task);
	struct eds_dkim_result result;
	json_t *passed = json_array();
	json_t *why = json_array();
	size_t length;
	const char *message = rt_base64_decode(ctx, encoded, strlen(encoded), &length);

	eds_dkim_verify(ctx, &lookup, message, length, now_ms, &result);
	for (size_t i = 0; i < result.count; i++) {
		const struct eds_dkim_signature *signature = &result.signatures[i];

		if (signature->state == EDS_DKIM_VALID)
			rt_json_append(passed, rt_json_text(ctx, signature->selector));
		for (size_t n = 0; n < signature->errors.count; n++)
			rt_json_append(why, rt_json_text(ctx, signature->errors.items[n].code));
	}
	return json_pack("{s:o, s:o}", "passed", passed, "why", why);
}

static json_t *judge_spf(struct rt_ctx *ctx, const json_t *task)
{
	struct eds_lookup lookup = load_zone(ctx, task);
	struct eds_spf_result result;
	struct eds_spf_input input = {
		.helo = rt_json_string(task, "helo"),
		.mail_from = octets_of(ctx, rt_json_string(task, "mailFrom")),
		.receiver = "receiver.example",
		.deadline_ms = ctx->deadline_ms,
	};

	if (!rt_ip_parse(rt_json_string(task, "client"), &input.client))
		abort();
	eds_spf_evaluate(ctx, &lookup, &input, &result);
	return json_pack(
		"{s:s, s:s}", "result", eds_spf_code_name(result.code), "why", result.reason_code);
}

static void set_passed(const json_t *task, struct eds_spf_result *spf, struct eds_dkim_result *dkim)
{
	const json_t *domains = json_object_get(task, "dkim");
	const char *sender = rt_json_string(task, "spf");

	*spf = (struct eds_spf_result){.code = sender != NULL ? EDS_SPF_PASS : EDS_SPF_FAIL,
		.domain = sender != NULL ? sender : ""};
	*dkim = (struct eds_dkim_result){.count = json_array_size(domains),
		.total = json_array_size(domains),
		.failure = ""};
	for (size_t i = 0; i < dkim->count; i++) {
		dkim->signatures[i].state = EDS_DKIM_VALID;
		dkim->signatures[i].domain = json_string_value(json_array_get(domains, i));
	}
}

static json_t *judge_dmarc(struct rt_ctx *ctx, const json_t *task)
{
	const char *address = rt_json_string(task, "from");
	struct eds_spf_result spf;
	struct eds_dkim_result dkim;
	struct eds_dmarc_result result;
	struct eds_from from;
	struct eds_dns *dns;

	set_passed(task, &spf, &dkim);
	dns_table(zone_lines(ctx, json_object_get(task, "zone")));
	if (eds_dns_open(ctx, &dns) != RT_OK)
		abort();
	eds_from_parse(ctx, address, strlen(address), &from);
	eds_dmarc_evaluate(ctx, dns, &from, &spf, &dkim, &result);
	return json_pack("{s:s, s:s, s:s}", "result", eds_dmarc_code_name(result.code), "policy",
		result.has_record ? eds_dmarc_policy_name(result.policy) : "", "why",
		result.reason);
}

static json_t *judge(struct rt_ctx *ctx, const json_t *task)
{
	const char *kind = rt_json_string(task, "do");

	if (strcmp(kind, "dkim") == 0)
		return judge_dkim(ctx, task);
	if (strcmp(kind, "spf") == 0)
		return judge_spf(ctx, task);
	return judge_dmarc(ctx, task);
}

static void answer(const char *line, size_t length)
{
	struct rt_ctx ctx = {.arena = rt_arena_new(),
		.function = "judge",
		.request_id = "judge",
		.deadline_ms = rt_monotonic_ms() + DEADLINE_MS};
	json_t *task;

	rt_json_use_arena(ctx.arena);
	if (rt_json_parse(&ctx, line, length, &task) != RT_OK)
		abort();
	puts(rt_json_format(&ctx, judge(&ctx, task), NULL));
	fflush(stdout);
	rt_json_use_arena(NULL);
	rt_arena_free(ctx.arena);
}

int main(void)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t length;

	while ((length = getline(&line, &size, stdin)) > 0)
		answer(line, (size_t)length);
	free(line);
	return 0;
}
