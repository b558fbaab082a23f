#include "functions/lib/dkim/claims.h"

#include <string.h>

#include "functions/lib/dkim/signature.h"

static bool key_was_found(
	const struct eds_dns_answer *const *answers, size_t count, const char *key_name)
{
	for (size_t i = 0; i < count; i++)
		if (answers[i]->type == EDS_DNS_TXT && answers[i]->state == EDS_DNS_FOUND &&
			answers[i]->count > 0 && strcmp(answers[i]->name, key_name) == 0)
			return true;
	return false;
}

/* Compares a claim with the signature field that it is about. The verifier reports signatures in
 * the order of their fields, from the top. */
static bool claim_holds(struct rt_ctx *ctx, const struct eds_field *field,
	const struct eds_dns_answer *const *answers, size_t count,
	const struct eds_dkim_signature *claim)
{
	struct eds_signature signature;
	const char *key_name;

	if (field == NULL)
		return false;
	eds_signature_read(ctx, field, &signature);
	key_name = rt_lower(ctx, signature.key_name);
	return signature.readable && strcmp(signature.domain, claim->domain) == 0 &&
		strcmp(signature.selector, claim->selector) == 0 &&
		key_was_found(answers, count, key_name);
}

bool eds_dkim_claims_hold(struct rt_ctx *ctx, const struct eds_header *header,
	const struct eds_dns_answer *const *answers, size_t count,
	const struct eds_dkim_result *result)
{
	for (size_t i = 0; i < result->count; i++)
		if (result->signatures[i].state == EDS_DKIM_VALID &&
			!claim_holds(ctx, eds_header_find(header, "DKIM-Signature", i), answers,
				count, &result->signatures[i]))
			return false;
	return true;
}

/* Without this check, a child taken over by a message could report a valid signature of any
 * domain. */
bool eds_dkim_believe(struct rt_ctx *ctx, struct eds_dns *dns, const struct eds_header *header,
	struct eds_dkim_result *result)
{
	const struct eds_dns_answer *answers[EDS_DNS_QUERIES_MAX];
	size_t count = eds_dns_answers(dns, answers, EDS_DNS_QUERIES_MAX);

	if (eds_dkim_claims_hold(ctx, header, answers, count, result))
		return true;
	memset(result, 0, sizeof *result);
	result->failure = "The verifier reported a result that cannot be true, so the signatures "
			  "count as not checked.";
	return false;
}
