#include "functions/lib/sandbox/proof.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "functions/lib/sandbox/confine.h"

enum {
	ANCESTORS_MAX = 16,
	PATH_BYTES = 64,
	STAT_BYTES = 512,
	NOWHERE = 16, /* An address that is not mapped. The kernel checks rights before addresses,
		       * so a call with this address shows whether the call is permitted, and fails
		       * in any case. */
};

/* The processes that a hostile child could attack: its ancestors, from its parent on. */
struct targets {
	pid_t pids[ANCESTORS_MAX];
	size_t count;
	char secrets[PATH_BYTES]; /* path of the file with the environment of the process that
				   * started this one */
};

/* The probe's findings, in memory shared with this process, because a confined probe has no other
 * way to report. */
struct finding {
	uint32_t level;   /* the level in force in the probe */
	uint32_t refused; /* one bit for each act that the kernel refused */
};

/* Tries one act; returns 0 when it succeeded, else errno. */
typedef int (*try_act)(const struct targets *targets);

static int result(long value)
{
	if (value < 0)
		return errno;
	return 0;
}

static int open_file(const struct targets *targets)
{
	(void)targets;
	return result(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

static int open_secrets(const struct targets *targets)
{
	return result(open(targets->secrets, O_RDONLY | O_CLOEXEC));
}

static int make_socket(const struct targets *targets)
{
	(void)targets;
	return result(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
}

static int make_pipe(const struct targets *targets)
{
	int ends[2];

	(void)targets;
	return result(pipe2(ends, O_CLOEXEC));
}

static int make_memory_file(const struct targets *targets)
{
	(void)targets;
	return result(syscall(SYS_memfd_create, "probe", 0));
}

static int start_process(const struct targets *targets)
{
	long pid = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0);

	(void)targets;
	if (pid == 0)
		_exit(0);
	if (pid > 0)
		waitpid((pid_t)pid, NULL, 0);
	return result(pid);
}

static int raise_limit(const struct targets *targets)
{
	const struct rlimit more = {.rlim_cur = 1, .rlim_max = 1};

	(void)targets;
	return result(setrlimit(RLIMIT_NOFILE, &more));
}

/* Tries the act on every ancestor; success with any of them means that the act is not refused. */
static int each_ancestor(const struct targets *targets, long (*act)(pid_t pid))
{
	int error = 0;

	for (size_t i = 0; i < targets->count; i++) {
		error = result(act(targets->pids[i]));
		if (error == 0 || error == EFAULT)
			return error;
	}
	return error;
}

static long seize(pid_t pid)
{
	long seized = syscall(SYS_ptrace, PTRACE_SEIZE, pid, NULL, NULL);

	if (seized == 0)
		syscall(SYS_ptrace, PTRACE_DETACH, pid, NULL, NULL);
	return seized;
}

static int trace(const struct targets *targets)
{
	return each_ancestor(targets, seize);
}

static long read_memory_of(pid_t pid)
{
	char octet;
	const struct iovec here = {.iov_base = &octet, .iov_len = 1};
	const struct iovec there = {.iov_base = (char *)(uintptr_t)NOWHERE, .iov_len = 1};

	return syscall(SYS_process_vm_readv, pid, &here, 1UL, &there, 1UL, 0UL);
}

static int read_memory(const struct targets *targets)
{
	return each_ancestor(targets, read_memory_of);
}

static long write_memory_of(pid_t pid)
{
	char octet = 0;
	const struct iovec here = {.iov_base = &octet, .iov_len = 1};
	const struct iovec there = {.iov_base = (char *)(uintptr_t)NOWHERE, .iov_len = 1};

	return syscall(SYS_process_vm_writev, pid, &here, 1UL, &there, 1UL, 0UL);
}

static int write_memory(const struct targets *targets)
{
	return each_ancestor(targets, write_memory_of);
}

static long take_descriptor_of(pid_t pid)
{
	long handle = syscall(SYS_pidfd_open, pid, 0);

	return handle < 0 ? handle : syscall(SYS_pidfd_getfd, handle, 0, 0);
}

static int take_descriptor(const struct targets *targets)
{
	return each_ancestor(targets, take_descriptor_of);
}

static int send_signal(const struct targets *targets)
{
	return result(kill(targets->pids[0], 0));
}

static int look_at_limits(const struct targets *targets)
{
	struct rlimit limit;

	return result(prlimit(targets->pids[0], RLIMIT_CORE, NULL, &limit));
}

/* Calls execve without a path: if execve were allowed, the call would fail with EFAULT. */
static int execute(const struct targets *targets)
{
	(void)targets;
	return result(syscall(SYS_execve, NULL, NULL, NULL));
}

static int map_code(const struct targets *targets)
{
	void *mapped = mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)targets;
	if (mapped == MAP_FAILED)
		return errno;
	munmap(mapped, 1);
	return 0;
}

/* The acts that a child must not be able to do, and the lowest level that refuses each. */
static const struct {
	const char *name;
	enum eds_level from;
	try_act try;
} acts[] = {
	{"open a file", EDS_LEVEL_LIMITS, open_file},
	{"open the environment of its parent", EDS_LEVEL_LIMITS, open_secrets},
	{"make a socket", EDS_LEVEL_LIMITS, make_socket},
	{"make a pipe", EDS_LEVEL_LIMITS, make_pipe},
	{"make a file in memory", EDS_LEVEL_LIMITS, make_memory_file},
	{"start a process", EDS_LEVEL_LIMITS, start_process},
	{"raise a limit", EDS_LEVEL_LIMITS, raise_limit},
	{"trace an ancestor", EDS_LEVEL_LIMITS, trace},
	{"read an ancestor's memory", EDS_LEVEL_LIMITS, read_memory},
	{"write an ancestor's memory", EDS_LEVEL_LIMITS, write_memory},
	{"take an ancestor's descriptor", EDS_LEVEL_LIMITS, take_descriptor},
	{"signal an ancestor", EDS_LEVEL_FILTER, send_signal},
	{"look at an ancestor's limits", EDS_LEVEL_FILTER, look_at_limits},
	{"execute a program", EDS_LEVEL_FILTER, execute},
	{"map executable memory", EDS_LEVEL_FILTER, map_code},
};

enum { ACTS = sizeof acts / sizeof acts[0] };

static uint32_t wanted(enum eds_level level)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < ACTS; i++)
		if (acts[i].from <= level)
			bits |= 1U << i;
	return bits;
}

