/* Answers the questions that libspf2 asks during an evaluation (RFC 7208 section 5). */
#ifndef EDS_SPF_ANSWER_H
#define EDS_SPF_ANSWER_H

#include "functions/lib/spf/spf-check.h"

void eds_spf_answer(struct eds_spf_check *check, const struct eds_spf_question *question,
	struct eds_spf_reply *reply);

/* Reads the record that an include or redirect names; for the first question, reads the domain's
 * own record. NULL when the check has ended. */
const struct eds_spf_source *eds_spf_follow(
	struct eds_spf_check *check, const struct eds_spf_question *question);

#endif
