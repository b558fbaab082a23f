/* A source of mail as the API shows it: who runs it, what it sends, and what is wrong with that. */
#ifndef EDS_REPORTS_SOURCE_JSON_H
#define EDS_REPORTS_SOURCE_JSON_H

#include <jansson.h>

#include "functions/lib/store/report-sources.h"

enum report_source_class {
	REPORT_SOURCE_SERVICE,   /* of an operator that is known to send for others */
	REPORT_SOURCE_UNKNOWN,   /* of the domain itself, or of anybody */
	REPORT_SOURCE_FORWARDER, /* passes on what was sent to somebody else */
	REPORT_SOURCE_CLASSES,
};

enum report_source_class report_source_class(
	struct rt_ctx *ctx, const struct eds_report_source *source);
const char *report_source_class_name(enum report_source_class class);

/* {"source", "name", "operator", "class", "firstDay", "lastDay", "messages", …}. */
json_t *report_source_json(struct rt_ctx *ctx, const struct eds_domain *domain,
	const struct eds_report_source *source);

#endif
