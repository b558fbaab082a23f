/* What the lists of the store have in common. Items are ordered by keys that do not change while an
 * item exists, so that paging works. A search finds the names that contain a text.
 */
#ifndef EDS_STORE_LISTING_H
#define EDS_STORE_LISTING_H

#include "runtime/ctx.h"

enum eds_order {
	EDS_BY_NAME,
	EDS_BY_NAME_DOWN,
	EDS_BY_AGE, /* oldest first */
	EDS_BY_AGE_DOWN,
};

static inline bool eds_order_is_by_age(enum eds_order order)
{
	return order == EDS_BY_AGE || order == EDS_BY_AGE_DOWN;
}

/* The pattern for LIKE … ESCAPE '!' that matches the names that contain `part`. When `part` is
 * NULL, the pattern matches all names. */
const char *eds_store_part_pattern(struct rt_ctx *ctx, const char *part);

#endif
