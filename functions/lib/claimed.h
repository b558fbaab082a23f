/* Memory for rows that a job claims together. A job claims while earlier rows are still in
 * progress, so each claim has its own memory; once all its rows are written, the memory is used for
 * another claim. */
#ifndef EDS_CLAIMED_H
#define EDS_CLAIMED_H

#include "runtime/ctx.h"

/* The state of one claim; it must be the first member of a job's own struct for a claim. */
struct eds_claimed {
	struct rt_ctx ctx; /* like the event's context, but with its own memory and failure */
	size_t unwritten;  /* rows not yet written; the job sets this number after claiming */
	struct eds_claimed_pool *pool;
	struct eds_claimed *next_free;
};

struct eds_claimed_pool {
	struct rt_ctx *ctx; /* the event's context */
	size_t bytes;       /* size of the job's own struct for a claim */
	struct eds_claimed *free;
};

/* Returns one of the job's own structs. If a struct was given back earlier, returns that struct,
 * which still has its old contents. Otherwise returns a new struct, filled with zeros. */
void *eds_claimed_take(struct eds_claimed_pool *pool);

/* Records that a row is written. With the last row, everything in the claim's memory is freed. */
void eds_claimed_written(struct eds_claimed *claimed);

/* Gives back a claim without rows: everything in its memory is freed. */
void eds_claimed_give_back(struct eds_claimed *claimed);

#endif
