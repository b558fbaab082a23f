/* Preloaded into a function: makes the Nth of its calls of a kind fail, or that call and all later
 * ones.
 *
 *     TORTURE_KIND    memory, files, sockets, database, resolver (c-ares) or transfer (libcurl)
 *     TORTURE_AT      N, from 1; 0 to only count calls
 *     TORTURE_ON      1: later calls fail, too
 *     TORTURE_COUNT   a file of 8 octets with the number of calls so far
 *
 * Calls count from main() on, because earlier ones are the loader's. A failing call has no effect
 * and reports an error like the real one.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum kind {
	KIND_NONE,
	KIND_MEMORY,
	KIND_FILES,
	KIND_SOCKETS,
	KIND_DATABASE,
	KIND_RESOLVER,
	KIND_TRANSFER,
};

enum {
	/* memory for the first allocations of dlsym(), made before the real calloc() is known */
	EARLY_BYTES = 64 * 1024,
	SQLITE_IOERR_CODE = 10,
	SQLITE_FULL_CODE = 13,
	ARES_ENOMEM_CODE = 15,
	CURLM_OUT_OF_MEMORY_CODE = 3,
};

static enum kind wanted;
static uint64_t fail_at;
static bool fail_on;
static _Atomic uint64_t *count;
static bool running;

static uint64_t number(const char *name)
{
	const char *text = getenv(name);

	return text == NULL ? 0 : strtoull(text, NULL, 10);
}

static void begin(void)
{
	static const char *const names[] = {
		"", "memory", "files", "sockets", "database", "resolver", "transfer"};
	const char *kind = getenv("TORTURE_KIND");
	const char *path = getenv("TORTURE_COUNT");
	int fd = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
	void *mapped;

	for (size_t i = 1; kind != NULL && i < sizeof names / sizeof names[0]; i++)
		if (strcmp(kind, names[i]) == 0)
			wanted = (enum kind)i;
	fail_at = number("TORTURE_AT");
	fail_on = number("TORTURE_ON") != 0;
	if (fd < 0)
		return;
	mapped = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (mapped == MAP_FAILED)
		return;
	count = mapped;
	running = true;
}

static bool fails(enum kind kind)
{
	uint64_t place;

	if (!running || kind != wanted)
		return false;
	place = atomic_fetch_add(count, 1) + 1;
	return fail_at != 0 && (place == fail_at || (fail_on && place > fail_at));
}

static int failed(int error)
{
	errno = error;
	return -1;
}

