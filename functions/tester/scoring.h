/* From findings to rules: which rules of the interface apply to an analysed message. */
#ifndef TESTER_SCORING_H
#define TESTER_SCORING_H

#include "functions/tester/analysis.h"

/* Fills analysis->score, in the order of the interface's table. */
void scoring_apply(struct analysis *analysis);

#endif
