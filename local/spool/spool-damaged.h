/* Keeps files of the spool with mail that was acknowledged and can no longer be read: a second name
 * of the segment's file in damaged/ of the spool, for a person to look at.
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
	SPOOL_DAMAGED_MAX = 32,   /* files; a further one replaces the oldest */
	SPOOL_DAMAGED_HOURS = 96, /* a file is kept from when it was found: past a weekend */
};

/* Keeps the file of the segment, whether it could be opened or not; a file that is kept already
 * stays as it is. False with errno when it cannot be kept. */
bool spool_damaged_keep(const struct spool_segment *segment);

#endif
