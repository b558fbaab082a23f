/* Scoring: decides which rules of the API apply to an analyzed message. */
#ifndef TESTER_SCORING_H
#define TESTER_SCORING_H

#include "functions/tester/analysis.h"

/* Fills analysis->score, in the order of the API's table of rules. */
void scoring_apply(struct analysis *analysis);

#endif
