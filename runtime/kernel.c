#include "runtime/kernel.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	/* the kernel's default maximum of descriptors (fs.nr_open) */
	DESCRIPTORS_MAX = 1024 * 1024,
	ENTRIES_BYTES = 4096,
};

/* A directory entry as the kernel writes it. opendir() of glibc is not used, because it allocates
 * memory, which is unsafe in the child of a process with threads. */
struct entry {
	uint64_t inode;
	int64_t offset;
	unsigned short length;
	unsigned char type;
	char name[];
};

static int number(const char *text)
{
	int value = 0;

	for (; *text >= '0' && *text <= '9' && value < DESCRIPTORS_MAX; text++)
		value = value * 10 + (*text - '0');
	return *text == '\0' ? value : -1;
}

/* Reads a part of the folder and closes the descriptors that it lists; returns their number, or -1
 * if the folder cannot be read. *end is set to true when the folder has no further part. */
static int close_listed(int folder, int first, bool *end)
{
	_Alignas(struct entry) char bytes[ENTRIES_BYTES];
	long got = syscall(SYS_getdents64, folder, bytes, sizeof bytes);
	int closed = 0;

	*end = got <= 0;
	for (long at = 0; at < got;) {
		const struct entry *entry = (const struct entry *)(const void *)(bytes + at);
		int fd = number(entry->name);

		if (entry->name[0] != '.' && fd >= first && fd != folder && close(fd) == 0)
			closed++;
		at += entry->length;
	}
	return got < 0 ? -1 : closed;
}

/* Closes all descriptors that the folder lists. Closing changes the folder, so it is read again
 * until no descriptor is left. */
static bool close_by_folder(int first)
{
	int folder = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int closed = 1;

	if (folder < 0)
		return false;
	while (closed > 0) {
		bool end = false;

		closed = 0;
		lseek(folder, 0, SEEK_SET);
		while (!end) {
			int now = close_listed(folder, first, &end);

			if (now < 0)
				closed = -1;
			else if (closed >= 0)
				closed += now;
		}
	}
	close(folder);
	return closed == 0;
}

void rt_close_from(int first)
{
	struct rlimit limit = {.rlim_cur = DESCRIPTORS_MAX};

	if (syscall(SYS_close_range, first, ~0U, 0) == 0 || close_by_folder(first))
		return;
	getrlimit(RLIMIT_NOFILE, &limit);
	for (int fd = first; (rlim_t)fd < limit.rlim_cur && fd < DESCRIPTORS_MAX; fd++)
		close(fd);
}

bool rt_end_with(pid_t parent)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	return getppid() == parent;
}

/* Opens a file without a name (O_TMPFILE). Where the file system does not support that, makes a
 * file with a name and unlinks it at once. */
static int temporary_file(const char *folder)
{
	char path[PATH_MAX];
	int fd = open(folder, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	snprintf(path, sizeof path, "%s/eds-XXXXXX", folder);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

int rt_nameless_file(const char *label)
{
	const char *folder = getenv("TMPDIR");
	int fd = (int)syscall(SYS_memfd_create, label, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd >= 0)
		return fd;
	if (folder != NULL && folder[0] != '\0')
		fd = temporary_file(folder);
	return fd >= 0 ? fd : temporary_file("/tmp");
}

/* Seals the file. Only a file of memfd_create() can be sealed; sealing a temporary file fails with
 * EINVAL, or with EPERM on a file system in memory. But a temporary file has no name, so only
 * processes that have its descriptor can write to it. */
bool rt_nameless_file_seal(int fd)
{
	return fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) ==
		0 ||
		errno == EINVAL || errno == EPERM;
}

int rt_shared_memory(const char *label, size_t size)
{
	int fd = (int)syscall(SYS_memfd_create, label, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd >= 0 &&
		(ftruncate(fd, (off_t)size) != 0 ||
			fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

void rt_hide_memory(void)
{
	(void)prctl(PR_SET_DUMPABLE, 0);
}

static bool is_told(const char *variable)
{
	return strncmp(variable, "AWS_LAMBDA_", 11) == 0;
}

void rt_hide_environment(void)
{
	static char **moved; /* the copy stays reachable even if environ changes */
	size_t count = 0;

	while (environ[count] != NULL)
		count++;
	if (moved != NULL || (moved = calloc(count + 1, sizeof *moved)) == NULL)
		return;
	for (size_t i = 0; i < count; i++) {
		moved[i] = is_told(environ[i]) ? environ[i] : strdup(environ[i]);
		if (moved[i] == NULL)
			return;
	}
	for (size_t i = 0; i < count; i++)
		if (moved[i] != environ[i])
			explicit_bzero(environ[i], strlen(environ[i]));
	environ = moved;
}

/* Without /proc it uses the name by which the program was executed; for programs of eds that is a
 * path. */
bool rt_program_path(char *path, size_t size)
{
	ssize_t length = readlink("/proc/self/exe", path, size - 1);
	const char *executed = (const char *)getauxval(AT_EXECFN);

	if (length > 0) {
		path[length] = '\0';
		return true;
	}
	if (executed == NULL || strchr(executed, '/') == NULL)
		return false;
	return (size_t)snprintf(path, size, "%s", executed) < size;
}
