/* identifiers, auth_results and reasons of one record, as octets. The reader's child compares them
 * as a whole, since many records of a report have the same ones, and sends them to the parent
 * unchanged.
 *
 *     u32 elements left out | u8 kind, then one text or four, each as u32 length and octets | …
 */
#ifndef EDS_REPORTS_ROW_AUTH_H
#define EDS_REPORTS_ROW_AUTH_H

#include "functions/lib/reports/report.h"
#include "functions/lib/sandbox/wire.h"

enum eds_row_auth_kind {
	/* These three have one text, the domain. */
	EDS_AUTH_HEADER_FROM = 1,
	EDS_AUTH_ENVELOPE_FROM,
	EDS_AUTH_ENVELOPE_TO,
	/* These three have four texts: domain, selector, result, remark. */
	EDS_AUTH_REASON,
	EDS_AUTH_DKIM,
	EDS_AUTH_SPF,
};

struct eds_row_auth {
	uint32_t length;
	uint32_t left_out;
	char bytes[EDS_REPORT_AUTH_BYTES_MAX];
};

void eds_row_auth_init(struct eds_row_auth *auth);
void eds_row_auth_text(struct eds_row_auth *auth, enum eds_row_auth_kind kind, const char *text);
/* Adds an element; one that does not fit is counted in left_out instead. */
void eds_row_auth_item(struct eds_row_auth *auth, enum eds_row_auth_kind kind,
	const struct eds_report_auth_item *item);
/* To be called after the last element: writes the number of elements left out. */
void eds_row_auth_end(struct eds_row_auth *auth);

/* Reads an auth from the rest of the payload; ctx owns the result. Octets that no intact child
 * would send mark the frame as bad. */
void eds_row_auth_get(struct rt_ctx *ctx, struct eds_wire *wire, struct eds_report_auth *auth);

#endif
