/* The operator of a source of mail, as far as known. */
#ifndef EDS_REPORTS_SOURCE_OPERATOR_H
#define EDS_REPORTS_SOURCE_OPERATOR_H

#include "functions/lib/reports/senders.h"
#include "functions/lib/store/reports/report-sources.h"

enum report_source_class {
	REPORT_SOURCE_SERVICE,   /* of an operator that is known to send for its customers */
	REPORT_SOURCE_UNKNOWN,   /* a server of the domain, or of anybody */
	REPORT_SOURCE_FORWARDER, /* passes on mail of others */
	REPORT_SOURCE_CLASSES,
};

/* The operator of the source: by the name that DNS confirms for its address, which only the holder
 * of the domain can have; else by the reports about the domain, in which SPF passes for the address
 * under a bounce domain of the operator. NULL: unknown. */
const struct eds_sender *report_source_operator(
	struct rt_ctx *ctx, const struct eds_report_source *source);

/* FORWARDER for the addresses of a known forwarder, and when most of the source's messages were
 * forwarded; else SERVICE for every known operator, and UNKNOWN without one. */
enum report_source_class report_source_class(
	struct rt_ctx *ctx, const struct eds_report_source *source);
const char *report_source_class_name(enum report_source_class class);

#endif