#define REAL(result, name, ...)                                                                    \
	static result (*real)(__VA_ARGS__);                                                        \
	if (real == NULL)                                                                          \
	*(void **)&real = dlsym(RTLD_NEXT, #name)

typedef int main_function(int, char **, char **);

static main_function *real_main;

static int counted_main(int argc, char **argv, char **environment)
{
	begin();
	return real_main(argc, argv, environment);
}

int __libc_start_main(main_function *program, int argc, char **argv, void (*init)(void),
	void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

int __libc_start_main(main_function *program, int argc, char **argv, void (*init)(void),
	void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
	REAL(int, __libc_start_main, main_function *, int, char **, void (*)(void), void (*)(void),
		void (*)(void), void *);

	real_main = program;
	return real(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

/* Memory. */

static void *early(size_t bytes)
{
	static _Alignas(max_align_t) char room[EARLY_BYTES];
	static size_t used;
	void *place = room + used;

	used += (bytes + 15) / 16 * 16;
	return used <= sizeof room ? place : NULL;
}

void *malloc(size_t bytes)
{
	REAL(void *, malloc, size_t);

	if (fails(KIND_MEMORY)) {
		errno = ENOMEM;
		return NULL;
	}
	return real(bytes);
}

void *calloc(size_t items, size_t bytes)
{
	static bool asking;
	static void *(*real)(size_t, size_t);

	if (real == NULL && asking)
		return early(items * bytes);
	if (real == NULL) {
		asking = true;
		*(void **)&real = dlsym(RTLD_NEXT, "calloc");
		asking = false;
	}
	if (fails(KIND_MEMORY)) {
		errno = ENOMEM;
		return NULL;
	}
	return real(items, bytes);
}

void *realloc(void *old, size_t bytes)
{
	REAL(void *, realloc, void *, size_t);

	if (bytes > 0 && fails(KIND_MEMORY)) {
		errno = ENOMEM;
		return NULL;
	}
	return real(old, bytes);
}

/* Files. The protocol's own pipes and the log do not count, because a function that cannot write an
 * answer cannot give a wrong one; nor do pipes within a process, which signal a loop and do not
 * fail. */

static bool is_file(int fd)
{
	int error = errno;
	struct stat status;
	bool is = fd > STDERR_FILENO && fstat(fd, &status) == 0 && S_ISREG(status.st_mode);

	errno = error;
	return is;
}

ssize_t read(int fd, void *to, size_t bytes)
{
	REAL(ssize_t, read, int, void *, size_t);

	return is_file(fd) && fails(KIND_FILES) ? failed(EIO) : real(fd, to, bytes);
}

ssize_t pread64(int fd, void *to, size_t bytes, off64_t at)
{
	REAL(ssize_t, pread64, int, void *, size_t, off64_t);

	return fails(KIND_FILES) ? failed(EIO) : real(fd, to, bytes, at);
}

ssize_t write(int fd, const void *from, size_t bytes)
{
	REAL(ssize_t, write, int, const void *, size_t);

	return is_file(fd) && fails(KIND_FILES) ? failed(ENOSPC) : real(fd, from, bytes);
}

ssize_t pwrite64(int fd, const void *from, size_t bytes, off64_t at)
{
	REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t);

	return fails(KIND_FILES) ? failed(ENOSPC) : real(fd, from, bytes, at);
}

int fsync(int fd)
{
	REAL(int, fsync, int);

	return fails(KIND_FILES) ? failed(EIO) : real(fd);
}

int fdatasync(int fd)
{
	REAL(int, fdatasync, int);

	return fails(KIND_FILES) ? failed(EIO) : real(fd);
}

int open64(const char *path, int flags, ...)
{
	REAL(int, open64, const char *, int, ...);
	va_list more;
	mode_t mode;

	va_start(more, flags);
	mode = va_arg(more, mode_t);
	va_end(more);
	return fails(KIND_FILES) ? failed(EMFILE) : real(path, flags, mode);
}

int open(const char *path, int flags, ...)
{
	REAL(int, open, const char *, int, ...);
	va_list more;
	mode_t mode;

	va_start(more, flags);
	mode = va_arg(more, mode_t);
	va_end(more);
	return fails(KIND_FILES) ? failed(EMFILE) : real(path, flags, mode);
}

int rename(const char *from, const char *to)
{
	REAL(int, rename, const char *, const char *);

	return fails(KIND_FILES) ? failed(EIO) : real(from, to);
}

/* Sockets. */

int socket(int domain, int type, int protocol)
{
	REAL(int, socket, int, int, int);

	return fails(KIND_SOCKETS) ? failed(EMFILE) : real(domain, type, protocol);
}

int connect(int fd, const struct sockaddr *address, socklen_t length)
{
	REAL(int, connect, int, const struct sockaddr *, socklen_t);

	return fails(KIND_SOCKETS) ? failed(ENETUNREACH) : real(fd, address, length);
}

ssize_t send(int fd, const void *from, size_t bytes, int flags)
{
	REAL(ssize_t, send, int, const void *, size_t, int);

	return fails(KIND_SOCKETS) ? failed(EPIPE) : real(fd, from, bytes, flags);
}

ssize_t recvfrom(
	int fd, void *to, size_t bytes, int flags, struct sockaddr *from, socklen_t *length)
{
	REAL(ssize_t, recvfrom, int, void *, size_t, int, struct sockaddr *, socklen_t *);

	return fails(KIND_SOCKETS) ? failed(ECONNRESET) : real(fd, to, bytes, flags, from, length);
}

/* The calls of the program to SQLite and libpq. Calls within these libraries are not
 * intercepted. */

static bool database_fails(const void *caller)
{
	static const void *program;
	Dl_info object;

	if (wanted != KIND_DATABASE || dladdr(caller, &object) == 0)
		return false;
	if (program == NULL) {
		Dl_info first;

		program = dladdr((const void *)(uintptr_t)real_main, &first) == 0 ? NULL
										  : first.dli_fbase;
	}
	return object.dli_fbase == program && fails(KIND_DATABASE);
}

#define DATABASE_FAILS() database_fails(__builtin_return_address(0))

int sqlite3_step(void *statement);
int sqlite3_prepare_v3(
	void *db, const char *sql, int bytes, unsigned flags, void **statement, const char **rest);
int sqlite3_open_v2(const char *path, void **db, int flags, const char *vfs);

int sqlite3_exec(void *db, const char *sql, int (*row)(void *, int, char **, char **), void *arg,
	char **error);
int sqlite3_bind_text(
	void *statement, int place, const char *text, int bytes, void (*free)(void *));
int sqlite3_bind_int64(void *statement, int place, int64_t value);

int sqlite3_step(void *statement)
{
	REAL(int, sqlite3_step, void *);

	return DATABASE_FAILS() ? SQLITE_IOERR_CODE : real(statement);
}

int sqlite3_prepare_v3(
	void *db, const char *sql, int bytes, unsigned flags, void **statement, const char **rest)
{
	REAL(int, sqlite3_prepare_v3, void *, const char *, int, unsigned, void **, const char **);

	if (DATABASE_FAILS()) {
		*statement = NULL;
		return SQLITE_IOERR_CODE;
	}
	return real(db, sql, bytes, flags, statement, rest);
}

int sqlite3_open_v2(const char *path, void **db, int flags, const char *vfs)
{
	REAL(int, sqlite3_open_v2, const char *, void **, int, const char *);

	if (DATABASE_FAILS()) {
		*db = NULL;
		return SQLITE_FULL_CODE;
	}
	return real(path, db, flags, vfs);
}

int sqlite3_exec(void *db, const char *sql, int (*row)(void *, int, char **, char **), void *arg,
	char **error)
{
	REAL(int, sqlite3_exec, void *, const char *, int (*)(void *, int, char **, char **),
		void *, char **);

	return DATABASE_FAILS() ? SQLITE_IOERR_CODE : real(db, sql, row, arg, error);
}

int sqlite3_bind_text(void *statement, int place, const char *text, int bytes, void (*free)(void *))
{
	REAL(int, sqlite3_bind_text, void *, int, const char *, int, void (*)(void *));

	return DATABASE_FAILS() ? SQLITE_IOERR_CODE : real(statement, place, text, bytes, free);
}

int sqlite3_bind_int64(void *statement, int place, int64_t value)
{
	REAL(int, sqlite3_bind_int64, void *, int, int64_t);

	return DATABASE_FAILS() ? SQLITE_IOERR_CODE : real(statement, place, value);
}

/* The calls that begin DNS questions and fetches. Their later failures are those of sockets, which
 * are a kind of their own. */

int ares_init_options(void **channel, const void *options, int mask);
int ares_set_servers_ports_csv(void *channel, const char *servers);
typedef void ares_answer(void *arg, int status, int timeouts, unsigned char *bytes, int length);
void ares_query(
	void *channel, const char *name, int class, int type, ares_answer *answer, void *arg);
void *curl_easy_init(void);
void *curl_multi_init(void);
int curl_multi_add_handle(void *multi, void *easy);
void *curl_slist_append(void *list, const char *text);

int ares_init_options(void **channel, const void *options, int mask)
{
	REAL(int, ares_init_options, void **, const void *, int);

	return fails(KIND_RESOLVER) ? ARES_ENOMEM_CODE : real(channel, options, mask);
}

int ares_set_servers_ports_csv(void *channel, const char *servers)
{
	REAL(int, ares_set_servers_ports_csv, void *, const char *);

	return fails(KIND_RESOLVER) ? ARES_ENOMEM_CODE : real(channel, servers);
}

void ares_query(
	void *channel, const char *name, int class, int type, ares_answer *answer, void *arg)
{
	REAL(void, ares_query, void *, const char *, int, int, ares_answer *, void *);

	if (fails(KIND_RESOLVER))
		answer(arg, ARES_ENOMEM_CODE, 0, NULL, 0);
	else
		real(channel, name, class, type, answer, arg);
}

void *curl_easy_init(void)
{
	REAL(void *, curl_easy_init, void);

	return fails(KIND_TRANSFER) ? NULL : real();
}

void *curl_multi_init(void)
{
	REAL(void *, curl_multi_init, void);

	return fails(KIND_TRANSFER) ? NULL : real();
}

int curl_multi_add_handle(void *multi, void *easy)
{
	REAL(int, curl_multi_add_handle, void *, void *);

	return fails(KIND_TRANSFER) ? CURLM_OUT_OF_MEMORY_CODE : real(multi, easy);
}

void *curl_slist_append(void *list, const char *text)
{
	REAL(void *, curl_slist_append, void *, const char *);

	return fails(KIND_TRANSFER) ? NULL : real(list, text);
}
