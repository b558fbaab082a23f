/* Names of states and subjects, in a file of their own, so that programs that only read stored
 * results are linked without the code that asks DNS. */
#ifndef EDS_NAMES_H
#define EDS_NAMES_H

#include "functions/lib/posture/posture.h"

/* The first function returns the word for a state: "ok", "unknown" and so on. The second returns
 * the state with the given name, and EDS_POSTURE_UNKNOWN for any other text. */
const char *eds_posture_state_name(enum eds_posture_state state);
enum eds_posture_state eds_posture_state_rank(const char *name);

const char *eds_posture_subject_name(enum eds_posture_subject subject); /* The word for a subject:
									 * "mta-sts", … */

#endif
