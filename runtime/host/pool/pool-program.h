/* A changed program is used from the next event on: what pools know of their programs' files. */
#ifndef HOST_POOL_PROGRAM_H
#define HOST_POOL_PROGRAM_H

#include "runtime/host/pool/pool-handler.h"

/* Looks whether the program is another by now; handlers of the one before are then not used again.
 */
void pool_look_at_program(struct pool *pool);

#endif
