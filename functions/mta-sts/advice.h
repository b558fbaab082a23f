/* Advice beside an MTA-STS configuration: is it ready for mode enforce, or what is in the way, and
 * what else its owner should know.
 *
 *     {"readyToEnforce": false, "state": "not-ready",
 *      "items": [{"code": "id-out-of-sync", "severity": "action", "message": "…",
 *                 "record": {"name": "_mta-sts.example.com", "type": "TXT", "value": "v=STSv1;
 * …"}}]}
 *
 * state
 *     off         MTA-STS is switched off for the domain
 *     leaving     its policy says mode none, so that senders forget what it said before
 *     not-ready   something is in the way; the items of severity action say what
 *     unknown     nothing is known to be in the way, but not all is known: no check yet, or a mail
 *                 server that could not be asked for STARTTLS within 24 hours
 *     ready       the policy is served and in sync, and every live MX is covered by a pattern and
 * did STARTTLS within 24 hours with a certificate that is valid and names it (RFC 8461 section 4.2)
 *
 * items, those of severity action first
 *     setup-invalid, id-out-of-sync, name-held (with the TXT record), alias-missing, alias-wrong
 * (with the CNAME record), patterns-missing, mx-uncovered, mx-null, mx-unknown, starttls-missing,
 *     starttls-unknown, tlsrpt-missing, tlsrpt-invalid (with a TXT record), max-age-short,
 *     hosting-ends, leaving-enforce, off-while-enforced, leave-enforce, none-held, none-over,
 *     not-checked, enforce-ready; and the warnings of the policy file
 *     (functions/lib/mta-sts/policy.h)
 */
#ifndef MTA_STS_ADVICE_H
#define MTA_STS_ADVICE_H

#include "functions/lib/store/mta-sts/mta-sts.h"
#include "runtime/json.h"

enum {
	MTA_STS_STARTTLS_MS = 24 * 3600 * 1000, /* a server's STARTTLS proves as much so long */
	MTA_STS_WEEK_S = 7 * 86400,             /* a max_age under it protects little */
};

/* Fails when what is stored of a check is no JSON. */
RT_MUST_USE rt_status mta_sts_advice_json(
	struct rt_ctx *ctx, const struct eds_mta_sts *config, json_t **json);

#endif
