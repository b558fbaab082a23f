/* The result of an analysis as the API shows it: {spamScore, verdict, results, scoreBreakdown}. */
#ifndef TESTER_REPORT_H
#define TESTER_REPORT_H

#include "functions/tester/analysis.h"

json_t *report_json(struct rt_ctx *ctx, const struct analysis *analysis);

#endif
