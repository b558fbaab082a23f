/* A source of mail as the API shows it: its operator, its mail, and its problem. */
#ifndef EDS_REPORTS_SOURCE_JSON_H
#define EDS_REPORTS_SOURCE_JSON_H

#include <jansson.h>

#include "functions/lib/store/reports/report-sources.h"

/* The source as JSON: {"source", "name", "operator", "class", "firstDay", "lastDay", "messages",
 * …}. */
json_t *report_source_json(struct rt_ctx *ctx, const struct eds_domain *domain,
	const struct eds_report_source *source);

#endif
