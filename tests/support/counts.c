/* Linked into every program of the coverage build: it counts executed code in a file that all
 * processes of the program map, PROGRAM.counts. So processes that are killed, that end by _exit, or
 * that may make no system calls are counted, too.
 *
 * The counters of gcc are between two symbols (counts.ld). With COUNTS_COLLECT set, the program
 * only writes the content of its file in gcov's format.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

extern char eds_counts_start[];
extern char eds_counts_end[];

void __gcov_dump(void);

static int open_counts(int flags)
{
	static const char suffix[] = ".counts";
	char path[PATH_BYTES];
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof suffix);

	if (length < 0)
		return -1;
	memcpy(path + length, suffix, sizeof suffix);
	return open(path, flags | O_CLOEXEC, 0666);
}

static void collect(size_t bytes)
{
	int fd = open_counts(O_RDONLY);
	bool whole = fd >= 0 && read(fd, eds_counts_start, bytes) == (ssize_t)bytes;

	if (!whole)
		_exit(EXIT_FAILURE);
	__gcov_dump();
	_exit(EXIT_SUCCESS);
}

/* Ends without the files that gcov itself would write at the end. */
static void leave(int status, void *unused)
{
	(void)unused;
	fflush(NULL);
	_exit(status);
}

__attribute__((constructor)) static void share_counts(void)
{
	size_t bytes = (uintptr_t)eds_counts_end - (uintptr_t)eds_counts_start;
	void *shared = NULL;
	int fd;

	if (getenv("COUNTS_COLLECT") != NULL)
		collect(bytes);
	on_exit(leave, NULL);
	fd = open_counts(O_RDWR | O_CREAT);
	if (fd < 0)
		return;
	if (ftruncate(fd, (off_t)bytes) == 0)
		shared = mmap(eds_counts_start, bytes, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_FIXED, fd, 0);
	if (shared == MAP_FAILED)
		_exit(EXIT_FAILURE);
	close(fd);
}
