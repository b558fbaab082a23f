/* Threads that move messages into the mail store, and out of it, while the loop goes on: the store
 * may be on another machine, and a file system that is busy takes its time, too, to make a file.
 *
 * A job is made on the loop's thread, filled there, and comes back there; between the two it is a
 * thread's. A store that fails gives RT_TEMPORARY; what waits then is the caller's to decide.
 */
#ifndef RUNNER_MAIL_MOVER_H
#define RUNNER_MAIL_MOVER_H

#include <event2/event.h>

#include "local/spool/spool-record.h"

enum {
	MAIL_MOVER_THREADS = 8,
	MAIL_MOVER_JOB_MS = 15000, /* less than a stopping runner waits for */
};

struct mail_mover;
struct mover_job;

/* status: RT_OK or why not, with the sentence in job->ctx.failure. The job is freed behind it. */
typedef void (*mail_mover_done)(struct mover_job *job, rt_status status);

struct mover_job {
	struct rt_ctx ctx;      /* with an arena of its own */
	struct spool_mail mail; /* to put; unused when one is removed */
	uint32_t target;
	const char *remove; /* message id to remove instead; NULL to put */
	mail_mover_done done;
	void *arg;
	rt_status status; /* the mover's, as is next */
	struct mover_job *next;
};

/* NULL when no thread can be started. */
struct mail_mover *mail_mover_new(struct event_base *base);

/* A job with nothing in it. */
struct mover_job *mover_job_new(void);
void mover_job_free(struct mover_job *job);

/* Takes the job over. */
void mail_mover_submit(struct mail_mover *mover, struct mover_job *job);

/* Begins no further job. */
void mail_mover_stop(struct mail_mover *mover);

/* Waits for the jobs under way, then gives all that are left back, as failed if they were not
 * begun. */
void mail_mover_free(struct mail_mover *mover);

#endif
