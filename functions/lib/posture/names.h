/* What states and subjects are called: apart from the looks, for who only reads what was seen. */
#ifndef EDS_NAMES_H
#define EDS_NAMES_H

#include "functions/lib/posture/posture.h"

const char *eds_posture_state_name(enum eds_posture_state state);       /* "ok", "unknown", … */
enum eds_posture_state eds_posture_state_rank(const char *name);        /* and back; else unknown */
const char *eds_posture_subject_name(enum eds_posture_subject subject); /* "mta-sts", … */

#endif
