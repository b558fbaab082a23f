/* A domain as the API shows it:
 *
 *     {"id": "0190…", "name": "example.com", "createdAt": "2026-01-31T23:59:59Z",
 *      "reportAddress": "0190…@reports.example.net",
 *      "expectedRecords": [{"purpose": "dmarc-reports", "name": "_dmarc.example.com",
 *                           "type": "TXT", "value": "v=DMARC1; p=none; rua=mailto:0190…@…"},
 *                          {"purpose": "tls-reports", "name": "_smtp._tls.example.com",
 *                           "type": "TXT", "value": "v=TLSRPTv1; rua=mailto:0190…@…"}]}
 *
 * Each record also has the members "change" and "old". Before the first check of the domain's DNS
 * both members are null, and the record has a member "note" that says when not to publish the
 * record. The domain's member "posture" is {state, checkedAt, changedAt}: the state that the latest
 * check found, the time of that check, and the time of the latest change; null before the first
 * check.
 */
#ifndef EDS_DOMAINS_DOMAIN_JSON_H
#define EDS_DOMAINS_DOMAIN_JSON_H

#include "functions/lib/store/domains/domain.h"
#include "runtime/json.h"

json_t *eds_domain_json(struct rt_ctx *ctx, const struct eds_domain *domain);

#endif
