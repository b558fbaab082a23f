/* Writes to blocking descriptors. */
#ifndef RT_IO_H
#define RT_IO_H

#include <stdbool.h>
#include <stddef.h>

/* False with errno when not all of it could be written. */
bool rt_write_all(int fd, const void *bytes, size_t length);

#endif
