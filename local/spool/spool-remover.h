/* Deletes segments in a thread. A segment holds the only durable copies of its messages. So before
 * the thread deletes a segment, it syncs the copies in the mail store and in failed/. Each sync may
 * take some time. */
#ifndef RUNNER_SPOOL_REMOVER_H
#define RUNNER_SPOOL_REMOVER_H

#include "local/spool/spool-segment.h"

struct spool_remover;

/* Starts the thread; NULL when it cannot be started. store: path of the mail store, copied; the
 * folder need not exist yet. */
struct spool_remover *spool_remover_new(const char *store);

/* Deletes the segment in the thread, which owns it from now on. When the mail store or the spool
 * cannot be synced, the segment's files stay for the next start. */
void spool_remover_add(struct spool_remover *remover, struct spool_segment *segment);

/* Waits until all added segments have been handled, then frees the remover. */
void spool_remover_free(struct spool_remover *remover);

#endif
