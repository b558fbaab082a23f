/* The acts that a taken-over child tries, by name: each returns whether it succeeded. Both levels
 * of the sandbox must refuse all of them (functions/lib/sandbox/proof.h). */
#ifndef FORBIDDEN_ACTS_H
#define FORBIDDEN_ACTS_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* The process id of the function that started this helper, the target of the acts; main() sets it
 * before any confinement. */
static pid_t attacked_function;

static inline bool act_open_file(void)
{
	return syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY) >= 0;
}

static inline bool act_open_environment(void)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/environ", (int)attacked_function);
	return syscall(SYS_openat, AT_FDCWD, path, O_RDONLY) >= 0;
}

static inline bool act_open_socket(void)
{
	return syscall(SYS_socket, AF_INET, SOCK_DGRAM, 0) >= 0;
}

static inline bool act_make_pipe(void)
{
	int ends[2];

	return syscall(SYS_pipe2, ends, 0) >= 0;
}

static inline bool act_make_memory_file(void)
{
	return syscall(SYS_memfd_create, "act", 0) >= 0;
}

static inline bool act_fork(void)
{
	long pid = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0);

	if (pid == 0)
		syscall(SYS_exit_group, 0);
	return pid >= 0;
}

static inline bool act_trace(pid_t pid)
{
	return syscall(SYS_ptrace, PTRACE_SEIZE, pid, NULL, NULL) >= 0;
}

static inline bool act_trace_helper(void)
{
	return act_trace(getppid());
}

static inline bool act_trace_function(void)
{
	return act_trace(attacked_function);
}

/* Tries to read a byte of another process at an arbitrary address; the address does not matter,
 * because the kernel checks the right to access first. */
static inline bool act_reach_memory(long call, pid_t pid)
{
	char octet = 0;
	struct iovec here = {.iov_base = &octet, .iov_len = 1};
	struct iovec there = {.iov_base = (void *)(uintptr_t)4096, .iov_len = 1};

	return syscall(call, pid, &here, 1UL, &there, 1UL, 0UL) >= 0 || errno == EFAULT;
}

static inline bool act_read_helper(void)
{
	return act_reach_memory(SYS_process_vm_readv, getppid());
}

static inline bool act_read_function(void)
{
	return act_reach_memory(SYS_process_vm_readv, attacked_function);
}

static inline bool act_write_function(void)
{
	return act_reach_memory(SYS_process_vm_writev, attacked_function);
}

static inline bool act_take_descriptor(void)
{
	long handle = syscall(SYS_pidfd_open, attacked_function, 0);

	return handle >= 0 && syscall(SYS_pidfd_getfd, handle, 0, 0) >= 0;
}

static inline bool act_raise_limit(void)
{
	struct rlimit limit = {.rlim_cur = 64, .rlim_max = 64};

	return syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, &limit, NULL) >= 0;
}

static const struct {
	const char *name;
	bool (*act)(void);
} forbidden_acts[] = {
	{"open-file", act_open_file},
	{"open-environment", act_open_environment},
	{"open-socket", act_open_socket},
	{"make-pipe", act_make_pipe},
	{"make-memory-file", act_make_memory_file},
	{"fork", act_fork},
	{"trace-helper", act_trace_helper},
	{"trace-function", act_trace_function},
	{"read-helper", act_read_helper},
	{"read-function", act_read_function},
	{"write-function", act_write_function},
	{"take-descriptor", act_take_descriptor},
	{"raise-limit", act_raise_limit},
};

enum { FORBIDDEN_ACTS = sizeof forbidden_acts / sizeof forbidden_acts[0] };

/* False when there is no act with this name, or it was refused. */
static inline bool act_succeeds(const char *name, size_t length)
{
	for (size_t i = 0; i < FORBIDDEN_ACTS; i++)
		if (strlen(forbidden_acts[i].name) == length &&
			memcmp(forbidden_acts[i].name, name, length) == 0)
			return forbidden_acts[i].act();
	return false;
}

static inline bool is_act(const char *name, size_t length)
{
	for (size_t i = 0; i < FORBIDDEN_ACTS; i++)
		if (strlen(forbidden_acts[i].name) == length &&
			memcmp(forbidden_acts[i].name, name, length) == 0)
			return true;
	return false;
}

#endif
