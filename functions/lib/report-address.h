/* Where reports about a domain go: by mail, those about TLS also over HTTPS (RFC 8460 section 3).
 * Both are named by the domain's id, which its records publish.
 *
 *     0193484c-6b3f-7a01-9c5e-2f6f8a1b3c4d@{report_domain}
 *     {base_url}/tls-reports/0193484c-6b3f-7a01-9c5e-2f6f8a1b3c4d
 */
#ifndef EDS_REPORT_ADDRESS_H
#define EDS_REPORT_ADDRESS_H

#include "runtime/ctx.h"

const char *eds_report_address(struct rt_ctx *ctx, const char *domain_id);

/* NULL where the service is not reached over HTTPS, which reporters insist on. */
const char *eds_report_url(struct rt_ctx *ctx, const char *domain_id);

#endif
