/* The hash for tables whose keys are untrusted: SipHash-2-4 (Aumasson and Bernstein, 2012) with a
 * secret random key. With an unkeyed hash, a sender can choose the addresses of a report so that
 * they all fall into one chain of the table; then each record would cost a search of that whole
 * chain. */
#ifndef RT_KEYED_HASH_H
#define RT_KEYED_HASH_H

#include <stddef.h>
#include <stdint.h>

struct rt_hash_key {
	uint64_t halves[2];
};

/* Makes a random key from the kernel's generator; each table has its own. */
void rt_hash_key_make(struct rt_hash_key *key);

uint64_t rt_hash(const struct rt_hash_key *key, const void *bytes, size_t length);

#endif
