/* The operator of a source of mail, as far as known. */
#ifndef EDS_REPORTS_SOURCE_OPERATOR_H
#define EDS_REPORTS_SOURCE_OPERATOR_H

#include "functions/lib/reports/senders.h"
#include "functions/lib/store/reports/report-sources.h"

enum report_source_class {
	REPORT_SOURCE_SERVICE,   /* run by an operator known to send for others */
	REPORT_SOURCE_UNKNOWN,   /* run by the domain itself, or by anybody */
	REPORT_SOURCE_FORWARDER, /* forwards mail that was sent to others */
	REPORT_SOURCE_CLASSES,
};

/* Found by the name that DNS confirms, which nobody else can have; else by evidence in the domain's
 * own reports: the service's bounce domain passes SPF for the address. NULL: unknown. */
const struct eds_sender *report_source_operator(
	struct rt_ctx *ctx, const struct eds_report_source *source);

enum report_source_class report_source_class(
	struct rt_ctx *ctx, const struct eds_report_source *source);
const char *report_source_class_name(enum report_source_class class);

#endif
