/* Numbers for names: the first that comes is 0, and each has the same number whenever it comes
 * again. What is counted by name stands in arrays by these numbers. Only the files of this folder
 * include it.
 */
#ifndef EDS_STORE_TALLY_H
#define EDS_STORE_TALLY_H

#include "runtime/ctx.h"
#include "runtime/keyed-hash.h"

/* Strangers choose the names, so a sum has so many at most. */
enum { EDS_TALLY_MAX = 128 * 1024 };

struct eds_tally_name {
	const char *bytes; /* of the event's memory, with a NUL behind them */
	size_t length;
};

struct eds_tally {
	struct rt_ctx *ctx;
	struct rt_hash_key key;
	struct eds_tally_name *names;
	size_t count;
	size_t room;
	uint32_t *places; /* number of the name + 1, 0 free; twice the room */
};

void eds_tally_init(struct eds_tally *tally, struct rt_ctx *ctx);

/* The number of a name that is there; false: it is not. */
bool eds_tally_find(
	const struct eds_tally *tally, const void *bytes, size_t length, size_t *number);

/* The number of a name, a new one included. */
size_t eds_tally_add(struct eds_tally *tally, const void *bytes, size_t length);

#endif
