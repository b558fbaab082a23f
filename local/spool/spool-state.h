/* Internals of the spool, shared by the files that implement it; other files must not include
 * it. */
#ifndef RUNNER_SPOOL_STATE_H
#define RUNNER_SPOOL_STATE_H

#include "local/spool/spool-remover.h"
#include "local/spool/spool-segment.h"
#include "local/spool/spool-streamer.h"
#include "local/spool/spool-writer.h"
#include "local/spool/spool.h"

/* A record that waits to be written or is being written. */
struct entry {
	struct iovec parts[2]; /* the parts of the record: head and message */
	struct spool_place place;
	uint32_t target_count;
	spool_stored stored;
	void *arg;
	struct entry *next;
};

struct spool {
	int folder;
	int lock;
	struct spool_segment *segments;
	struct spool_segment *current; /* the segment that accepts records; NULL if none */
	uint64_t next_number;
	struct entry *first; /* entries not yet given to the writer */
	struct entry **last;
	struct spool_writer *writer;
	struct spool_remover *remover;
	struct entry *batch; /* entries that the writer is writing */
	struct iovec *parts; /* the parts of the batch */
	struct spool_streamer *streamer;
	struct event *tick;
	void (*on_batch)(void *arg); /* called after each batch; NULL: no callback */
	void *on_batch_arg;
	bool closing;
};

/* The pointer in the list that points to the segment with this number. When there is no such
 * segment, this is the last pointer of the list, which is NULL. */
struct spool_segment **spool_find_segment(struct spool *spool, uint64_t number);

/* Gives the segment to the remover when it is closed and all its targets are done. */
void spool_delete_if_done(struct spool *spool, struct spool_segment *segment);

#endif
