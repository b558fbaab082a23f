/* What large receivers make of the signatures of a message: none of Gmail, Yahoo and Microsoft
 * verifies Ed25519 (RFC 8463; 2026), so to them a message with such a signature alone is unsigned,
 * and DMARC fails where nothing else is aligned. */
#ifndef TESTER_WIDELY_VERIFIED_H
#define TESTER_WIDELY_VERIFIED_H

#include "functions/tester/analysis.h"

/* A valid signature that they verify; NULL for none. */
const struct eds_dkim_signature *widely_valid(const struct eds_dkim_result *dkim);

/* A valid signature with an Ed25519 key; NULL for none. */
const struct eds_dkim_signature *valid_ed25519(const struct eds_dkim_result *dkim);

/* True when DMARC passes through an Ed25519 signature alone. */
bool passes_by_ed25519_alone(const struct analysis *analysis);

#endif
