/* Names of states and subjects. Separate from the looks, for code that only reads stored
 * results. */
#ifndef EDS_NAMES_H
#define EDS_NAMES_H

#include "functions/lib/posture/posture.h"

const char *eds_posture_state_name(enum eds_posture_state state); /* "ok", "unknown", … */
enum eds_posture_state eds_posture_state_rank(const char *name);  /* the reverse, or unknown */
const char *eds_posture_subject_name(enum eds_posture_subject subject); /* "mta-sts", … */

#endif
