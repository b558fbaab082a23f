/* Explains in a sentence why mail of a source fails DMARC, from the largest group of similar
 * failures.
 *
 *     not-signed          it does not sign, and SPF says nothing for the domain in From
 *     signature-broken    it signs in the domain's name, and the signature does not verify
 *     signature-foreign   it signs only with another domain's key
 *     forwarded           others pass it on
 *     not-told            the reports do not say
 */
#ifndef EDS_REPORTS_SOURCE_FINDING_H
#define EDS_REPORTS_SOURCE_FINDING_H

#include <jansson.h>

#include "functions/lib/store/reports/report-sources.h"

/* {"code", "message"}; null when all mail of the source passes. */
json_t *report_source_finding(struct rt_ctx *ctx, const struct eds_domain *domain,
	const struct eds_report_source *source);

#endif
