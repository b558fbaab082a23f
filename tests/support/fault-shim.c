/* Preloaded into the runner: records what it does to the files below a folder, so that
 * tests/faults/disk.mjs can compute the possible states of the disk after a power failure at any
 * moment.
 *
 *     FAULT_SHIM_ROOT   the folder, an absolute path
 *     FAULT_SHIM_LOG    the file for the records
 *     FAULT_SHIM_SKIP   the kind of sync to leave out, as if the program did not make it: mail (in
 *                       its thread), left (a segment of an earlier run), folder (of the spool),
 *                       root (the folder above), certificate, store (all, by syncfs)
 *     FAULT_SHIM_KILL   N: the program is killed once it has made N records
 *
 * A record is a line of JSON; the bytes of a write follow its record. A sync has a record at its
 * begin and one at its end: data written before the begin is safe after the end. Files are named by
 * their inode number, folders by their path.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
	LINE_MAX_BYTES = 3 * PATH_MAX,
	PARTS_MAX = IOV_MAX,
	LOG_MODE = 0600,
	STDIO_BYTES_MAX = 64 * 1024,
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const char *root;
static const char *skipped;
/* number of records until the program is killed; negative if it is not to be killed */
static long records_left = -1;
static int log_fd = -1;

#define REAL(name, result, ...)                                                                    \
	static result (*name)(__VA_ARGS__);                                                        \
	if (name == NULL)                                                                          \
	*(void **)&name = dlsym(RTLD_NEXT, &#name[sizeof "real_" - 1])

/* Opens the log under a high descriptor number, because the program expects the low numbers for its
 * own files. */
static __attribute__((constructor)) void begin(void)
{
	const char *path = getenv("FAULT_SHIM_LOG");
	const char *end = getenv("FAULT_SHIM_KILL");
	int fd;

	root = getenv("FAULT_SHIM_ROOT");
	skipped = getenv("FAULT_SHIM_SKIP");
	if (end != NULL)
		records_left = strtol(end, NULL, 10);
	if (root == NULL || path == NULL)
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, LOG_MODE);
	log_fd = fcntl(fd, F_DUPFD_CLOEXEC, 1000);
	close(fd);
}

