/* Explains in a sentence why mail of a source fails DMARC, from the largest group of similar
 * failures.
 *
 *     not-signed          the next two codes do not apply; as a rule the mail is not signed at all
 *     signature-broken    the mail is signed as the domain, but the signature does not verify
 *     signature-foreign   the mail is signed only as another domain
 *     forwarded           the source forwards mail that was sent to somebody else
 *     not-told            the reports do not say why
 */
#ifndef EDS_REPORTS_SOURCE_FINDING_H
#define EDS_REPORTS_SOURCE_FINDING_H

#include <jansson.h>

#include "functions/lib/store/reports/report-sources.h"

/* The JSON {"code", "message"}; null when all mail of the source passes. */
json_t *report_source_finding(struct rt_ctx *ctx, const struct eds_domain *domain,
	const struct eds_report_source *source);

#endif
