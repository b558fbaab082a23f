#include "runtime/io.h"

#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

bool rt_write_all(int fd, const void *bytes, size_t length)
{
	const char *at = bytes;

	while (length > 0) {
		ssize_t written = write(fd, at, length);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return false;
		at += written;
		length -= (size_t)written;
	}
	return true;
}

/* Moves the parts past the octets that were written; returns the number of parts that were written
 * whole. */
static size_t pass(struct iovec *parts, size_t count, size_t written)
{
	size_t whole = 0;

	while (whole < count && written >= parts[whole].iov_len)
		written -= parts[whole++].iov_len;
	if (whole < count) {
		parts[whole].iov_base = (char *)parts[whole].iov_base + written;
		parts[whole].iov_len -= written;
	}
	return whole;
}

bool rt_write_parts(int fd, struct iovec *parts, size_t count)
{
	while (count > 0) {
		ssize_t written = writev(fd, parts, (int)count);
		size_t whole;

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return false;
		whole = pass(parts, count, (size_t)written);
		parts += whole;
		count -= whole;
	}
	return true;
}
