/* Deletes segments in a thread: before the only durable copy of a message goes, those in the mail
 * store and in failed/ are made durable, all of a segment at once, which may take the disk a while.
 */
#ifndef RUNNER_SPOOL_REMOVER_H
#define RUNNER_SPOOL_REMOVER_H

#include "local/spool/spool-segment.h"

struct spool_remover;

/* store: path of the mail store, copied; it need not be there yet. NULL when no thread can be
 * started. */
struct spool_remover *spool_remover_new(const char *store);

/* Takes the segment over. When the store cannot be synced its files stay for the next start. */
void spool_remover_add(struct spool_remover *remover, struct spool_segment *segment);

/* Waits until all that was added is gone. */
void spool_remover_free(struct spool_remover *remover);

#endif
