/* Whose is an address that mail came to? By its domain, and where one domain serves both, by the
 * form of what stands before the @:
 *
 *     mfrggzdfmztwq2lknnwg23tpoa@{tester_domain}             a test id
 *     0193484c-6b3f-7a01-9c5e-2f6f8a1b3c4d@{report_domain}   a domain's id
 */
#ifndef EDS_RECIPIENT_H
#define EDS_RECIPIENT_H

#include "runtime/ctx.h"

enum eds_recipient_kind {
	EDS_RECIPIENT_FOREIGN, /* no address of this service */
	EDS_RECIPIENT_TESTER,
	EDS_RECIPIENT_REPORTS,
};

/* *id: what stands before the @, in lower case. It may name nothing that exists. */
enum eds_recipient_kind eds_recipient_read(
	struct rt_ctx *ctx, const char *address, const char **id);

#endif
