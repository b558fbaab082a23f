/* The addresses for reports about a domain: by mail, and for TLS reports also over HTTPS (RFC 8460
 * section 3). Both contain the domain's id, which its DNS records publish.
 *
 *     0193484c-6b3f-7a01-9c5e-2f6f8a1b3c4d@{report_domain}
 *     {base_url}/tls-reports/0193484c-6b3f-7a01-9c5e-2f6f8a1b3c4d
 */
#ifndef EDS_REPORT_ADDRESS_H
#define EDS_REPORT_ADDRESS_H

#include "runtime/ctx.h"

const char *eds_report_address(struct rt_ctx *ctx, const char *domain_id);

/* The URL for TLS reports about the domain; NULL when the service has no HTTPS address, which
 * reporters require. */
const char *eds_report_url(struct rt_ctx *ctx, const char *domain_id);

#endif
