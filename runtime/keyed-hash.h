/* The hash for tables whose keys strangers choose: SipHash-2-4 (Aumasson and Bernstein, 2012) under
 * a key that nobody knows. With a hash that has none, a report of chosen addresses puts them all
 * into one chain, and the reader walks it for each record.
 */
#ifndef RT_KEYED_HASH_H
#define RT_KEYED_HASH_H

#include <stddef.h>
#include <stdint.h>

struct rt_hash_key {
	uint64_t halves[2];
};

/* A key of its own for each table, from the kernel. */
void rt_hash_key_make(struct rt_hash_key *key);

uint64_t rt_hash(const struct rt_hash_key *key, const void *bytes, size_t length);

#endif
