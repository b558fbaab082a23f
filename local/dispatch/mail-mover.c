#include "local/dispatch/mail-mover.h"
#include "runtime/time.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "local/dispatch/event-mail.h"
#include "local/thread.h"
#include "runtime/mail-store/mailstore.h"

struct queue {
	struct mover_job *first;
	struct mover_job **last;
};

struct mail_mover {
	struct event *event; /* event that fires when jobs are finished */
	int signal;          /* eventfd that wakes the loop when jobs are finished */
	pthread_t threads[MAIL_MOVER_THREADS];
	int thread_count;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	struct queue waiting; /* jobs that wait; the mutex guards this member and the next two */
	struct queue back;
	bool stop;
};

static void queue_init(struct queue *queue)
{
	queue->first = NULL;
	queue->last = &queue->first;
}

static void queue_add(struct queue *queue, struct mover_job *job)
{
	job->next = NULL;
	*queue->last = job;
	queue->last = &job->next;
}

static struct mover_job *queue_take(struct queue *queue)
{
	struct mover_job *job = queue->first;

	if (job == NULL)
		return NULL;
	queue->first = job->next;
	if (queue->first == NULL)
		queue->last = &queue->first;
	return job;
}

struct mover_job *mover_job_new(void)
{
	struct mover_job *job = calloc(1, sizeof *job);

	if (job != NULL)
		job->ctx.arena = rt_arena_new();
	return job;
}

void mover_job_free(struct mover_job *job)
{
	rt_arena_free(job->ctx.arena);
	free(job);
}

static rt_status move(struct mover_job *job)
{
	job->ctx.deadline_ms = rt_monotonic_ms() + MAIL_MOVER_JOB_MS;
	if (job->remove != NULL)
		return rt_mailstore_delete(&job->ctx, job->remove);
	return event_mail_store(&job->ctx, &job->mail, &job->mail.targets[job->target]);
}

static void *move_jobs(void *arg)
{
	struct mail_mover *mover = arg;
	uint64_t one = 1;

	pthread_mutex_lock(&mover->mutex);
	for (;;) {
		struct mover_job *job;

		while (mover->waiting.first == NULL && !mover->stop)
			pthread_cond_wait(&mover->changed, &mover->mutex);
		if (mover->stop)
			break;
		job = queue_take(&mover->waiting);
		pthread_mutex_unlock(&mover->mutex);
		job->status = move(job);
		pthread_mutex_lock(&mover->mutex);
		queue_add(&mover->back, job);
		while (write(mover->signal, &one, sizeof one) < 0 && errno == EINTR)
			continue;
	}
	pthread_mutex_unlock(&mover->mutex);
	rt_mailstore_thread_done();
	return NULL;
}

static void finish(struct mover_job *job)
{
	job->done(job, job->status);
	mover_job_free(job);
}

static void on_jobs_done(evutil_socket_t fd, short what, void *arg)
{
	struct mail_mover *mover = arg;
	struct mover_job *job;
	uint64_t count;

	(void)what;
	/* One wakeup may mean several jobs, so all finished jobs are handled. */
	if (read(fd, &count, sizeof count) != (ssize_t)sizeof count)
		return;
	do {
		pthread_mutex_lock(&mover->mutex);
		job = queue_take(&mover->back);
		pthread_mutex_unlock(&mover->mutex);
		if (job != NULL)
			finish(job);
	} while (job != NULL);
}

static bool start_threads(struct mail_mover *mover)
{
	while (mover->thread_count < MAIL_MOVER_THREADS &&
		thread_start(&mover->threads[mover->thread_count], move_jobs, mover))
		mover->thread_count++;
	return mover->thread_count > 0;
}

struct mail_mover *mail_mover_new(struct event_base *base)
{
	struct mail_mover *mover = calloc(1, sizeof *mover);

	if (mover == NULL)
		return NULL;
	queue_init(&mover->waiting);
	queue_init(&mover->back);
	pthread_mutex_init(&mover->mutex, NULL);
	pthread_cond_init(&mover->changed, NULL);
	mover->signal = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (mover->signal >= 0)
		mover->event = event_new(
			base, mover->signal, EV_READ | EV_PERSIST, on_jobs_done, mover);
	if (mover->event == NULL || event_add(mover->event, NULL) != 0 || !start_threads(mover)) {
		mail_mover_free(mover);
		return NULL;
	}
	return mover;
}

void mail_mover_submit(struct mail_mover *mover, struct mover_job *job)
{
	pthread_mutex_lock(&mover->mutex);
	queue_add(&mover->waiting, job);
	pthread_cond_signal(&mover->changed);
	pthread_mutex_unlock(&mover->mutex);
}

void mail_mover_stop(struct mail_mover *mover)
{
	pthread_mutex_lock(&mover->mutex);
	mover->stop = true;
	pthread_cond_broadcast(&mover->changed);
	pthread_mutex_unlock(&mover->mutex);
}

static void give_back(struct queue *queue, bool begun)
{
	struct mover_job *job;

	while ((job = queue_take(queue)) != NULL) {
		if (!begun)
			job->status = rt_fail(&job->ctx, RT_TEMPORARY, "mail-store-failed",
				"the runner is stopping");
		finish(job);
	}
}

void mail_mover_free(struct mail_mover *mover)
{
	mail_mover_stop(mover);
	for (int i = 0; i < mover->thread_count; i++)
		pthread_join(mover->threads[i], NULL);
	give_back(&mover->back, true);
	give_back(&mover->waiting, false);
	if (mover->event != NULL)
		event_free(mover->event);
	if (mover->signal >= 0)
		close(mover->signal);
	pthread_cond_destroy(&mover->changed);
	pthread_mutex_destroy(&mover->mutex);
	free(mover);
}
