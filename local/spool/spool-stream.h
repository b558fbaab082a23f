/* Writes a large message into the spool while it is being received. The pieces go into a separate
 * segment and become a record when, at the end, the head is written at the start of the file.
 *
 * The caller makes one call at a time and waits for its callback before the next call.
 */
#ifndef RUNNER_SPOOL_STREAM_H
#define RUNNER_SPOOL_STREAM_H

#include "local/spool/spool.h"

struct spool_stream;

/* Starts a stream; NULL on failure. All members of mail must be set except message, length and the
 * time at which it was received. */
struct spool_stream *spool_stream_new(struct spool *spool, const struct spool_mail *mail);

/* Writes a piece, which was allocated with malloc and now belongs to the stream. Calls written()
 * with 0 or errno; after an error the only valid call is spool_stream_drop(). */
void spool_stream_write(struct spool_stream *stream, char *bytes, size_t length,
	void (*written)(void *arg, int error), void *arg);

/* Writes the last piece, mail->message. The piece is borrowed until stored() is called, which
 * happens as for spool_append(). Frees the stream. */
void spool_stream_finish(
	struct spool_stream *stream, const struct spool_mail *mail, spool_stored stored, void *arg);

/* Frees the stream and deletes its pieces from the spool. May be called while a piece is being
 * written; written() is not called for that piece. */
void spool_stream_drop(struct spool_stream *stream);

#endif
