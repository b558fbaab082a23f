#include <string.h>

#include "functions/lib/sandbox/protocol-result.h"
#include "functions/lib/sandbox/protocol.h"

enum {
	COUNTER_MAX = 10000, /* maximum number of lookups, and of signatures, that a result may
			      * report */
	KEY_BITS_MAX = 65536,
};

static bool is_code(const char *text)
{
	return text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0';
}

/* Reads a finding's code: a-z 0-9 -, or "". */
static const char *get_code(struct rt_ctx *ctx, struct eds_wire *wire)
{
	const char *code = eds_get_text(ctx, wire, EDS_CODE_MAX);

	if (is_code(code))
		return code;
	wire->bad = true;
	return "";
}

static const char *get_line(struct rt_ctx *ctx, struct eds_wire *wire)
{
	return eds_get_shown(ctx, wire, EDS_RESULT_TEXT_MAX);
}

static void put_line(struct rt_buffer *out, const char *text)
{
	eds_put_text(out, text, EDS_RESULT_TEXT_MAX);
}

static void put_node(struct rt_buffer *out, const struct eds_spf_node *node)
{
	eds_put_u8(out, node->depth);
	eds_put_u8(out, node->via);
	put_line(out, node->domain);
	put_line(out, node->record);
}

static void get_node(struct rt_ctx *ctx, struct eds_wire *wire, struct eds_spf_node *node)
{
	node->depth = eds_get_enum(wire, EDS_SPF_TREE_MAX);
	node->via = eds_get_enum(wire, EDS_SPF_VIA_REDIRECT);
	node->domain = get_line(ctx, wire);
	node->record = get_line(ctx, wire);
}

void eds_put_spf(
	struct rt_buffer *out, enum eds_frame_kind kind, const struct eds_spf_result *result)
{
	size_t begin = eds_frame_begin(out, kind);

	eds_put_u8(out, result->code);
	put_line(out, result->domain);
	put_line(out, result->record);
	put_line(out, result->mechanism);
	put_line(out, result->explanation);
	eds_put_text(out, result->reason_code, EDS_CODE_MAX);
	put_line(out, result->reason);
	eds_put_u32(out, result->terms);
	eds_put_u32(out, result->void_lookups);
	eds_put_u32(out, (uint32_t)result->tree_count);
	for (size_t i = 0; i < result->tree_count; i++)
		put_node(out, &result->tree[i]);
	eds_put_u32(out, (uint32_t)result->step_count);
	for (size_t i = 0; i < result->step_count; i++) {
		eds_put_u8(out, (unsigned)result->steps[i].node);
		eds_put_u16(out, (unsigned)result->steps[i].term);
		eds_put_u8(out, result->steps[i].flags);
	}
	eds_frame_end(out, begin);
}

/* False for a pass that has no domain or no record, or that has the reason of an error. */
static bool spf_plausible(const struct eds_spf_result *result)
{
	return result->code != EDS_SPF_PASS ||
		(result->domain[0] != '\0' && result->tree_count > 0 &&
			result->reason_code[0] == '\0');
}

static void get_steps(struct eds_wire *wire, struct eds_spf_result *result)
{
	result->step_count = eds_get_count(wire, EDS_SPF_STEPS_MAX);
	for (size_t i = 0; i < result->step_count && !wire->bad; i++) {
		struct eds_spf_step *step = &result->steps[i];

		step->node = eds_get_enum(wire, EDS_SPF_TREE_MAX - 1);
		step->term = eds_get_u16(wire);
		step->flags = eds_get_enum(wire, EDS_SPF_STEP_FLAGS);
		if (step->node >= result->tree_count || step->term > EDS_SPF_RECORD_MAX)
			wire->bad = true;
	}
}

bool eds_get_spf(struct rt_ctx *ctx, struct eds_wire *wire, struct eds_spf_result *result)
{
	result->code = (enum eds_spf_code)eds_get_enum(wire, EDS_SPF_PERMERROR);
	result->domain = get_line(ctx, wire);
	result->record = get_line(ctx, wire);
	result->mechanism = get_line(ctx, wire);
	result->explanation = get_line(ctx, wire);
	result->reason_code = get_code(ctx, wire);
	result->reason = get_line(ctx, wire);
	result->terms = eds_get_count(wire, COUNTER_MAX);
	result->void_lookups = eds_get_count(wire, COUNTER_MAX);
	result->tree_count = eds_get_count(wire, EDS_SPF_TREE_MAX);
	for (size_t i = 0; i < result->tree_count && !wire->bad; i++)
		get_node(ctx, wire, &result->tree[i]);
	get_steps(wire, result);
	return eds_wire_finished(wire) && spf_plausible(result);
}

