/* Reads the segments that an earlier run left in the spool. */
#ifndef RUNNER_SPOOL_REPLAY_H
#define RUNNER_SPOOL_REPLAY_H

#include "local/spool/spool.h"

/* See spool_left in spool.h. */
uint64_t spool_replay(struct spool *spool, spool_left found, void *arg);

#endif
