/* Who runs a source of mail, as far as that is known. */
#ifndef EDS_REPORTS_SOURCE_OPERATOR_H
#define EDS_REPORTS_SOURCE_OPERATOR_H

#include "functions/lib/reports/senders.h"
#include "functions/lib/store/reports/report-sources.h"

enum report_source_class {
	REPORT_SOURCE_SERVICE,   /* of an operator that is known to send for others */
	REPORT_SOURCE_UNKNOWN,   /* of the domain itself, or of anybody */
	REPORT_SOURCE_FORWARDER, /* passes on what was sent to somebody else */
	REPORT_SOURCE_CLASSES,
};

/* By the name that DNS confirms, which nobody else can have; else by what the service proves in the
 * domain's own reports: its bounce domain names the address, or it signs. NULL: nobody known. */
const struct eds_sender *report_source_operator(
	struct rt_ctx *ctx, const struct eds_report_source *source);

enum report_source_class report_source_class(
	struct rt_ctx *ctx, const struct eds_report_source *source);
const char *report_source_class_name(enum report_source_class class);

#endif
