/* Selects rows of DMARC reports by the filters of a request. */
#ifndef REPORTS_ROW_FILTER_H
#define REPORTS_ROW_FILTER_H

#include <jansson.h>

#include "runtime/event/event.h"

/* Texts are compared without regard to case; NULL selects all rows. */
struct report_row_filter {
	const char *source; /* an address as rows show it */
	const char *disposition;
	const char *header_from;
	const char *envelope_from;
	const char *dkim_domain; /* if selector is set too, both must match the same signature */
	const char *selector;
	int class; /* enum eds_report_class; -1: any class */
};

/* The names of the parameters that filter rows, as elements of an array. */
#define REPORT_ROW_FILTERS                                                                         \
	"source", "disposition", "result", "headerFrom", "envelopeFrom", "dkimDomain", "selector"

/* Reads ?source=, ?disposition=, ?result=, ?headerFrom=, ?envelopeFrom=, ?dkimDomain= and
 * ?selector=. RT_BAD_INPUT "source-invalid", "disposition-invalid" or "result-invalid". */
RT_MUST_USE rt_status report_row_filter_read(
	struct rt_ctx *ctx, const struct rt_request *req, struct report_row_filter *filter);

/* True if the filter selects the row, which has the form that the API shows (row-json.h). */
bool report_row_filter_selects(const struct report_row_filter *filter, const json_t *row);

#endif
