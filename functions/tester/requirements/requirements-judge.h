/* Judges each demand of the table (requirements.c) from the findings of the analysis. */
#ifndef TESTER_REQUIREMENTS_JUDGE_H
#define TESTER_REQUIREMENTS_JUDGE_H

#include "functions/tester/requirements/requirements.h"

void requirements_judge(
	struct rt_ctx *ctx, const struct analysis *analysis, struct requirements *requirements);

#endif
