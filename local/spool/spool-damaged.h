/* Keeps each file of the spool that may contain acknowledged mail that can no longer be read, so
 * that an administrator can examine the file: it gets a second name in the folder damaged/.
 *
 *     damaged/00000000000000000001-123456.mail   number of the segment, inode
 *
 * The segment itself is processed as usual: its readable messages are delivered, then its first
 * name is removed.
 */
#ifndef RUNNER_SPOOL_DAMAGED_H
#define RUNNER_SPOOL_DAMAGED_H

#include "local/spool/spool-segment.h"

enum {
	/* maximum number of damaged files that are kept; a further one replaces the oldest */
	SPOOL_DAMAGED_MAX = 32,
	/* hours for which a file is kept after it was found: more than a weekend */
	SPOOL_DAMAGED_HOURS = 96,
};

/* Gives the file of the segment its second name in damaged/, whether the file could be opened or
 * not; does nothing if it has that name already. False with errno on failure. */
bool spool_damaged_keep(const struct spool_segment *segment);

#endif
