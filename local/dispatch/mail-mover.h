/* Threads that put messages into the mail store and remove them, so that the event loop does not
 * wait: the store may be on another machine, and a busy file system is slow to create a file.
 *
 * The loop's thread creates and fills a job and gets it back; in between, the job belongs to a
 * mover thread. A store that fails gives RT_TEMPORARY; the caller decides what waits then.
 */
#ifndef RUNNER_MAIL_MOVER_H
#define RUNNER_MAIL_MOVER_H

#include <event2/event.h>

#include "local/spool/spool-record.h"

enum {
	MAIL_MOVER_THREADS = 8,
	MAIL_MOVER_JOB_MS = 15000, /* less than the time that a stopping runner waits */
};

struct mail_mover;
struct mover_job;

/* status: RT_OK, or the failure with its sentence in job->ctx.failure. The job is freed after the
 * call. */
typedef void (*mail_mover_done)(struct mover_job *job, rt_status status);

struct mover_job {
	struct rt_ctx ctx;      /* with an arena of its own */
	struct spool_mail mail; /* the message to put; unused for a removal */
	uint32_t target;
	const char *remove; /* message id to remove instead; NULL to put */
	mail_mover_done done;
	void *arg;
	rt_status status; /* for the mover only, like next */
	struct mover_job *next;
};

/* NULL when no thread can be started. */
struct mail_mover *mail_mover_new(struct event_base *base);

/* An empty job. */
struct mover_job *mover_job_new(void);
void mover_job_free(struct mover_job *job);

/* Takes over the job. */
void mail_mover_submit(struct mail_mover *mover, struct mover_job *job);

/* Starts no further jobs. */
void mail_mover_stop(struct mail_mover *mover);

/* Waits for the running jobs, then calls done for all that are left; jobs that were not started
 * fail. */
void mail_mover_free(struct mail_mover *mover);

#endif