static bool is_watched(const char *path)
{
	size_t length;

	if (root == NULL || log_fd < 0)
		return false;
	length = strlen(root);
	return strncmp(path, root, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static bool path_of(int fd, char path[PATH_MAX])
{
	char link[64];
	ssize_t length;

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	length = readlink(link, path, PATH_MAX - 1);
	path[length < 0 ? 0 : length] = '\0';
	return is_watched(path);
}

/* The absolute path of a name below a folder. */
static bool path_at(int folder, const char *name, char path[PATH_MAX])
{
	char base[PATH_MAX];

	if (name[0] == '/')
		snprintf(path, PATH_MAX, "%s", name);
	else if (folder == AT_FDCWD && getcwd(base, sizeof base) != NULL)
		snprintf(path, PATH_MAX, "%.2000s/%.2000s", base, name);
	else if (folder != AT_FDCWD && path_of(folder, base))
		snprintf(path, PATH_MAX, "%.2000s/%.2000s", base, name);
	else
		path[0] = '\0';
	return is_watched(path);
}

static unsigned long inode_of(int fd)
{
	struct stat info;

	return fstat(fd, &info) == 0 ? (unsigned long)info.st_ino : 0;
}

/* Appends one record, with the parts as its bytes. The caller holds the mutex. */
static void record(const struct iovec *parts, int part_count, const char *format, ...)
{
	REAL(real_writev, ssize_t, int, const struct iovec *, int);
	struct iovec all[PARTS_MAX + 1];
	char line[LINE_MAX_BYTES];
	size_t total;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(line, sizeof line, format, arguments);
	va_end(arguments);
	all[0] = (struct iovec){line, (size_t)length};
	total = (size_t)length;
	for (int i = 0; i < part_count; i++) {
		all[i + 1] = parts[i];
		total += parts[i].iov_len;
	}
	if (real_writev(log_fd, all, part_count + 1) != (ssize_t)total)
		abort();
	if (--records_left == 0)
		kill(getpid(), SIGKILL);
}

static int opened(int fd, bool is_new)
{
	char path[PATH_MAX];

	if (fd >= 0 && is_new && path_of(fd, path))
		record(NULL, 0, "{\"op\":\"create\",\"path\":\"%s\",\"file\":%lu}\n", path,
			inode_of(fd));
	return fd;
}

static void emptied(int fd)
{
	char path[PATH_MAX];

	if (fd >= 0 && path_of(fd, path))
		record(NULL, 0, "{\"op\":\"cut\",\"file\":%lu,\"length\":0}\n", inode_of(fd));
}

int openat(int folder, const char *name, int flags, ...)
{
	REAL(real_openat, int, int, const char *, int, ...);
	char path[PATH_MAX];
	va_list arguments;
	mode_t mode;
	bool is_new;
	int fd;

	va_start(arguments, flags);
	mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
	va_end(arguments);
	if (!(flags & O_CREAT) || !path_at(folder, name, path))
		return real_openat(folder, name, flags, mode);
	pthread_mutex_lock(&mutex);
	is_new = access(path, F_OK) != 0;
	fd = opened(real_openat(folder, name, flags, mode), is_new);
	if (!is_new && flags & O_TRUNC)
		emptied(fd);
	pthread_mutex_unlock(&mutex);
	return fd;
}

int open(const char *name, int flags, ...)
{
	va_list arguments;
	mode_t mode;

	va_start(arguments, flags);
	mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
	va_end(arguments);
	return openat(AT_FDCWD, name, flags, mode);
}

/* Records that the parts were written at the offset. */
static void wrote(int fd, const struct iovec *parts, int part_count, ssize_t written, off_t offset)
{
	struct iovec kept[PARTS_MAX];
	size_t left = written > 0 ? (size_t)written : 0;
	int count = 0;

	for (; count < part_count && left > 0; count++) {
		kept[count] = parts[count];
		if (kept[count].iov_len > left)
			kept[count].iov_len = left;
		left -= kept[count].iov_len;
	}
	if (written > 0)
		record(kept, count,
			"{\"op\":\"write\",\"file\":%lu,\"offset\":%lld,\"length\":%zd}\n",
			inode_of(fd), (long long)offset, written);
}

ssize_t write(int fd, const void *bytes, size_t length)
{
	REAL(real_write, ssize_t, int, const void *, size_t);
	struct iovec part = {(void *)bytes, length};
	char path[PATH_MAX];
	ssize_t written;

	if (log_fd < 0 || !path_of(fd, path))
		return real_write(fd, bytes, length);
	pthread_mutex_lock(&mutex);
	written = real_write(fd, bytes, length);
	wrote(fd, &part, 1, written, lseek(fd, 0, SEEK_CUR) - (written > 0 ? written : 0));
	pthread_mutex_unlock(&mutex);
	return written;
}

ssize_t writev(int fd, const struct iovec *parts, int part_count)
{
	REAL(real_writev, ssize_t, int, const struct iovec *, int);
	char path[PATH_MAX];
	ssize_t written;

	if (log_fd < 0 || !path_of(fd, path))
		return real_writev(fd, parts, part_count);
	pthread_mutex_lock(&mutex);
	written = real_writev(fd, parts, part_count);
	wrote(fd, parts, part_count, written, lseek(fd, 0, SEEK_CUR) - (written > 0 ? written : 0));
	pthread_mutex_unlock(&mutex);
	return written;
}

ssize_t pwritev(int fd, const struct iovec *parts, int part_count, off_t offset)
{
	REAL(real_pwritev, ssize_t, int, const struct iovec *, int, off_t);
	char path[PATH_MAX];
	ssize_t written;

	if (log_fd < 0 || !path_of(fd, path))
		return real_pwritev(fd, parts, part_count, offset);
	pthread_mutex_lock(&mutex);
	written = real_pwritev(fd, parts, part_count, offset);
	wrote(fd, parts, part_count, written, offset);
	pthread_mutex_unlock(&mutex);
	return written;
}

int ftruncate(int fd, off_t length)
{
	REAL(real_ftruncate, int, int, off_t);
	char path[PATH_MAX];
	int status;

	if (log_fd < 0 || !path_of(fd, path))
		return real_ftruncate(fd, length);
	pthread_mutex_lock(&mutex);
	status = real_ftruncate(fd, length);
	record(NULL, 0, "{\"op\":\"cut\",\"file\":%lu,\"length\":%lld}\n", inode_of(fd),
		(long long)length);
	pthread_mutex_unlock(&mutex);
	return status;
}

/* The word in FAULT_SHIM_SKIP for the place in the program that makes this sync. */
static const char *place_of(int fd, const char *path)
{
	struct stat info;

	if (fstat(fd, &info) == 0 && S_ISDIR(info.st_mode))
		return strcmp(path, root) == 0 ? "root" : "folder";
	if (strstr(path, ".pem") != NULL)
		return "certificate";
	return gettid() == getpid() ? "left" : "mail";
}

/* Records the whole content of a file that is written through stdio, whose calls are not
 * intercepted, just before it is synced. Only the certificate is such a file. */
static void record_stdio(int fd, const char *path)
{
	static char bytes[STDIO_BYTES_MAX];
	int again = strcmp(place_of(fd, path), "certificate") == 0 ? open(path, O_RDONLY) : -1;
	ssize_t length = again < 0 ? 0 : pread(again, bytes, sizeof bytes, 0);
	struct iovec part = {bytes, length > 0 ? (size_t)length : 0};

	if (again >= 0)
		close(again);
	pthread_mutex_lock(&mutex);
	wrote(fd, &part, 1, length, 0);
	pthread_mutex_unlock(&mutex);
}

static int synced(int fd, int (*sync)(int fd))
{
	char path[PATH_MAX];
	struct stat info;
	int status;

	if (log_fd < 0 || !path_of(fd, path) || fstat(fd, &info) != 0)
		return sync(fd);
	record_stdio(fd, path);
	if (skipped != NULL && strcmp(skipped, place_of(fd, path)) == 0)
		return 0;
	pthread_mutex_lock(&mutex);
	record(NULL, 0, "{\"op\":\"sync\",\"file\":%lu,\"path\":\"%s\",\"folder\":%s}\n",
		(unsigned long)info.st_ino, path, S_ISDIR(info.st_mode) ? "true" : "false");
	pthread_mutex_unlock(&mutex);
	status = sync(fd);
	pthread_mutex_lock(&mutex);
	record(NULL, 0, "{\"op\":\"synced\",\"file\":%lu,\"path\":\"%s\",\"folder\":%s}\n",
		(unsigned long)info.st_ino, path, S_ISDIR(info.st_mode) ? "true" : "false");
	pthread_mutex_unlock(&mutex);
	return status;
}

int fsync(int fd)
{
	REAL(real_fsync, int, int);
	return synced(fd, real_fsync);
}

int fdatasync(int fd)
{
	REAL(real_fdatasync, int, int);
	return synced(fd, real_fdatasync);
}

int syncfs(int fd)
{
	REAL(real_syncfs, int, int);
	char path[PATH_MAX];
	int status;

	if (log_fd < 0 || !path_of(fd, path))
		return real_syncfs(fd);
	if (skipped != NULL && strcmp(skipped, "store") == 0)
		return 0;
	pthread_mutex_lock(&mutex);
	record(NULL, 0, "{\"op\":\"sync\",\"all\":true}\n");
	pthread_mutex_unlock(&mutex);
	status = real_syncfs(fd);
	pthread_mutex_lock(&mutex);
	record(NULL, 0, "{\"op\":\"synced\",\"all\":true}\n");
	pthread_mutex_unlock(&mutex);
	return status;
}

int rename(const char *from, const char *to)
{
	REAL(real_rename, int, const char *, const char *);
	char old[PATH_MAX];
	char new[PATH_MAX];
	int status;

	if (!path_at(AT_FDCWD, from, old) || !path_at(AT_FDCWD, to, new))
		return real_rename(from, to);
	pthread_mutex_lock(&mutex);
	status = real_rename(from, to);
	if (status == 0)
		record(NULL, 0, "{\"op\":\"rename\",\"from\":\"%s\",\"to\":\"%s\"}\n", old, new);
	pthread_mutex_unlock(&mutex);
	return status;
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
	REAL(real_renameat, int, int, const char *, int, const char *);
	char old[PATH_MAX];
	char new[PATH_MAX];
	int status;

	if (!path_at(from_folder, from, old) || !path_at(to_folder, to, new))
		return real_renameat(from_folder, from, to_folder, to);
	pthread_mutex_lock(&mutex);
	status = real_renameat(from_folder, from, to_folder, to);
	if (status == 0)
		record(NULL, 0, "{\"op\":\"rename\",\"from\":\"%s\",\"to\":\"%s\"}\n", old, new);
	pthread_mutex_unlock(&mutex);
	return status;
}

int unlinkat(int folder, const char *name, int flags)
{
	REAL(real_unlinkat, int, int, const char *, int);
	char path[PATH_MAX];
	int status;

	if (!path_at(folder, name, path))
		return real_unlinkat(folder, name, flags);
	pthread_mutex_lock(&mutex);
	status = real_unlinkat(folder, name, flags);
	if (status == 0)
		record(NULL, 0, "{\"op\":\"unlink\",\"path\":\"%s\"}\n", path);
	pthread_mutex_unlock(&mutex);
	return status;
}

int unlink(const char *name)
{
	return unlinkat(AT_FDCWD, name, 0);
}

int mkdirat(int folder, const char *name, mode_t mode)
{
	REAL(real_mkdirat, int, int, const char *, mode_t);
	char path[PATH_MAX];
	int status;

	if (!path_at(folder, name, path))
		return real_mkdirat(folder, name, mode);
	pthread_mutex_lock(&mutex);
	status = real_mkdirat(folder, name, mode);
	if (status == 0)
		record(NULL, 0, "{\"op\":\"mkdir\",\"path\":\"%s\"}\n", path);
	pthread_mutex_unlock(&mutex);
	return status;
}

int mkdir(const char *name, mode_t mode)
{
	return mkdirat(AT_FDCWD, name, mode);
}
