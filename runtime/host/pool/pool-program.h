/* Notices changed program files, so that a pool uses a new program from the next event on. */
#ifndef HOST_POOL_PROGRAM_H
#define HOST_POOL_PROGRAM_H

#include "runtime/host/pool/pool-handler.h"

/* Checks whether the program has changed. If so, handlers of the old one get no more events. */
void pool_look_at_program(struct pool *pool);

#endif
