/* A message of our own, signed by a key that is kept nowhere, with the DNS it needs. */
#ifndef EDS_VERIFIER_WARM_H
#define EDS_VERIFIER_WARM_H

#include "functions/lib/sandbox/verifier.h"

/* Verifies a message of our own and forgets the result: what the libraries set up and what they
 * touch is then there before the first fork, which saves each child most of its page faults. */
void eds_verifier_warm(void);

#endif
