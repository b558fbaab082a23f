#include "functions/lib/store/reports/tally.h"

#include <string.h>

enum { FIRST_ROOM = 64 };

/* The place in the table that holds the name, or a free place when the name is new. */
static size_t place_of(
	const struct eds_tally *tally, const void *bytes, size_t length, uint32_t hash)
{
	size_t mask = tally->room * 2 - 1;
	size_t at = hash & mask;

	for (; tally->places[at] != 0; at = (at + 1) & mask) {
		size_t number = tally->places[at] - 1;
		const struct eds_tally_name *name = &tally->names[number];

		if (tally->hashes[number] == hash && name->length == length &&
			memcmp(name->bytes, bytes, length) == 0)
			break;
	}
	return at;
}

/* Puts a new name into the table. */
static void place(struct eds_tally *tally, size_t number)
{
	size_t mask = tally->room * 2 - 1;
	size_t at = tally->hashes[number] & mask;

	while (tally->places[at] != 0)
		at = (at + 1) & mask;
	tally->places[at] = (uint32_t)number + 1;
}

static void make_room(struct eds_tally *tally, size_t room)
{
	struct eds_tally_name *names = rt_alloc_array(tally->ctx, room, sizeof *names);
	uint32_t *hashes = rt_alloc_array(tally->ctx, room, sizeof *hashes);

	if (tally->count > 0) {
		memcpy(names, tally->names, tally->count * sizeof *names);
		memcpy(hashes, tally->hashes, tally->count * sizeof *hashes);
	}
	tally->names = names;
	tally->hashes = hashes;
	tally->room = room;
	tally->places = rt_alloc_array(tally->ctx, room * 2, sizeof *tally->places);
	for (size_t i = 0; i < tally->count; i++)
		place(tally, i);
}

void eds_tally_init(struct eds_tally *tally, struct rt_ctx *ctx)
{
	*tally = (struct eds_tally){.ctx = ctx};
	rt_hash_key_make(&tally->key);
	make_room(tally, FIRST_ROOM);
}

static uint32_t hash_of(const struct eds_tally *tally, const void *bytes, size_t length)
{
	return (uint32_t)rt_hash(&tally->key, bytes, length);
}

bool eds_tally_find(const struct eds_tally *tally, const void *bytes, size_t length, size_t *number)
{
	size_t at = place_of(tally, bytes, length, hash_of(tally, bytes, length));

	if (tally->places[at] == 0)
		return false;
	*number = tally->places[at] - 1;
	return true;
}

size_t eds_tally_add(struct eds_tally *tally, const void *bytes, size_t length)
{
	uint32_t hash = hash_of(tally, bytes, length);
	size_t at = place_of(tally, bytes, length, hash);
	size_t number;

	if (tally->places[at] != 0)
		return tally->places[at] - 1;
	if (tally->count == tally->room)
		make_room(tally, tally->room * 2);
	number = tally->count++;
	tally->names[number] = (struct eds_tally_name){
		rt_memdup(tally->ctx, bytes, length), length};
	tally->hashes[number] = hash;
	place(tally, number);
	return number;
}
