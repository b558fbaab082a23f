#include "local/spool/spool-streamer.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "local/thread.h"

struct pieces {
	struct spool_piece *first;
	struct spool_piece **last;
};

struct spool_streamer {
	struct event *event; /* event that fires when pieces are written */
	int signal;          /* eventfd that wakes the loop when pieces are written */
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	bool stop; /* tells the thread to end; the mutex guards `stop`, `waiting` and `written` */
	struct pieces waiting;
	struct pieces written;
};

static void put(struct pieces *pieces, struct spool_piece *piece)
{
	piece->next = NULL;
	if (pieces->first == NULL)
		pieces->last = &pieces->first;
	*pieces->last = piece;
	pieces->last = &piece->next;
}

static struct spool_piece *take(struct pieces *pieces)
{
	struct spool_piece *piece = pieces->first;

	if (piece != NULL)
		pieces->first = piece->next;
	return piece;
}

/* Writes a piece. After the last piece also writes the head, which makes the octets a record. */
static int write_piece(struct spool_piece *piece)
{
	int error = spool_segment_write(piece->segment, piece->offset, &piece->part);

	if (error == 0 && piece->head.iov_len > 0)
		error = spool_segment_write(piece->segment, 0, &piece->head);
	if (error == 0 && piece->head.iov_len > 0)
		error = spool_segment_sync(piece->segment);
	return error;
}

static void *write_pieces(void *arg)
{
	struct spool_streamer *streamer = arg;
	uint64_t one = 1;

	pthread_mutex_lock(&streamer->mutex);
	for (;;) {
		struct spool_piece *piece;

		while (streamer->waiting.first == NULL && !streamer->stop)
			pthread_cond_wait(&streamer->changed, &streamer->mutex);
		piece = take(&streamer->waiting);
		if (piece == NULL)
			break;
		pthread_mutex_unlock(&streamer->mutex);
		piece->error = write_piece(piece);
		pthread_mutex_lock(&streamer->mutex);
		put(&streamer->written, piece);
		while (write(streamer->signal, &one, sizeof one) < 0 && errno == EINTR)
			continue;
	}
	pthread_mutex_unlock(&streamer->mutex);
	return NULL;
}

static void report_written(struct spool_streamer *streamer)
{
	struct spool_piece *piece;

	do {
		pthread_mutex_lock(&streamer->mutex);
		piece = take(&streamer->written);
		pthread_mutex_unlock(&streamer->mutex);
		if (piece != NULL)
			piece->done(piece->arg, piece->error);
	} while (piece != NULL);
}

static void on_signal(evutil_socket_t fd, short what, void *arg)
{
	uint64_t count;

	(void)what;
	if (read(fd, &count, sizeof count) == (ssize_t)sizeof count)
		report_written(arg);
}

static void release(struct spool_streamer *streamer)
{
	if (streamer->event != NULL)
		event_free(streamer->event);
	if (streamer->signal >= 0)
		close(streamer->signal);
	pthread_cond_destroy(&streamer->changed);
	pthread_mutex_destroy(&streamer->mutex);
	free(streamer);
}

struct spool_streamer *spool_streamer_new(struct event_base *base)
{
	struct spool_streamer *streamer = calloc(1, sizeof *streamer);

	if (streamer == NULL)
		return NULL;
	pthread_mutex_init(&streamer->mutex, NULL);
	pthread_cond_init(&streamer->changed, NULL);
	streamer->signal = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (streamer->signal >= 0)
		streamer->event = event_new(
			base, streamer->signal, EV_READ | EV_PERSIST, on_signal, streamer);
	if (streamer->event == NULL || event_add(streamer->event, NULL) != 0 ||
		!thread_start(&streamer->thread, write_pieces, streamer)) {
		release(streamer);
		return NULL;
	}
	return streamer;
}

void spool_streamer_write(struct spool_streamer *streamer, struct spool_piece *piece)
{
	pthread_mutex_lock(&streamer->mutex);
	put(&streamer->waiting, piece);
	pthread_cond_signal(&streamer->changed);
	pthread_mutex_unlock(&streamer->mutex);
}

void spool_streamer_free(struct spool_streamer *streamer)
{
	pthread_mutex_lock(&streamer->mutex);
	streamer->stop = true;
	pthread_cond_signal(&streamer->changed);
	pthread_mutex_unlock(&streamer->mutex);
	pthread_join(streamer->thread, NULL);
	report_written(streamer);
	release(streamer);
}
