#include "runtime/arena.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct block {
	struct block *next;
	size_t size; /* size of bytes[] */
	size_t used;
	alignas(max_align_t) char bytes[];
};

struct hook {
	struct hook *next;
	void (*release)(void *handle);
	void *handle;
};

struct rt_arena {
	struct block *blocks; /* list of blocks; small pieces are allocated from the first one */
	struct hook *hooks;
};

_Noreturn void rt_out_of_memory(void)
{
	fputs("out of memory\n", stderr);
	_exit(RT_EXIT_MEMORY);
}

void *rt_heap_alloc(size_t bytes)
{
	void *made = calloc(1, bytes);

	if (made == NULL)
		rt_out_of_memory();
	return made;
}

static struct block *block_new(size_t size, struct block *next)
{
	struct block *block = malloc(sizeof *block + size);

	if (block == NULL)
		rt_out_of_memory();
	block->next = next;
	block->size = size;
	block->used = 0;
	return block;
}

struct rt_arena *rt_arena_new(void)
{
	struct rt_arena *arena = calloc(1, sizeof *arena);

	if (arena == NULL)
		rt_out_of_memory();
	return arena;
}

static void run_hooks(struct rt_arena *arena)
{
	while (arena->hooks != NULL) {
		struct hook *hook = arena->hooks;

		arena->hooks = hook->next;
		hook->release(hook->handle);
	}
}

static bool is_for_many(const struct block *block)
{
#ifdef RT_ARENA_MALLOC
	(void)block;
	return false;
#else
	return block->size == RT_ARENA_BLOCK_BYTES;
#endif
}

/* Keeps one block of the usual size, so that a running handler need not allocate it again. */
void rt_arena_reset(struct rt_arena *arena)
{
	struct block *kept = NULL;

	run_hooks(arena);
	while (arena->blocks != NULL) {
		struct block *block = arena->blocks;

		arena->blocks = block->next;
		if (kept == NULL && is_for_many(block))
			kept = block;
		else
			free(block);
	}
	if (kept != NULL) {
		kept->used = 0;
		kept->next = NULL;
	}
	arena->blocks = kept;
}

void rt_arena_free(struct rt_arena *arena)
{
	if (arena == NULL)
		return;
	rt_arena_reset(arena);
	free(arena->blocks);
	free(arena);
}

static size_t block_size_for(size_t bytes)
{
#ifdef RT_ARENA_MALLOC
	return bytes; /* one malloc for each piece, so that the sanitizer detects overflows */
#else
	return bytes > RT_ARENA_BLOCK_BYTES ? bytes : RT_ARENA_BLOCK_BYTES;
#endif
}

/* A large piece gets its own block, which is put after the first block of the list. So the first
 * block stays first, and its free room stays usable for small pieces. */
static struct block *block_with_room(struct rt_arena *arena, size_t bytes)
{
	struct block *head = arena->blocks;

	if (head != NULL && head->size - head->used >= bytes)
		return head;
	if (head != NULL && bytes > RT_ARENA_BLOCK_BYTES) {
		head->next = block_new(bytes, head->next);
		return head->next;
	}
	arena->blocks = block_new(block_size_for(bytes), head);
	return arena->blocks;
}

void *rt_arena_alloc(struct rt_arena *arena, size_t bytes)
{
	return memset(rt_arena_alloc_raw(arena, bytes), 0, bytes);
}

/* The octets that a piece takes: rounded up, so that the next piece is aligned. In sanitizer builds
 * the number is not rounded, so that the sanitizer detects an access to the first octet after the
 * piece. */
static size_t rounded(size_t bytes)
{
	const size_t unit = alignof(max_align_t);

	if (bytes == 0)
		bytes = 1;
#ifndef RT_ARENA_MALLOC
	if (bytes > SIZE_MAX / 2)
		rt_out_of_memory();
	bytes = (bytes + unit - 1) / unit * unit;
#else
	(void)unit;
#endif
	return bytes;
}

void *rt_arena_alloc_raw(struct rt_arena *arena, size_t bytes)
{
	struct block *block;
	void *memory;

	bytes = rounded(bytes);
	block = block_with_room(arena, bytes);
	memory = block->bytes + block->used;
	block->used += bytes;
	return memory;
}

/* The link to the block that holds only this piece; NULL if the piece shares its block with others.
 */
static struct block **own_block(struct rt_arena *arena, const void *piece)
{
	struct block **link = &arena->blocks;

	while (*link != NULL && (*link)->bytes != piece)
		link = &(*link)->next;
	return *link != NULL && !is_for_many(*link) && (*link)->used == (*link)->size ? link : NULL;
}

void *rt_arena_grow(struct rt_arena *arena, void *piece, size_t old, size_t bytes)
{
	struct block **link = own_block(arena, piece);
	struct block *block;

	if (link == NULL)
		return memcpy(rt_arena_alloc_raw(arena, bytes), piece, old);
	bytes = rounded(bytes);
	block = realloc(*link, sizeof *block + bytes);
	if (block == NULL)
		rt_out_of_memory();
	block->size = block->used = bytes;
	*link = block;
	return block->bytes;
}

void rt_arena_on_reset(struct rt_arena *arena, void (*release)(void *handle), void *handle)
{
	struct hook *hook = rt_arena_alloc(arena, sizeof *hook);

	hook->release = release;
	hook->handle = handle;
	hook->next = arena->hooks;
	arena->hooks = hook;
}
