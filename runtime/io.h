/* Writes to blocking descriptors. */
#ifndef RT_IO_H
#define RT_IO_H

#include <stdbool.h>
#include <stddef.h>

/* Writes all octets; false with errno on failure. */
bool rt_write_all(int fd, const void *bytes, size_t length);

/* Writes all parts in their order; false with errno on failure. Changes the array. */
struct iovec;
bool rt_write_parts(int fd, struct iovec *parts, size_t count);

#endif
