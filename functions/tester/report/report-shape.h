/* The message's shape in the result: its parts, and where its links lead. */
#ifndef TESTER_REPORT_SHAPE_H
#define TESTER_REPORT_SHAPE_H

#include "functions/tester/analysis.h"

json_t *report_shape_json(struct rt_ctx *ctx, const struct analysis *analysis);

#endif
