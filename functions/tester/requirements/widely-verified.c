#include "functions/tester/requirements/widely-verified.h"
#include "functions/lib/dmarc/evaluate.h"

#include <strings.h>

static bool is_valid(const struct eds_dkim_signature *signature, bool ed25519)
{
	return signature->state == EDS_DKIM_VALID &&
		(signature->key_type == EDS_KEY_ED25519) == ed25519;
}

static const struct eds_dkim_signature *find(const struct eds_dkim_result *dkim, bool ed25519)
{
	for (size_t i = 0; i < dkim->count; i++)
		if (is_valid(&dkim->signatures[i], ed25519))
			return &dkim->signatures[i];
	return NULL;
}

const struct eds_dkim_signature *widely_valid(const struct eds_dkim_result *dkim)
{
	return find(dkim, false);
}

const struct eds_dkim_signature *valid_ed25519(const struct eds_dkim_result *dkim)
{
	return find(dkim, true);
}

static bool is_aligned(const struct analysis *analysis, const struct eds_dkim_signature *signature)
{
	const char *from = analysis->from.domains[0];

	return analysis->dmarc.dkim.strict
		? strcasecmp(signature->domain, from) == 0
		: eds_dmarc_is_own(&analysis->dmarc, from, signature->domain);
}

bool passes_by_ed25519_alone(const struct analysis *analysis)
{
	const struct eds_dkim_result *dkim = &analysis->dkim;

	if (!analysis->dmarc.dkim_aligned || analysis->dmarc.spf_aligned)
		return false;
	for (size_t i = 0; i < dkim->count; i++)
		if (is_valid(&dkim->signatures[i], false) &&
			is_aligned(analysis, &dkim->signatures[i]))
			return false;
	return true;
}
