/* Selects rows of DMARC reports by the filters of a request. */
#ifndef REPORTS_ROW_FILTER_H
#define REPORTS_ROW_FILTER_H

#include <jansson.h>

#include "runtime/event/event.h"

/* Texts are compared without regard to case; NULL selects any. */
struct report_row_filter {
	const char *source; /* an address as rows show it */
	const char *disposition;
	const char *header_from;
	const char *envelope_from;
	const char *dkim_domain; /* with selector: of the same signature */
	const char *selector;
	int class; /* enum eds_report_class; -1 any */
};

/* The parameters that name a filter, for lists of parameters. */
#define REPORT_ROW_FILTERS                                                                         \
	"source", "disposition", "result", "headerFrom", "envelopeFrom", "dkimDomain", "selector"

/* ?source=, ?disposition=, ?result=, ?headerFrom=, ?envelopeFrom=, ?dkimDomain=, ?selector=.
 * RT_BAD_INPUT "source-invalid", "disposition-invalid" or "result-invalid". */
RT_MUST_USE rt_status report_row_filter_read(
	struct rt_ctx *ctx, const struct rt_request *req, struct report_row_filter *filter);

/* Whether a row, as row-json.h shows it, is among those asked for. */
bool report_row_filter_selects(const struct report_row_filter *filter, const json_t *row);

#endif
