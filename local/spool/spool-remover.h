/* Deletes segments in a thread. A segment holds the only durable copies of its messages, so the
 * thread first syncs the copies in the mail store and in failed/, once per segment; that may take
 * the disk a while.
 */
#ifndef RUNNER_SPOOL_REMOVER_H
#define RUNNER_SPOOL_REMOVER_H

#include "local/spool/spool-segment.h"

struct spool_remover;

/* store: path of the mail store, copied; it need not exist yet. NULL when no thread can be
 * started. */
struct spool_remover *spool_remover_new(const char *store);

/* Takes over the segment. When the store cannot be synced, the segment's files stay for the next
 * start. */
void spool_remover_add(struct spool_remover *remover, struct spool_segment *segment);

/* Waits until all added segments have been handled, then frees the remover. */
void spool_remover_free(struct spool_remover *remover);

#endif