/* A filter refuses with EDS_PROBE_ERROR. With limits alone, EFAULT means that the kernel only
 * rejected the arguments, so the act was allowed. */
static bool is_refusal(enum eds_level level, int error)
{
	return level == EDS_LEVEL_FILTER ? error == EDS_PROBE_ERROR : error != 0 && error != EFAULT;
}

static _Noreturn void be_probe(
	enum eds_level level, const struct targets *targets, struct finding *finding)
{
	finding->level = (uint32_t)eds_confine(level, EDS_CONFINE_PROBE);
	if (finding->level != (uint32_t)level)
		_exit(EXIT_FAILURE);
	for (size_t i = 0; i < ACTS; i++)
		if (is_refusal(level, acts[i].try(targets)))
			finding->refused |= 1U << i;
	_exit(EXIT_SUCCESS);
}

/* The filter of real children kills the child instead of failing the call; a separate child tests
 * this with a harmless call. */
static bool kills(void)
{
	pid_t child = fork();
	int status = 0;

	if (child == 0) {
		if (eds_confine(EDS_LEVEL_FILTER, EDS_CONFINE_CHILD) == EDS_LEVEL_FILTER)
			(void)syscall(SYS_getppid);
		_exit(EXIT_SUCCESS);
	}
	return child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
		WTERMSIG(status) == SIGSYS;
}

static bool is_proven(enum eds_level level, const struct targets *targets, struct finding *finding)
{
	pid_t probe;
	int status = 0;

	*finding = (struct finding){.level = EDS_LEVEL_NONE};
	probe = fork();
	if (probe == 0)
		be_probe(level, targets, finding);
	return probe > 0 && waitpid(probe, &status, 0) == probe && WIFEXITED(status) &&
		WEXITSTATUS(status) == EXIT_SUCCESS &&
		(finding->refused & wanted(level)) == wanted(level) &&
		(level != EDS_LEVEL_FILTER || kills());
}

/* The parent of a process; 0 when unknown. */
static pid_t parent_of(pid_t pid)
{
	char text[STAT_BYTES];
	char path[PATH_BYTES];
	const char *end;
	ssize_t length;
	int fd;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[length < 0 ? 0 : length] = '\0';
	end = strrchr(text, ')'); /* the end of the process name, which may contain anything; the
				   * state and the parent follow */
	return end == NULL || strlen(end) < 5 ? 0 : (pid_t)strtol(end + 4, NULL, 10);
}

/* Finds the ancestors of all children: this process, which will fork them, then the function that
 * started this process, and so on. */
static void find_targets(struct targets *targets)
{
	pid_t pid = getpid();

	*targets = (struct targets){.count = 0};
	snprintf(targets->secrets, sizeof targets->secrets, "/proc/%d/environ", (int)getppid());
	while (pid > 0 && targets->count < ANCESTORS_MAX) {
		targets->pids[targets->count++] = pid;
		pid = targets->count == 1 ? getppid() : parent_of(pid);
	}
}

static enum eds_level prove(enum eds_level strongest, enum eds_level weakest, struct finding *said)
{
	struct finding *finding = mmap(
		NULL, sizeof *finding, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	enum eds_level level = strongest;
	struct targets targets;

	*said = (struct finding){.level = EDS_LEVEL_NONE};
	if (finding == MAP_FAILED)
		return EDS_LEVEL_NONE;
	find_targets(&targets);
	while (level >= weakest && !is_proven(level, &targets, finding))
		level--;
	*said = *finding;
	munmap(finding, sizeof *finding);
	return level >= weakest ? level : EDS_LEVEL_NONE;
}

enum eds_level eds_prove(enum eds_level strongest, enum eds_level weakest)
{
	struct finding said;

	return prove(strongest, weakest, &said);
}

int eds_proof_print(enum eds_level strongest, enum eds_level weakest)
{
	struct finding said;
	enum eds_level level = prove(strongest, weakest, &said);

	printf("%s\n", eds_level_word(level));
	for (size_t i = 0; i < ACTS; i++)
		printf("  %-36s %s\n", acts[i].name,
			(said.refused & 1U << i) ? "refused" : "possible");
	if (level == EDS_LEVEL_NONE)
		fprintf(stderr, "%s\n", EDS_UNPROVEN);
	return fflush(stdout) == 0 && level != EDS_LEVEL_NONE ? EXIT_SUCCESS : EXIT_FAILURE;
}
