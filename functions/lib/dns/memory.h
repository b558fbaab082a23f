/* Allocates the memory of questions in flight, for this code and for c-ares, on the heap, since a
 * reply may come after the end of the event that asked.
 *
 * Running out of memory says nothing about a name, so it must not look like a failure of DNS, which
 * users see and the store keeps. So the process ends when it runs out of memory, as everywhere else
 * (runtime/arena.h).
 */
#ifndef EDS_DNS_MEMORY_H
#define EDS_DNS_MEMORY_H

#include <stddef.h>

/* Returns memory that the caller frees with free(); NULL only when bytes is 0. */
void *eds_dns_memory(size_t bytes);

/* Like realloc(); NULL only when bytes is 0. */
void *eds_dns_memory_resized(void *memory, size_t bytes);

#endif
