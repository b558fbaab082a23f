#include "runtime/keyed-hash.h"

#include <string.h>

#include "runtime/ctx.h"

enum {
	WORD_BYTES = 8,
	ROUNDS_OF_A_WORD = 2,
	ROUNDS_AT_THE_END = 4,
};

struct state {
	uint64_t v0, v1, v2, v3;
};

void rt_hash_key_make(struct rt_hash_key *key)
{
	rt_random(key->halves, sizeof key->halves);
}

static uint64_t turn(uint64_t word, int bits)
{
	return word << bits | word >> (64 - bits);
}

static void mix(struct state *s, int rounds)
{
	while (rounds-- > 0) {
		s->v0 += s->v1;
		s->v2 += s->v3;
		s->v1 = turn(s->v1, 13) ^ s->v0;
		s->v3 = turn(s->v3, 16) ^ s->v2;
		s->v0 = turn(s->v0, 32) + s->v3;
		s->v2 += s->v1;
		s->v3 = turn(s->v3, 21) ^ s->v0;
		s->v1 = turn(s->v1, 17) ^ s->v2;
		s->v2 = turn(s->v2, 32);
	}
}

static void take(struct state *s, uint64_t word)
{
	s->v3 ^= word;
	mix(s, ROUNDS_OF_A_WORD);
	s->v0 ^= word;
}

/* Reads the octets as little-endian words, the order of both supported architectures. */
uint64_t rt_hash(const struct rt_hash_key *key, const void *bytes, size_t length)
{
	struct state s = {
		key->halves[0] ^ 0x736f6d6570736575,
		key->halves[1] ^ 0x646f72616e646f6d,
		key->halves[0] ^ 0x6c7967656e657261,
		key->halves[1] ^ 0x7465646279746573,
	};
	const uint8_t *at = bytes;
	uint64_t last = (uint64_t)length << 56;
	size_t left = length;
	uint64_t word;

	for (; left >= WORD_BYTES; left -= WORD_BYTES, at += WORD_BYTES) {
		memcpy(&word, at, WORD_BYTES);
		take(&s, word);
	}
	for (size_t i = 0; i < left; i++)
		last |= (uint64_t)at[i] << 8 * i;
	take(&s, last);
	s.v2 ^= 0xff;
	mix(&s, ROUNDS_AT_THE_END);
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}
