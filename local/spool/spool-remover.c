#include "local/spool/spool-remover.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "local/thread.h"

struct spool_remover {
	char *store;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	/* list of the segments to be deleted; the mutex guards `first` and `stop` */
	struct spool_segment *first;
	bool stop;
};

/* Syncs the mail store. A store that does not exist has no message that could be lost. */
static bool sync_store(const char *store)
{
	int fd = open(store, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool ok = fd < 0 ? errno == ENOENT : syncfs(fd) == 0;

	if (fd >= 0)
		close(fd);
	return ok;
}

/* Syncs mail store and spool. If both are on one file system, the second sync has nothing left to
 * write. */
static bool sync_all(const struct spool_remover *remover, const struct spool_segment *segment)
{
	return sync_store(remover->store) && syncfs(segment->folder) == 0;
}

static void *remove_segments(void *arg)
{
	struct spool_remover *remover = arg;

	pthread_mutex_lock(&remover->mutex);
	for (;;) {
		struct spool_segment *segment;

		while (remover->first == NULL && !remover->stop)
			pthread_cond_wait(&remover->changed, &remover->mutex);
		segment = remover->first;
		if (segment == NULL)
			break;
		remover->first = segment->next;
		pthread_mutex_unlock(&remover->mutex);
		if (segment->worthless || sync_all(remover, segment))
			spool_segment_delete(segment);
		spool_segment_free(segment);
		pthread_mutex_lock(&remover->mutex);
	}
	pthread_mutex_unlock(&remover->mutex);
	return NULL;
}

static void release(struct spool_remover *remover)
{
	pthread_cond_destroy(&remover->changed);
	pthread_mutex_destroy(&remover->mutex);
	free(remover->store);
	free(remover);
}

struct spool_remover *spool_remover_new(const char *store)
{
	struct spool_remover *remover = calloc(1, sizeof *remover);

	if (remover == NULL)
		return NULL;
	pthread_mutex_init(&remover->mutex, NULL);
	pthread_cond_init(&remover->changed, NULL);
	remover->store = strdup(store);
	if (remover->store == NULL || !thread_start(&remover->thread, remove_segments, remover)) {
		release(remover);
		return NULL;
	}
	return remover;
}

void spool_remover_add(struct spool_remover *remover, struct spool_segment *segment)
{
	pthread_mutex_lock(&remover->mutex);
	segment->next = remover->first;
	remover->first = segment;
	pthread_cond_signal(&remover->changed);
	pthread_mutex_unlock(&remover->mutex);
}

void spool_remover_free(struct spool_remover *remover)
{
	pthread_mutex_lock(&remover->mutex);
	remover->stop = true;
	pthread_cond_signal(&remover->changed);
	pthread_mutex_unlock(&remover->mutex);
	pthread_join(remover->thread, NULL);
	release(remover);
}
