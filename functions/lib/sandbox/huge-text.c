#include "functions/lib/sandbox/huge-text.h"

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HUGE_PAGE_BYTES = 2 * 1024 * 1024 };

static size_t round_up(size_t bytes)
{
	return (bytes + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
}

static void *map_new(void *place, size_t length, int flags)
{
	return mmap(
		place, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
}

static void drop(char *from, const char *to)
{
	if (to > from)
		munmap(from, (size_t)(to - from));
}

/* Memory at a boundary of huge pages; NULL when there is none. */
static char *reserve(size_t length)
{
	char *whole = map_new(NULL, length + HUGE_PAGE_BYTES, 0);
	char *start;

	if (whole == MAP_FAILED)
		return NULL;
	start = whole + (round_up((uintptr_t)whole) - (uintptr_t)whole);
	drop(whole, start);
	drop(start + length, whole + length + HUGE_PAGE_BYTES);
	return start;
}

static bool fill(char *copy, size_t length, const char *part, size_t bytes, int rights)
{
	if (madvise(copy, length, MADV_HUGEPAGE) != 0)
		return false;
	memcpy(copy, part, bytes);
	return mprotect(copy, length, rights) == 0;
}

/* The linker left the rest of the last huge page free; if something came to lie there, it stays. */
static bool rest_is_free(char *part, size_t bytes, size_t length)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t used = (bytes + page - 1) / page * page;
	const char *rest = part + used;

	if (used < length)
		rest = map_new(part + used, length - used, MAP_FIXED_NOREPLACE);
	return rest == part + used;
}

/* The copy takes the place of the original in one step, this function's code among it. */
static void replace(char *part, size_t bytes, int rights)
{
	size_t length = round_up(bytes);
	char *copy = reserve(length);

	if (copy == NULL)
		return;
	if (!fill(copy, length, part, bytes, rights) || !rest_is_free(part, bytes, length) ||
		mremap(copy, length, length, MREMAP_MAYMOVE | MREMAP_FIXED, part) == MAP_FAILED)
		munmap(copy, length);
}

/* Where the linker kept to huge pages. Any other program may be loaded at the boundary of one by
 * chance, and in one of a sanitizer's a copy would read what must not be read. */
static bool is_made_for_it(const ElfW(Phdr) * part)
{
	return part->p_type == PT_LOAD && part->p_align >= HUGE_PAGE_BYTES && part->p_offset != 0 &&
		(part->p_flags & PF_W) == 0;
}

/* Of the program itself, which comes first. What lies at the beginning of its file is for the
 * linker, and read no more. */
static int replace_parts(struct dl_phdr_info *program, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	for (size_t i = 0; i < program->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &program->dlpi_phdr[i];
		char *start = (char *)(program->dlpi_addr + part->p_vaddr);

		int rights = (part->p_flags & PF_X) != 0 ? PROT_READ | PROT_EXEC : PROT_READ;

		if (is_made_for_it(part) && (uintptr_t)start % HUGE_PAGE_BYTES == 0)
			replace(start, part->p_memsz, rights);
	}
	return 1;
}

void eds_huge_text(void)
{
	dl_iterate_phdr(replace_parts, NULL);
}
