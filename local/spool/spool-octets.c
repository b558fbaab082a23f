#include "local/spool/spool-octets.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum {
	PARTS_AT_ONCE = 512, /* maximum number of parts in one call; less than IOV_MAX */
	ZEROS_BYTES = 64 * 1024,
};

static const char zeros[ZEROS_BYTES];

void spool_octets_skip(struct iovec **parts, int *part_count, size_t octets)
{
	while (*part_count > 0 && octets >= (*parts)->iov_len) {
		octets -= (*parts)->iov_len;
		(*parts)++;
		(*part_count)--;
	}
	if (*part_count > 0) {
		(*parts)->iov_base = (char *)(*parts)->iov_base + octets;
		(*parts)->iov_len -= octets;
	}
}

int spool_octets_write(int fd, uint64_t offset, struct iovec *parts, int part_count)
{
	while (part_count > 0) {
		int count = part_count < PARTS_AT_ONCE ? part_count : PARTS_AT_ONCE;
		ssize_t written = pwritev(fd, parts, count, (off_t)offset);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return errno;
		if (written == 0)
			return ENOSPC;
		offset += (uint64_t)written;
		spool_octets_skip(&parts, &part_count, (size_t)written);
	}
	return 0;
}

static size_t at_most(uint64_t count)
{
	return count < ZEROS_BYTES ? (size_t)count : ZEROS_BYTES;
}

int spool_octets_write_zeros(int fd, uint64_t offset, uint64_t count)
{
	while (count > 0) {
		struct iovec part = {(void *)(uintptr_t)zeros, at_most(count)};
		size_t length = part.iov_len;
		int error = spool_octets_write(fd, offset, &part, 1);

		if (error != 0)
			return error;
		offset += length;
		count -= length;
	}
	return 0;
}

uint64_t spool_octets_count(const struct iovec *parts, int part_count)
{
	uint64_t count = 0;

	for (int i = 0; i < part_count; i++)
		count += parts[i].iov_len;
	return count;
}

uint64_t spool_octets_end(int fd, uint64_t from, uint64_t to)
{
	char bytes[ZEROS_BYTES];
	uint64_t end = from;

	while (from < to) {
		ssize_t got = pread(fd, bytes, at_most(to - from), (off_t)from);
		size_t length = got > 0 ? (size_t)got : 0;

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return to;
		while (length > 0 && bytes[length - 1] == '\0')
			length--;
		if (length > 0)
			end = from + length;
		from += (uint64_t)got;
	}
	return end;
}
