/* The verdict on one message (RFC 9989 sections 4.4 and 4.10). */
#ifndef EDS_EVALUATE_H
#define EDS_EVALUATE_H

#include "functions/lib/dmarc/dmarc.h"

/* spf and dkim are the verified results. Waits for DNS answers that were not prefetched. */
void eds_dmarc_evaluate(struct rt_ctx *ctx, struct eds_dns *dns, const struct eds_from *from,
	const struct eds_spf_result *spf, const struct eds_dkim_result *dkim,
	struct eds_dmarc_result *result);

/* Asks whether the From domain exists, for the result of eds_dmarc_evaluate(): three questions,
 * which only a reader of no_such_domain needs. None is asked when DMARC passed, or DNS failed
 * already. */
void eds_dmarc_look_for_author(
	struct eds_dns *dns, const struct eds_from *from, struct eds_dmarc_result *result);

const char *eds_dmarc_code_name(enum eds_dmarc_code code); /* "pass", … */
const char *eds_dmarc_tag_name(enum eds_dmarc_tag tag);    /* "p", "sp", "np", "" */
const char *eds_dmarc_policy_name(
	enum eds_dmarc_policy policy); /* "none", "quarantine", "reject" */

#endif