static void put_findings(struct rt_buffer *out, const struct eds_findings *findings)
{
	eds_put_u32(out, (uint32_t)findings->count);
	for (size_t i = 0; i < findings->count; i++) {
		eds_put_text(out, findings->items[i].code, EDS_CODE_MAX);
		put_line(out, findings->items[i].message);
	}
}

static void get_findings(struct rt_ctx *ctx, struct eds_wire *wire, struct eds_findings *findings)
{
	findings->count = eds_get_count(wire, EDS_FINDINGS_MAX);
	for (size_t i = 0; i < findings->count && !wire->bad; i++) {
		findings->items[i].code = get_code(ctx, wire);
		findings->items[i].message = get_line(ctx, wire);
		if (findings->items[i].code[0] == '\0')
			wire->bad = true;
	}
}

static void put_signature(struct rt_buffer *out, const struct eds_dkim_signature *signature)
{
	eds_put_u8(out, signature->state);
	put_line(out, signature->domain);
	put_line(out, signature->selector);
	put_line(out, signature->identity);
	put_line(out, signature->algorithm);
	put_line(out, signature->canonicalization);
	eds_put_u8(out, signature->body_hash);
	eds_put_u8(out, signature->header_hash);
	eds_put_u8(out, signature->key_state);
	eds_put_u8(out, signature->key_type);
	eds_put_u32(out, signature->key_bits);
	eds_put_u8(out, signature->key_testing);
	put_findings(out, &signature->errors);
	put_findings(out, &signature->warnings);
}

/* False if the child calls a signature valid although the signature lacks a domain or a selector,
 * has a hash that does not match, or has an error. True for any signature that the child does not
 * call valid: such a signature cannot turn a verdict into a pass. */
static bool signature_plausible(const struct eds_dkim_signature *signature)
{
	return signature->state != EDS_DKIM_VALID ||
		(signature->domain[0] != '\0' && signature->selector[0] != '\0' &&
			signature->body_hash == EDS_DKIM_HASH_MATCH &&
			signature->header_hash == EDS_DKIM_HASH_MATCH &&
			signature->errors.count == 0);
}

static void get_signature(
	struct rt_ctx *ctx, struct eds_wire *wire, struct eds_dkim_signature *signature)
{
	signature->state = (enum eds_dkim_state)eds_get_enum(wire, EDS_DKIM_UNCHECKED);
	signature->domain = get_line(ctx, wire);
	signature->selector = get_line(ctx, wire);
	signature->identity = get_line(ctx, wire);
	signature->algorithm = get_line(ctx, wire);
	signature->canonicalization = get_line(ctx, wire);
	signature->body_hash = (enum eds_dkim_hash)eds_get_enum(wire, EDS_DKIM_HASH_MISMATCH);
	signature->header_hash = (enum eds_dkim_hash)eds_get_enum(wire, EDS_DKIM_HASH_MISMATCH);
	signature->key_state = eds_get_enum(wire, EDS_KEY_UNSUPPORTED);
	signature->key_type = eds_get_enum(wire, EDS_KEY_ED25519);
	signature->key_bits = eds_get_count(wire, KEY_BITS_MAX);
	signature->key_testing = eds_get_bool(wire);
	get_findings(ctx, wire, &signature->errors);
	get_findings(ctx, wire, &signature->warnings);
	if (!signature_plausible(signature))
		wire->bad = true;
}

void eds_put_dkim(struct rt_buffer *out, const struct eds_dkim_result *result)
{
	size_t begin = eds_frame_begin(out, EDS_FRAME_DKIM);

	eds_put_u32(out, (uint32_t)(result->total < COUNTER_MAX ? result->total : COUNTER_MAX));
	put_line(out, result->failure);
	eds_put_u32(out, (uint32_t)result->count);
	for (size_t i = 0; i < result->count; i++)
		put_signature(out, &result->signatures[i]);
	eds_frame_end(out, begin);
}

bool eds_get_dkim(struct rt_ctx *ctx, struct eds_wire *wire, struct eds_dkim_result *result)
{
	result->total = eds_get_count(wire, COUNTER_MAX);
	result->failure = get_line(ctx, wire);
	result->count = eds_get_count(wire, EDS_DKIM_SIGNATURES_MAX);
	for (size_t i = 0; i < result->count && !wire->bad; i++)
		get_signature(ctx, wire, &result->signatures[i]);
	return eds_wire_finished(wire) && result->count <= result->total;
}
