/* The thread that writes large messages to their segments, piece by piece as they are received, so
 * that neither the event loop nor the spool's writer waits for these writes.
 */
#ifndef RUNNER_SPOOL_STREAMER_H
#define RUNNER_SPOOL_STREAMER_H

#include <event2/event.h>

#include "local/spool/spool-segment.h"

struct spool_streamer;

/* A piece to write. The thread owns the segment and the octets until done is called on the loop's
 * thread with 0 or errno. */
struct spool_piece {
	struct spool_segment *segment;
	struct iovec part;
	uint64_t offset;
	struct iovec head; /* with the last piece: written at the file's start, then the file is
			      synced; else empty */
	void (*done)(void *arg, int error);
	void *arg;
	int error;
	struct spool_piece *next;
};

/* NULL when no thread can be started. */
struct spool_streamer *spool_streamer_new(struct event_base *base);

/* Writes pieces in the order in which they are given. The piece is borrowed until done is
 * called. */
void spool_streamer_write(struct spool_streamer *streamer, struct spool_piece *piece);

/* Writes all pieces given, calls done for each, and stops the thread. */
void spool_streamer_free(struct spool_streamer *streamer);

#endif
