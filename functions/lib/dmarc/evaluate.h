/* The verdict on one message (RFC 9989 sections 4.4 and 4.10). */
#ifndef EDS_EVALUATE_H
#define EDS_EVALUATE_H

#include "functions/lib/dmarc/dmarc.h"

/* Evaluates DMARC from the results of SPF and DKIM for the same message. Waits for DNS answers that
 * were not prefetched. */
void eds_dmarc_evaluate(struct rt_ctx *ctx, struct eds_dns *dns, const struct eds_from *from,
	const struct eds_spf_result *spf, const struct eds_dkim_result *dkim,
	struct eds_dmarc_result *result);

/* Sets no_such_domain in the result of eds_dmarc_evaluate(): asks DNS three questions to find out
 * whether the From domain exists. Asks none when DMARC passed, when a lookup of the walk failed, or
 * when there is not exactly one From domain. */
void eds_dmarc_look_for_author(
	struct eds_dns *dns, const struct eds_from *from, struct eds_dmarc_result *result);

/* True when the domain belongs to the From domain: both lie under the organizational domain that
 * was found. Without a record the organizational domain is unknown; then it is enough that one name
 * lies below the other. The result says nothing about strict alignment. */
bool eds_dmarc_is_own(
	const struct eds_dmarc_result *result, const char *author, const char *domain);

/* True when the record that applies is that of a public suffix above the From domain. The sender
 * does not own this suffix and cannot change the record. */
bool eds_dmarc_is_of_suffix(const struct eds_dmarc_result *result);

const char *eds_dmarc_code_name(enum eds_dmarc_code code); /* The word for a code: "pass", … */
const char *eds_dmarc_tag_name(enum eds_dmarc_tag tag);    /* The name of a policy tag: "p", "sp",
							    * "np"; "" for EDS_DMARC_TAG_NONE */
const char *eds_dmarc_policy_name(
	enum eds_dmarc_policy policy); /* The word for a policy: "none", "quarantine", "reject" */

#endif
