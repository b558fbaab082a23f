#include "local/spool/spool-stream.h"

#include <errno.h>
#include <stdlib.h>

#include "local/spool/spool-state.h"

struct spool_stream {
	struct spool *spool;
	struct spool_segment *segment;
	struct spool_piece piece; /* the piece that is being written */
	char *bytes; /* octets of the piece, to be freed; NULL when they are borrowed */
	bool busy;
	bool dropped;
	uint64_t head_bytes;
	uint64_t message_bytes; /* how many octets of the message were given so far */
	EVP_MD_CTX *sum;
	void (*written)(void *arg, int error);
	spool_stored stored;
	void *arg;
	uint32_t target_count;
};

static bool make_segment(struct spool_stream *stream)
{
	struct spool *spool = stream->spool;

	stream->segment = spool_segment_new(spool->folder, spool->next_number);
	if (stream->segment == NULL)
		return false;
	spool->next_number++;
	stream->segment->closed = true;
	/* the stream is counted as one target, so that the segment stays */
	stream->segment->pending = 1;
	stream->segment->next = spool->segments;
	spool->segments = stream->segment;
	return true;
}

struct spool_stream *spool_stream_new(struct spool *spool, const struct spool_mail *mail)
{
	struct spool_stream *stream = calloc(1, sizeof *stream);

	if (stream == NULL)
		return NULL;
	stream->spool = spool;
	stream->head_bytes = spool_record_head_bytes(mail);
	stream->sum = EVP_MD_CTX_new();
	if (stream->sum == NULL || EVP_DigestInit_ex(stream->sum, EVP_sha256(), NULL) != 1 ||
		!make_segment(stream)) {
		EVP_MD_CTX_free(stream->sum);
		free(stream);
		return NULL;
	}
	return stream;
}

/* Ends the stream. The segment then waits for target_count targets; it is deleted at once if there
 * are none. */
static void end_stream(struct spool_stream *stream, uint32_t target_count)
{
	stream->segment->pending = target_count;
	stream->segment->worthless = target_count == 0;
	spool_delete_if_done(stream->spool, stream->segment);
	EVP_MD_CTX_free(stream->sum);
	free(stream);
}

static void write_piece(struct spool_stream *stream, const char *bytes, size_t length,
	void (*done)(void *arg, int error))
{
	stream->piece.segment = stream->segment;
	stream->piece.part = (struct iovec){(void *)(uintptr_t)bytes, length};
	stream->piece.offset = stream->head_bytes + stream->message_bytes;
	stream->piece.done = done;
	stream->piece.arg = stream;
	stream->busy = true;
	stream->message_bytes += length;
	stream->segment->bytes = stream->head_bytes + stream->message_bytes;
	spool_streamer_write(stream->spool->streamer, &stream->piece);
}

static void piece_written(void *arg, int error)
{
	struct spool_stream *stream = arg;

	stream->busy = false;
	free(stream->bytes);
	stream->bytes = NULL;
	if (stream->dropped)
		end_stream(stream, 0);
	else
		stream->written(stream->arg, error);
}

void spool_stream_write(struct spool_stream *stream, char *bytes, size_t length,
	void (*written)(void *arg, int error), void *arg)
{
	stream->bytes = bytes;
	stream->written = written;
	stream->arg = arg;
	if (EVP_DigestUpdate(stream->sum, bytes, length) != 1) {
		free(bytes);
		stream->bytes = NULL;
		written(arg, ENOMEM);
		return;
	}
	write_piece(stream, bytes, length, piece_written);
}

static void record_written(void *arg, int error)
{
	struct spool_stream *stream = arg;
	const struct spool_place place = {
		.segment = stream->segment->number, .length = (uint32_t)stream->segment->bytes};
	spool_stored stored = stream->stored;
	void *stored_arg = stream->arg;

	free(stream->piece.head.iov_base);
	end_stream(stream, error == 0 ? stream->target_count : 0);
	stored(stored_arg, error == 0 ? &place : NULL, error);
}

void spool_stream_finish(
	struct spool_stream *stream, const struct spool_mail *mail, spool_stored stored, void *arg)
{
	size_t message_bytes = stream->message_bytes + mail->length;
	struct iovec *head = &stream->piece.head;

	if (EVP_DigestUpdate(stream->sum, mail->message, mail->length) == 1)
		head->iov_base = spool_record_head_behind(
			mail, message_bytes, stream->sum, &head->iov_len);
	if (head->iov_base == NULL || head->iov_len != stream->head_bytes) {
		free(head->iov_base);
		end_stream(stream, 0);
		stored(arg, NULL, ENOMEM);
		return;
	}
	stream->stored = stored;
	stream->arg = arg;
	stream->target_count = (uint32_t)mail->target_count;
	write_piece(stream, mail->message, mail->length, record_written);
}

void spool_stream_drop(struct spool_stream *stream)
{
	stream->dropped = true;
	if (!stream->busy)
		end_stream(stream, 0);
}
