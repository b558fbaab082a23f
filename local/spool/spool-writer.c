#include "local/spool/spool-writer.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "local/thread.h"

struct spool_writer {
	void (*finished)(void *arg, int error);
	void *arg;
	struct event *event; /* event that fires when the thread has finished its batch */
	int signal;          /* eventfd that wakes the loop */
	/* true from the start of a batch until finished() is called; used in the loop's thread
	 * only */
	bool busy;

	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	/* true: the thread owns the batch below; the mutex guards `work` and `stop` */
	bool work;
	bool stop;
	struct spool_segment *segment;
	struct iovec *parts;
	int part_count;
	int error;
};

static void *write_batches(void *arg)
{
	struct spool_writer *writer = arg;
	uint64_t one = 1;

	pthread_mutex_lock(&writer->mutex);
	for (;;) {
		while (!writer->work && !writer->stop)
			pthread_cond_wait(&writer->changed, &writer->mutex);
		if (!writer->work)
			break;
		pthread_mutex_unlock(&writer->mutex);
		writer->error = spool_segment_append(
			writer->segment, writer->parts, writer->part_count);
		pthread_mutex_lock(&writer->mutex);
		writer->work = false;
		while (write(writer->signal, &one, sizeof one) < 0 && errno == EINTR)
			continue;
	}
	pthread_mutex_unlock(&writer->mutex);
	return NULL;
}

static void on_batch_finished(evutil_socket_t fd, short what, void *arg)
{
	struct spool_writer *writer = arg;
	uint64_t count;

	(void)what;
	if (read(fd, &count, sizeof count) != (ssize_t)sizeof count)
		return;
	/* The thread writes to the eventfd with the mutex held; taking the mutex waits until the
	 * thread has released it. */
	pthread_mutex_lock(&writer->mutex);
	writer->busy = false;
	pthread_mutex_unlock(&writer->mutex);
	writer->finished(writer->arg, writer->error);
}

static void release(struct spool_writer *writer)
{
	if (writer->event != NULL)
		event_free(writer->event);
	if (writer->signal >= 0)
		close(writer->signal);
	pthread_cond_destroy(&writer->changed);
	pthread_mutex_destroy(&writer->mutex);
	free(writer);
}

struct spool_writer *spool_writer_new(
	struct event_base *base, void (*finished)(void *arg, int error), void *arg)
{
	struct spool_writer *writer = calloc(1, sizeof *writer);

	if (writer == NULL)
		return NULL;
	writer->finished = finished;
	writer->arg = arg;
	pthread_mutex_init(&writer->mutex, NULL);
	pthread_cond_init(&writer->changed, NULL);
	writer->signal = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (writer->signal >= 0)
		writer->event = event_new(
			base, writer->signal, EV_READ | EV_PERSIST, on_batch_finished, writer);
	if (writer->event == NULL || event_add(writer->event, NULL) != 0 ||
		!thread_start(&writer->thread, write_batches, writer)) {
		release(writer);
		return NULL;
	}
	return writer;
}

void spool_writer_write(struct spool_writer *writer, struct spool_segment *segment,
	struct iovec *parts, int part_count)
{
	pthread_mutex_lock(&writer->mutex);
	writer->segment = segment;
	writer->parts = parts;
	writer->part_count = part_count;
	writer->busy = writer->work = true;
	pthread_cond_signal(&writer->changed);
	pthread_mutex_unlock(&writer->mutex);
}

bool spool_writer_busy(const struct spool_writer *writer)
{
	return writer->busy;
}

void spool_writer_free(struct spool_writer *writer)
{
	pthread_mutex_lock(&writer->mutex);
	writer->stop = true;
	pthread_cond_signal(&writer->changed);
	pthread_mutex_unlock(&writer->mutex);
	pthread_join(writer->thread, NULL);
	if (writer->busy) {
		writer->busy = false;
		writer->finished(writer->arg, writer->error);
	}
	release(writer);
}
