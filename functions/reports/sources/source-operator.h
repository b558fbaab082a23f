/* The operator of a source of mail, as far as known. */
#ifndef EDS_REPORTS_SOURCE_OPERATOR_H
#define EDS_REPORTS_SOURCE_OPERATOR_H

#include "functions/lib/reports/senders.h"
#include "functions/lib/store/reports/report-sources.h"

enum report_source_class {
	REPORT_SOURCE_SERVICE, /* the source belongs to an operator that is known to send for its
				* customers */
	REPORT_SOURCE_UNKNOWN, /* the source may be a server of the domain's owner, or of anybody */
	REPORT_SOURCE_FORWARDER, /* the source forwards mail of others */
	REPORT_SOURCE_CLASSES,
};

/* The operator of the source; NULL: unknown. It is the known operator to whom the address's
 * confirmed DNS name belongs; nobody else can set this name. If there is no such name, or it
 * belongs to no known operator, it is the known operator of a domain for which the reports say that
 * SPF passed. */
const struct eds_sender *report_source_operator(
	struct rt_ctx *ctx, const struct eds_report_source *source);

/* REPORT_SOURCE_FORWARDER if the operator is a known forwarder, or if most of the source's
 * messages were forwarded; else REPORT_SOURCE_SERVICE if the operator is known, and
 * REPORT_SOURCE_UNKNOWN if not. */
enum report_source_class report_source_class(
	struct rt_ctx *ctx, const struct eds_report_source *source);
const char *report_source_class_name(enum report_source_class class);

#endif
