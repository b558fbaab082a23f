/* Memory of questions in flight, ours and c-ares's. It is heap memory, since a reply may come after
 * the end of its event.
 *
 * Want of memory says nothing about a name, and must not look like a failure of DNS, which is shown
 * and stored. So a process without memory ends, as it does everywhere else (runtime/arena.h).
 */
#ifndef EDS_DNS_MEMORY_H
#define EDS_DNS_MEMORY_H

#include <stddef.h>

/* The caller frees it with free(). NULL only for no octets. */
void *eds_dns_memory(size_t bytes);

/* Like realloc(). NULL only for no octets. */
void *eds_dns_memory_resized(void *memory, size_t bytes);

#endif
