/* Threads that put messages into the mail store and remove them, so that the event loop does not
 * wait: the store may be on another machine, and a busy file system is slow to create a file.
 *
 * The loop's thread creates and fills a job and later gets it back; in between, the job belongs to
 * a mover thread. When the mail store fails, the job ends with RT_TEMPORARY, and the caller decides
 * whether the mail waits.
 */
#ifndef RUNNER_MAIL_MOVER_H
#define RUNNER_MAIL_MOVER_H

#include <event2/event.h>

#include "local/spool/spool-record.h"

enum {
	MAIL_MOVER_THREADS = 8,
	/* time-out of a job; shorter than the time for which a stopping runner waits */
	MAIL_MOVER_JOB_MS = 15000,
};

struct mail_mover;
struct mover_job;

/* Called in the loop's thread when a job is finished. status: RT_OK, or the failure with its
 * sentence in job->ctx.failure. The job is freed after the call. */
typedef void (*mail_mover_done)(struct mover_job *job, rt_status status);

struct mover_job {
	struct rt_ctx ctx;      /* context of the job, with a separate arena */
	struct spool_mail mail; /* the message to store; unused for a removal */
	uint32_t target;        /* index of the target in `mail` */
	const char *remove;     /* id of a message to remove; NULL: `mail` is stored */
	mail_mover_done done;
	void *arg;
	rt_status status; /* result of the job; only the mover uses status and next */
	struct mover_job *next;
};

/* Starts the threads, as many of them as can be started. NULL when not even one can be, or when out
 * of memory. */
struct mail_mover *mail_mover_new(struct event_base *base);

/* Makes an empty job. */
struct mover_job *mover_job_new(void);
void mover_job_free(struct mover_job *job);

/* Starts the job, which belongs to the mover until done is called. */
void mail_mover_submit(struct mail_mover *mover, struct mover_job *job);

/* From now on no further jobs are started. */
void mail_mover_stop(struct mail_mover *mover);

/* Waits for the running jobs, then calls done for all jobs that are left; those that were not
 * started fail. */
void mail_mover_free(struct mail_mover *mover);

#endif
