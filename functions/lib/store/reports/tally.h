/* Gives each name a number: 0 to the name that appears first, 1 to the next, and so on. The same
 * name always gets the same number, so an array with these numbers as indexes can hold a sum for
 * each name. Only the files of this folder include this header.
 */
#ifndef EDS_STORE_TALLY_H
#define EDS_STORE_TALLY_H

#include "runtime/ctx.h"
#include "runtime/keyed-hash.h"

/* Maximum number of names for which a caller keeps sums (besides the name "" for the rest), because
 * reporters choose the names. The callers enforce it. */
enum { EDS_TALLY_MAX = 128 * 1024 };

struct eds_tally_name {
	const char *bytes; /* the name in the event's memory, followed by a NUL */
	size_t length;
};

struct eds_tally {
	struct rt_ctx *ctx;
	struct rt_hash_key key;
	struct eds_tally_name *names;
	uint32_t *hashes; /* hashes of the names, so that a larger table need not compute them
			   * again */
	size_t count;
	size_t room;
	uint32_t *places; /* the hash table, with twice `room` entries: the name's number + 1, or 0
			   * when free */
};

void eds_tally_init(struct eds_tally *tally, struct rt_ctx *ctx);

/* Finds the number of a name; false when the tally does not have it. */
bool eds_tally_find(
	const struct eds_tally *tally, const void *bytes, size_t length, size_t *number);

/* Gives the number of a name, and adds the name if it is new. */
size_t eds_tally_add(struct eds_tally *tally, const void *bytes, size_t length);

#endif
