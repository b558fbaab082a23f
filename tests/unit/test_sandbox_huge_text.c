/* The move of a program's parts into huge pages: done whole or not at all. */
#include <dlfcn.h>
#include <link.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/support/test-event.h"

#include "functions/lib/sandbox/huge-text.h"

enum { HUGE_PAGE_BYTES = 2 * 1024 * 1024, PART_BYTES = 3 * 4096 - 100 };

/* the program part to move, instead of the real ones; NULL: the real ones */
static struct dl_phdr_info *program;
static bool mremap_fails;

/* Replaces the C library's function, so that it names a part that the test has mapped as the only
 * part of the program. */
int dl_iterate_phdr(int (*callback)(struct dl_phdr_info *, size_t, void *), void *data)
{
	static int (*real)(int (*)(struct dl_phdr_info *, size_t, void *), void *);

	if (program != NULL)
		return callback(program, sizeof *program, data);
	if (real == NULL)
		*(void **)&real = dlsym(RTLD_NEXT, "dl_iterate_phdr");
	return real(callback, data);
}

/* Replaces the C library's function, so that the test can let the move fail. */
void *mremap(void *old, size_t old_length, size_t new_length, int flags, ...)
{
	static void *(*real)(void *, size_t, size_t, int, void *);
	va_list rest;
	void *place;

	va_start(rest, flags);
	place = va_arg(rest, void *);
	va_end(rest);
	if (real == NULL)
		*(void **)&real = dlsym(RTLD_NEXT, "mremap");
	if (mremap_fails)
		return MAP_FAILED;
	return real(old, old_length, new_length, flags, place);
}

/* A part of three small pages at the boundary of a huge page, with nothing behind it. */
static char *map_part(void)
{
	char *whole = mmap(
		NULL, 2 * (size_t)HUGE_PAGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *part = whole + HUGE_PAGE_BYTES - (uintptr_t)whole % HUGE_PAGE_BYTES;

	assert_true(whole != MAP_FAILED);
	assert_int_equal(munmap(whole, 2 * (size_t)HUGE_PAGE_BYTES), 0);
	part = mmap(part, PART_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	assert_true(part != MAP_FAILED);
	memset(part, 'x', PART_BYTES);
	return part;
}

static void move(char *part)
{
	ElfW(Phdr) header = {.p_type = PT_LOAD,
		.p_flags = PF_R,
		.p_offset = 4096,
		.p_align = HUGE_PAGE_BYTES,
		.p_memsz = PART_BYTES};
	struct dl_phdr_info info = {
		.dlpi_addr = (uintptr_t)part, .dlpi_phdr = &header, .dlpi_phnum = 1};

	program = &info;
	eds_huge_text();
	program = NULL;
}

static bool is_mapped(char *at)
{
	unsigned char resident;

	return mincore(at, 4096, &resident) == 0;
}

static void code_is_moved_together_with_the_rest_of_its_huge_page(void **state)
{
	char *part = map_part();

	(void)state;
	mremap_fails = false;
	move(part);
	if (!is_mapped(part + HUGE_PAGE_BYTES - 4096))
		skip(); /* this kernel has no huge pages */
	for (size_t i = 0; i < PART_BYTES; i++)
		assert_int_equal(part[i], 'x');
	assert_int_equal(munmap(part, HUGE_PAGE_BYTES), 0);
}

static void a_failed_move_leaves_no_mapping_after_the_code(void **state)
{
	char *part = map_part();

	(void)state;
	mremap_fails = true;
	move(part);
	mremap_fails = false;
	assert_false(is_mapped(part + 3 * 4096));
	assert_false(is_mapped(part + HUGE_PAGE_BYTES - 4096));
	assert_int_equal(part[PART_BYTES - 1], 'x');
	part[0] = 'y'; /* the part is still writable, so it is the original and not the copy */
	assert_int_equal(munmap(part, PART_BYTES), 0);
}

static void code_stays_in_place_when_its_huge_page_holds_another_mapping(void **state)
{
	char *part = map_part();
	char *other = part + HUGE_PAGE_BYTES - 4096;

	(void)state;
	assert_ptr_equal(mmap(other, 4096, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0),
		other);
	other[0] = 'z';
	move(part);
	assert_false(is_mapped(part + 3 * 4096));
	assert_int_equal(other[0], 'z');
	part[0] = 'y';
	assert_int_equal(munmap(part, HUGE_PAGE_BYTES), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_is_moved_together_with_the_rest_of_its_huge_page),
		cmocka_unit_test(a_failed_move_leaves_no_mapping_after_the_code),
		cmocka_unit_test(code_stays_in_place_when_its_huge_page_holds_another_mapping),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
