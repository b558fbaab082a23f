#include "functions/lib/store/reports/tally.h"

#include <string.h>

enum { FIRST_ROOM = 64 };

static void place(struct eds_tally *tally, size_t number)
{
	const struct eds_tally_name *name = &tally->names[number];
	size_t mask = tally->room * 2 - 1;
	size_t at = (size_t)rt_hash(&tally->key, name->bytes, name->length) & mask;

	while (tally->places[at] != 0)
		at = (at + 1) & mask;
	tally->places[at] = (uint32_t)number + 1;
}

static void make_room(struct eds_tally *tally, size_t room)
{
	struct eds_tally_name *names = rt_alloc_array(tally->ctx, room, sizeof *names);

	if (tally->count > 0)
		memcpy(names, tally->names, tally->count * sizeof *names);
	tally->names = names;
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

bool eds_tally_find(const struct eds_tally *tally, const void *bytes, size_t length, size_t *number)
{
	size_t mask = tally->room * 2 - 1;
	size_t at = (size_t)rt_hash(&tally->key, bytes, length) & mask;

	for (; tally->places[at] != 0; at = (at + 1) & mask) {
		const struct eds_tally_name *name = &tally->names[tally->places[at] - 1];

		*number = tally->places[at] - 1;
		if (name->length == length && memcmp(name->bytes, bytes, length) == 0)
			return true;
	}
	return false;
}

size_t eds_tally_add(struct eds_tally *tally, const void *bytes, size_t length)
{
	size_t number;

	if (eds_tally_find(tally, bytes, length, &number))
		return number;
	if (tally->count == tally->room)
		make_room(tally, tally->room * 2);
	number = tally->count++;
	tally->names[number] = (struct eds_tally_name){
		rt_memdup(tally->ctx, bytes, length), length};
	place(tally, number);
	return number;
}
