/* Finds out what a recipient address belongs to: by its domain or, when tests and reports share one
 * domain, by the form of the local part:
 *
 *     mfrggzdfmztwq2lknnwg23tpoa@{tester_domain}             a test id
 *     0193484c-6b3f-7a01-9c5e-2f6f8a1b3c4d@{report_domain}   a domain's id
 */
#ifndef EDS_RECIPIENT_H
#define EDS_RECIPIENT_H

#include "runtime/ctx.h"

enum eds_recipient_kind {
	EDS_RECIPIENT_FOREIGN, /* the address is not one of this service */
	EDS_RECIPIENT_TESTER,
	EDS_RECIPIENT_REPORTS,
};

/* Sets *id to the local part in lower case, or to NULL for a text without "@". A test or domain
 * with this id need not exist. */
enum eds_recipient_kind eds_recipient_read(
	struct rt_ctx *ctx, const char *address, const char **id);

#endif
