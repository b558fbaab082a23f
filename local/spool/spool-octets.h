/* Writes octets and zeros to a file of the spool, and finds where the octets of the file end and
 * its zeros begin. */
#ifndef RUNNER_SPOOL_OCTETS_H
#define RUNNER_SPOOL_OCTETS_H

#include <stdint.h>
#include <sys/uio.h>

/* Writes all parts at the offset; returns 0 or errno. Changes the array of parts. */
int spool_octets_write(int fd, uint64_t offset, struct iovec *parts, int part_count);
int spool_octets_write_zeros(int fd, uint64_t offset, uint64_t count);

/* The number of octets in the parts. */
uint64_t spool_octets_count(const struct iovec *parts, int part_count);

/* Shortens the list of parts at its beginning, so that this number of octets is left out. */
void spool_octets_skip(struct iovec **parts, int *part_count, size_t octets);

/* Between the two offsets, finds the last octet that is not zero, and returns the offset behind it.
 * A part of the file that cannot be read is treated as not zero. */
uint64_t spool_octets_end(int fd, uint64_t from, uint64_t to);

#endif
