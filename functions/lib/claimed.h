/* Memory for rows that a job claims together. A job claims while earlier rows are still under way,
 * so each claim has memory of its own; once all of its rows are written it serves another claim. */
#ifndef EDS_CLAIMED_H
#define EDS_CLAIMED_H

#include "runtime/ctx.h"

/* The first member of a job's own struct for a claim. */
struct eds_claimed {
	struct rt_ctx ctx; /* the event's, but for its memory and its failure */
	size_t unwritten;  /* rows; the job sets it when it has claimed */
	struct eds_claimed_pool *pool;
	struct eds_claimed *next_free;
};

struct eds_claimed_pool {
	struct rt_ctx *ctx; /* the event's */
	size_t bytes;       /* of the job's own struct */
	struct eds_claimed *free;
};

/* One of the job's own structs: as it was when it was given back, or zeroed. */
void *eds_claimed_take(struct eds_claimed_pool *pool);

/* A row of it is written. With the last one everything in its memory is gone. */
void eds_claimed_written(struct eds_claimed *claimed);

/* Gives back what has no row: everything in its memory is gone. */
void eds_claimed_give_back(struct eds_claimed *claimed);

#endif
