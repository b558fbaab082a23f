/* One message in a confined child: the task comes in over the socket, results go out. */
#ifndef EDS_VERIFIER_CHILD_H
#define EDS_VERIFIER_CHILD_H

#include "functions/lib/sandbox/verifier.h"

/* Verifies one message: reads the task from `data`, then sends each result, and DONE. */
void eds_verifier_child(int data, const char *message, size_t length);

#endif
