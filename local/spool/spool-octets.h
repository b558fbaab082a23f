/* The octets of a spool's file: what is written where, and the zeros at its end. */
#ifndef RUNNER_SPOOL_OCTETS_H
#define RUNNER_SPOOL_OCTETS_H

#include <stdint.h>
#include <sys/uio.h>

/* Writes all parts at the offset; 0 or errno. Changes the parts. */
int spool_octets_write(int fd, uint64_t offset, struct iovec *parts, int part_count);
int spool_octets_write_zeros(int fd, uint64_t offset, uint64_t count);

/* The number of octets in the parts. */
uint64_t spool_octets_count(const struct iovec *parts, int part_count);

/* Moves the parts past their first octets. */
void spool_octets_skip(struct iovec **parts, int *part_count, size_t octets);

/* The offset behind the last octet that is not zero, between the two offsets. A part that cannot be
 * read counts as other octets. */
uint64_t spool_octets_end(int fd, uint64_t from, uint64_t to);

#endif
