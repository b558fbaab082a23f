/* The thread that writes large messages to their segments, piece by piece as they are received, so
 * that neither the event loop nor the spool's writer waits for these writes.
 */
#ifndef RUNNER_SPOOL_STREAMER_H
#define RUNNER_SPOOL_STREAMER_H

#include <event2/event.h>

#include "local/spool/spool-segment.h"

struct spool_streamer;

/* A piece to be written. The thread owns the segment and the octets until done() is called, in the
 * loop's thread, with 0 or errno. */
struct spool_piece {
	struct spool_segment *segment;
	struct iovec part;
	uint64_t offset;
	/* The head of the record, given with the last piece only: the head is written at the start
	 * of the file, and then the file is synced. Empty for other pieces. */
	struct iovec head;
	void (*done)(void *arg, int error);
	void *arg;
	int error;
	struct spool_piece *next;
};

/* Starts the thread; NULL when it cannot be started. */
struct spool_streamer *spool_streamer_new(struct event_base *base);

/* Writes the piece, after all pieces that were given earlier. The piece is borrowed until done() is
 * called. */
void spool_streamer_write(struct spool_streamer *streamer, struct spool_piece *piece);

/* Writes all pieces that were given, calls done() for each of them, and stops the thread. */
void spool_streamer_free(struct spool_streamer *streamer);

#endif
