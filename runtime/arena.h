/* Memory of one event: allocated piece by piece, released all at once.
 *
 * A function never frees what it needs for an event; the handler loop resets the arena when the
 * answer is written. Allocation does not fail: when the process is out of memory it says so on
 * standard error and ends with RT_EXIT_MEMORY, which costs one event and is retried by the
 * supervisor's caller. In sanitizer builds (RT_ARENA_MALLOC) each allocation is its own malloc, so
 * that overflows and use after reset are seen.
 */
#ifndef RT_ARENA_H
#define RT_ARENA_H

#include <stddef.h>

#include "runtime/status.h"

enum {
	RT_ARENA_BLOCK_BYTES = 64 * 1024, /* the first block, kept over resets */
	RT_EXIT_MEMORY = 71,              /* EX_OSERR of sysexits.h */
};

struct rt_arena;

/* Ends the process, as each allocation here that fails: for a library that says so of its own. */
_Noreturn void rt_out_of_memory(void);

struct rt_arena *rt_arena_new(void);
void rt_arena_free(struct rt_arena *arena);

/* Runs the release hooks, newest first, and takes all memory back. */
void rt_arena_reset(struct rt_arena *arena);

/* Memory is zeroed and aligned for any type. */
void *rt_arena_alloc(struct rt_arena *arena, size_t bytes);

/* The same, but not zeroed: for what is written over at once. */
void *rt_arena_alloc_raw(struct rt_arena *arena, size_t bytes);

/* Calls release(handle) at the next reset: for handles of foreign libraries and descriptors. */
void rt_arena_on_reset(struct rt_arena *arena, void (*release)(void *handle), void *handle);

#endif
