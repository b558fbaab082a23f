/* How large receivers judge the signatures of a message. None of Gmail, Yahoo and Microsoft
 * verifies Ed25519 (RFC 8463; 2026). To them a message with only an Ed25519 signature is unsigned,
 * and DMARC fails unless another result is aligned. */
#ifndef TESTER_WIDELY_VERIFIED_H
#define TESTER_WIDELY_VERIFIED_H

#include "functions/tester/analysis.h"

/* A valid signature that these receivers verify; NULL for none. */
const struct eds_dkim_signature *widely_valid(const struct eds_dkim_result *dkim);

/* A valid signature with an Ed25519 key; NULL for none. */
const struct eds_dkim_signature *valid_ed25519(const struct eds_dkim_result *dkim);

/* True when only an Ed25519 signature makes DMARC pass. */
bool passes_by_ed25519_alone(const struct analysis *analysis);

#endif
