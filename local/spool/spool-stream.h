/* A large message on its way into the spool while it comes in: a segment of its own takes the
 * pieces as they are, and becomes a record when the head is written in front of them.
 *
 * One call is under way at a time: the next waits for the answer to the one before.
 */
#ifndef RUNNER_SPOOL_STREAM_H
#define RUNNER_SPOOL_STREAM_H

#include "local/spool/spool.h"

struct spool_stream;

/* mail is known but for its message and the time. NULL when it cannot be begun. */
struct spool_stream *spool_stream_new(struct spool *spool, const struct spool_mail *mail);

/* Takes a piece over, which was allocated with malloc. written is called with 0 or errno; after an
 * error there is only spool_stream_drop. */
void spool_stream_write(struct spool_stream *stream, char *bytes, size_t length,
	void (*written)(void *arg, int error), void *arg);

/* mail->message is the last piece, borrowed until stored is called as for spool_append. Frees the
 * stream. */
void spool_stream_finish(
	struct spool_stream *stream, const struct spool_mail *mail, spool_stored stored, void *arg);

/* Frees it with what was written, also while a piece is being written: written is not called then.
 */
void spool_stream_drop(struct spool_stream *stream);

#endif
