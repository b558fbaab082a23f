/* The inside of a spool, shared by the files that keep it; not for others. */
#ifndef RUNNER_SPOOL_STATE_H
#define RUNNER_SPOOL_STATE_H

#include "local/spool/spool-remover.h"
#include "local/spool/spool-segment.h"
#include "local/spool/spool-streamer.h"
#include "local/spool/spool-writer.h"
#include "local/spool/spool.h"

/* A record on its way to the disk. */
struct entry {
	struct iovec parts[2]; /* head, message */
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
	struct spool_segment *current; /* NULL, or the one that takes records */
	uint64_t next_number;
	struct entry *first; /* not yet given to the writer */
	struct entry **last;
	struct spool_writer *writer;
	struct spool_remover *remover;
	struct entry *batch; /* with the writer */
	struct iovec *parts; /* of the batch */
	struct spool_streamer *streamer;
	struct event *tick;
	void (*on_batch)(void *arg); /* NULL for nobody */
	void *on_batch_arg;
	bool closing;
};

/* Where the segment hangs in the list; what that points to is NULL when there is none. */
struct spool_segment **spool_find_segment(struct spool *spool, uint64_t number);

/* Gives it to the remover when it takes no more records and all of them are done. */
void spool_delete_if_done(struct spool *spool, struct spool_segment *segment);

#endif
