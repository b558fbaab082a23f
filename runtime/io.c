#include "runtime/io.h"

#include <errno.h>
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
