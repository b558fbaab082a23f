/* The elements of a DMARC aggregate report (RFC 7489 appendix C, RFC 9990). Their names are
 * compared without the prefix, so that any namespace matches; unknown elements are skipped. */
#ifndef EDS_REPORTS_AGGREGATE_H
#define EDS_REPORTS_AGGREGATE_H

#include "functions/lib/reports/report-fault.h"
#include "functions/lib/reports/row-auth.h"
#include "functions/lib/reports/sums.h"

/* The elements of an aggregate report. The parser keeps the number of each open element. */
enum eds_aggregate_element {
	EDS_ELEMENT_OUTSIDE, /* before or after the feedback element */
	EDS_ELEMENT_UNKNOWN,
	EDS_ELEMENT_FEEDBACK,
	EDS_ELEMENT_METADATA,
	EDS_ELEMENT_DATE_RANGE,
	EDS_ELEMENT_PUBLISHED,
	EDS_ELEMENT_RECORD,
	EDS_ELEMENT_ROW,
	EDS_ELEMENT_EVALUATED,
	EDS_ELEMENT_REASON,
	EDS_ELEMENT_IDENTIFIERS,
	EDS_ELEMENT_AUTH_RESULTS,
	EDS_ELEMENT_DKIM,
	EDS_ELEMENT_SPF,
	EDS_ELEMENT_TEXT, /* the text of this element, and of all that follow in this list, is
			   * read */
	EDS_ELEMENT_ORG = EDS_ELEMENT_TEXT,
	EDS_ELEMENT_EMAIL,
	EDS_ELEMENT_REPORT_ID,
	EDS_ELEMENT_BEGIN,
	EDS_ELEMENT_END,
	EDS_ELEMENT_VERSION,
	EDS_ELEMENT_EXTRA_CONTACT,
	EDS_ELEMENT_GENERATOR,
	EDS_ELEMENT_ERROR,
	EDS_ELEMENT_DOMAIN,
	EDS_ELEMENT_ADKIM,
	EDS_ELEMENT_ASPF,
	EDS_ELEMENT_P,
	EDS_ELEMENT_SP,
	EDS_ELEMENT_NP,
	EDS_ELEMENT_TESTING,
	EDS_ELEMENT_DISCOVERY,
	EDS_ELEMENT_FO,
	EDS_ELEMENT_PCT,
	EDS_ELEMENT_SOURCE_IP,
	EDS_ELEMENT_COUNT,
	EDS_ELEMENT_DISPOSITION,
	EDS_ELEMENT_ALIGNED_DKIM,
	EDS_ELEMENT_ALIGNED_SPF,
	EDS_ELEMENT_HEADER_FROM,
	EDS_ELEMENT_ENVELOPE_FROM,
	EDS_ELEMENT_ENVELOPE_TO,
	EDS_ELEMENT_ITEM_DOMAIN, /* domain of a dkim or spf element */
	EDS_ELEMENT_ITEM_TYPE,
	EDS_ELEMENT_ITEM_SELECTOR,
	EDS_ELEMENT_ITEM_SCOPE,
	EDS_ELEMENT_ITEM_RESULT,
	EDS_ELEMENT_ITEM_REMARK,
};

enum {
	EDS_AGGREGATE_SIGNATURES = 8, /* number of a record's signatures that are kept until the
				       * record ends; few records have more */
};

/* The dkim, spf or reason element being read. */
struct eds_aggregate_item {
	char domain[EDS_REPORT_DOMAIN_MAX + 1];
	char selector[EDS_REPORT_SELECTOR_MAX + 1];
	char result[EDS_REPORT_WORD_MAX + 1];
	char remark[EDS_REPORT_REMARK_MAX + 1];
};

struct eds_aggregate {
	struct rt_ctx *ctx;
	struct eds_report report; /* the report, without the sums */
	const char *errors[EDS_REPORT_ERRORS_MAX];
	struct eds_sums *sums;
	/* This member and the following ones are about the record that is being read. */
	struct eds_report_row row;
	struct eds_row_auth auth;
	bool passed_on; /* the receiver says that the mail was forwarded */
	char header_from[EDS_REPORT_DOMAIN_MAX + 1];
	char spf_domain[EDS_REPORT_DOMAIN_MAX +
		1]; /* domain of the first spf element, or of that with scope mfrom */
	struct eds_aggregate_item item;
	/* the record's signatures, which are counted when the record is complete */
	struct eds_aggregate_item signatures[EDS_AGGREGATE_SIGNATURES];
	size_t signature_count;
};

/* An empty aggregate, in the memory of ctx. */
struct eds_aggregate *eds_aggregate_new(struct rt_ctx *ctx);
/* The number of the child element with this name, which may have a prefix. */
enum eds_aggregate_element eds_aggregate_child(
	enum eds_aggregate_element parent, const char *name, size_t length);
void eds_aggregate_begin(struct eds_aggregate *aggregate, enum eds_aggregate_element element);
/* Reads an element at its end tag. text: the element's text without the white space around it,
 * NUL-terminated; "" for elements before EDS_ELEMENT_TEXT. */
void eds_aggregate_end(struct eds_aggregate *aggregate, enum eds_aggregate_element element,
	const char *text, size_t length);

#endif
