/* Advice on the MTA-STS configuration of a domain: whether it is ready for mode enforce, what
 * prevents mode enforce, and what else the domain's owner should know.
 *
 *     {"readyToEnforce": false, "state": "not-ready",
 *      "items": [{"code": "id-out-of-sync", "severity": "action", "message": "…",
 *                 "record": {"name": "_mta-sts.example.com", "type": "TXT",
 *                            "value": "v=STSv1; …"}}]}
 *
 * state
 *     off         MTA-STS is switched off for the domain
 *     leaving     the policy is in mode none, which makes senders drop the previous policy
 *     not-ready   something prevents enforce; the items of severity action name it
 *     unknown     nothing is known to prevent enforce, but something about the setup is not known:
 *                 there was no check yet, the MX records are not known, or a mail server was not
 *                 seen to complete STARTTLS within the last 24 hours
 *     ready       the policy is served and in sync; every live MX is covered by a pattern; within
 *                 the last 24 hours, STARTTLS was completed with every live MX, which had a valid
 *                 certificate for its name (RFC 8461 section 4.2)
 *
 * items, those of severity action first
 *     setup-invalid, id-out-of-sync, name-held (with the TXT record), alias-missing, alias-wrong
 *     (with the CNAME record), patterns-missing, mx-uncovered, mx-null, mx-unknown,
 *     starttls-missing, starttls-unknown, tlsrpt-missing, tlsrpt-invalid (with a TXT record),
 *     max-age-short, hosting-ends, leaving-enforce, off-while-enforced, leave-enforce, none-held,
 *     none-over, not-checked, enforce-ready; and the warnings of the policy file
 *     (functions/lib/mta-sts/policy.h)
 */
#ifndef MTA_STS_ADVICE_H
#define MTA_STS_ADVICE_H

#include "functions/lib/store/mta-sts/mta-sts.h"
#include "runtime/json.h"

enum {
	MTA_STS_STARTTLS_MS = 24 * 3600 * 1000, /* how long a successful STARTTLS is relied on */
	MTA_STS_WEEK_S = 7 * 86400,             /* a shorter max_age protects little */
};

/* Makes the advice as JSON. Fails when the stored evidence of a check is not JSON. */
RT_MUST_USE rt_status mta_sts_advice_json(
	struct rt_ctx *ctx, const struct eds_mta_sts *config, json_t **json);

#endif
