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

/* Reserves memory aligned to a huge page; NULL when out of memory. */
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

/* The end of the last small page of a part (an ELF segment) of the program in memory. */
static char *end_of(char *part, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return part + (bytes + page - 1) / page * page;
}

/* Takes the rest of the last huge page, which the linker leaves free. False when something else is
 * mapped there; the part then stays in small pages. */
static bool take_rest(char *rest, const char *end)
{
	size_t length = (size_t)(end - rest);
	char *taken = length == 0 ? rest : map_new(rest, length, MAP_FIXED_NOREPLACE);

	/* a kernel that does not know the flag maps the memory elsewhere */
	if (taken != rest && taken != MAP_FAILED)
		munmap(taken, length);
	return taken == rest;
}

/* The copy must replace the original in one step, because the original contains the code of this
 * function. */
static void replace(char *part, size_t bytes, int rights)
{
	size_t length = round_up(bytes);
	char *rest = end_of(part, bytes);
	char *copy = reserve(length);

	if (copy == NULL)
		return;
	if (fill(copy, length, part, bytes, rights) && take_rest(rest, part + length)) {
		if (mremap(copy, length, length, MREMAP_MAYMOVE | MREMAP_FIXED, part) != MAP_FAILED)
			return;
		drop(rest, part + length);
	}
	munmap(copy, length);
}

/* True when the linker aligned this part to huge pages. The address alone does not show this:
 * another part may begin at the boundary of a huge page by chance, and in a sanitizer build copying
 * that part would read poisoned memory. */
static bool is_made_for_it(const ElfW(Phdr) * part)
{
	return part->p_type == PT_LOAD && part->p_align >= HUGE_PAGE_BYTES && part->p_offset != 0 &&
		(part->p_flags & PF_W) == 0;
}

/* Handles only the program itself, which comes first in the list. Leaves the part at the beginning
 * of the program's file in small pages: only the start of the program needs this part, and nothing
 * reads it afterwards. */
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
