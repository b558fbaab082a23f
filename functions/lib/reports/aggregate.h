/* What the elements of a DMARC aggregate report mean (RFC 7489 appendix C, RFC 9990): names without
 * their prefix, whatever namespace they are in; elements that nobody knows are passed over. */
#ifndef EDS_REPORTS_AGGREGATE_H
#define EDS_REPORTS_AGGREGATE_H

#include "functions/lib/reports/report-fault.h"
#include "functions/lib/reports/sums.h"

/* Places in a report. The number of an element holds until its end. */
enum eds_aggregate_element {
	EDS_ELEMENT_OUTSIDE, /* not within feedback */
	EDS_ELEMENT_UNKNOWN,
	EDS_ELEMENT_FEEDBACK,
	EDS_ELEMENT_METADATA,
	EDS_ELEMENT_DATE_RANGE,
	EDS_ELEMENT_PUBLISHED,
	EDS_ELEMENT_RECORD,
	EDS_ELEMENT_ROW,
	EDS_ELEMENT_EVALUATED,
	EDS_ELEMENT_AUTH_RESULTS,
	EDS_ELEMENT_DKIM,
	EDS_ELEMENT_TEXT, /* from here on the text matters */
	EDS_ELEMENT_ORG = EDS_ELEMENT_TEXT,
	EDS_ELEMENT_EMAIL,
	EDS_ELEMENT_REPORT_ID,
	EDS_ELEMENT_BEGIN,
	EDS_ELEMENT_END,
	EDS_ELEMENT_DOMAIN,
	EDS_ELEMENT_ADKIM,
	EDS_ELEMENT_ASPF,
	EDS_ELEMENT_P,
	EDS_ELEMENT_SP,
	EDS_ELEMENT_NP,
	EDS_ELEMENT_TESTING,
	EDS_ELEMENT_PCT,
	EDS_ELEMENT_SOURCE_IP,
	EDS_ELEMENT_COUNT,
	EDS_ELEMENT_DISPOSITION,
	EDS_ELEMENT_ALIGNED_DKIM,
	EDS_ELEMENT_ALIGNED_SPF,
	EDS_ELEMENT_DKIM_DOMAIN,
	EDS_ELEMENT_DKIM_SELECTOR,
	EDS_ELEMENT_DKIM_RESULT,
};

struct eds_aggregate {
	struct rt_ctx *ctx;
	struct eds_report report; /* all but the sums */
	struct eds_sums *sums;
	struct eds_report_row row;              /* the record being read */
	char domain[EDS_REPORT_DOMAIN_MAX + 1]; /* the dkim element being read */
	char selector[EDS_REPORT_SELECTOR_MAX + 1];
	enum eds_report_dkim_result result;
};

/* In the memory of ctx. */
struct eds_aggregate *eds_aggregate_new(struct rt_ctx *ctx);
/* name may carry a prefix. */
enum eds_aggregate_element eds_aggregate_child(enum eds_aggregate_element parent, const char *name);
void eds_aggregate_begin(struct eds_aggregate *aggregate, enum eds_aggregate_element element);
/* text without the white space around it, NUL-terminated; "" below EDS_ELEMENT_TEXT. */
void eds_aggregate_end(struct eds_aggregate *aggregate, enum eds_aggregate_element element,
	const char *text, size_t length);

#endif
