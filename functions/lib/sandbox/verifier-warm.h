/* The warm-up of the verifier: a test message, signed by a key that was thrown away, with its DNS
 * answers. */
#ifndef EDS_VERIFIER_WARM_H
#define EDS_VERIFIER_WARM_H

#include "functions/lib/sandbox/verifier.h"

/* Verifies the test message and drops the result. The libraries then have initialized themselves
 * and touched their memory before the first fork, which saves each child most of its page
 * faults. */
void eds_verifier_warm(void);

#endif
