/* The calls of libspf2: its resolver hooks, and one evaluation. */
#ifndef EDS_SPF_LIBSPF2_H
#define EDS_SPF_LIBSPF2_H

#include "functions/lib/spf/spf-check.h"

/* Evaluates the domain's record with libspf2: sets code and mechanism, or ends the check. */
void eds_spf_run(struct eds_spf_check *check);

#endif
