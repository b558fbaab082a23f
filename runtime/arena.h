/* The memory of one event: allocated piece by piece, released all at once.
 *
 * A function never frees memory of an event; the handler loop resets the arena when the answer is
 * written. Allocation does not fail: a process that is out of memory reports it on standard error
 * and exits with RT_EXIT_MEMORY. Only the current event fails then; mail and scheduled events are
 * tried again. In sanitizer builds (RT_ARENA_MALLOC) each allocation is its own malloc, so that the
 * sanitizer detects overflows and use after reset.
 */
#ifndef RT_ARENA_H
#define RT_ARENA_H

#include <stddef.h>

#include "runtime/status.h"

enum {
	/* usual size of a block; one such block is kept across resets */
	RT_ARENA_BLOCK_BYTES = 64 * 1024,
	RT_EXIT_MEMORY = 71, /* exit status when out of memory: EX_OSERR of sysexits.h */
};

struct rt_arena;

/* Says "out of memory" on stderr and ends the process with RT_EXIT_MEMORY. */
_Noreturn void rt_out_of_memory(void);

/* Returns zeroed memory outside of any arena, which the caller releases with free(). Ends the
 * process when out of memory. */
void *rt_heap_alloc(size_t bytes);

struct rt_arena *rt_arena_new(void);
void rt_arena_free(struct rt_arena *arena);

/* Calls the functions registered with rt_arena_on_reset(), newest first, and releases all memory.
 */
void rt_arena_reset(struct rt_arena *arena);

/* Returns memory that is zeroed and aligned for any type. */
void *rt_arena_alloc(struct rt_arena *arena, size_t bytes);

/* Returns memory that is aligned but not zeroed, for callers that overwrite it at once. */
void *rt_arena_alloc_raw(struct rt_arena *arena, size_t bytes);

/* Enlarges a piece of memory from `old` to `bytes` octets. Returns the larger piece, which begins
 * with the content of the old piece; the old piece must not be used afterwards. A large piece has a
 * block of its own, which realloc() enlarges, often without copying; a small piece is always
 * copied. */
void *rt_arena_grow(struct rt_arena *arena, void *piece, size_t old, size_t bytes);

/* Registers release(handle) to be called when the arena is reset or freed, for handles of foreign
 * libraries and for descriptors. */
void rt_arena_on_reset(struct rt_arena *arena, void (*release)(void *handle), void *handle);

#endif
