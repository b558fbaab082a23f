#include "functions/lib/sandbox/confine-network.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/kernel.h"

enum {
	MEMORY_BYTES = 256 * 1024 * 1024, /* maximum size of the address space */
	/* Maximum processor time, in seconds. When it is used up, the kernel kills the validator;
	 * starting another costs little. */
	CPU_S = 600,
	DESCRIPTORS_MAX = 1024, /* maximum number of open descriptors; each question in flight needs
				 * a socket */
};

/* Lowers a resource limit to `value`, or keeps a lower one that the parent has set. */
static bool limit(int resource, rlim_t value)
{
	struct rlimit limits;

	if (getrlimit((__rlimit_resource_t)resource, &limits) != 0)
		return false;
	if (limits.rlim_max > value)
		limits.rlim_max = value;
	limits.rlim_cur = limits.rlim_max;
	return setrlimit((__rlimit_resource_t)resource, &limits) == 0;
}

static bool set_limits(void)
{
	return limit(RLIMIT_CORE, 0) && limit(RLIMIT_FSIZE, 0) && limit(RLIMIT_NPROC, 0) &&
		limit(RLIMIT_MEMLOCK, 0) && limit(RLIMIT_NOFILE, DESCRIPTORS_MAX) &&
		limit(RLIMIT_AS, MEMORY_BYTES) && limit(RLIMIT_CPU, CPU_S);
}

#if defined(__x86_64__)
#define FILTER_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define FILTER_ARCH AUDIT_ARCH_AARCH64
#else
#error "the filter has to learn this architecture's number"
#endif

/* The system calls that libunbound and libevent were observed to make: for descriptors, sockets,
 * timers, memory, random numbers, locks, signals and the end of the process. */
static const uint32_t permitted[] = {
	__NR_read,
	__NR_write,
	__NR_writev,
	__NR_brk,
	__NR_munmap,
	__NR_mremap,
	__NR_madvise,
	__NR_close,
	__NR_fcntl,
	__NR_bind,
	__NR_connect,
	__NR_sendto,
	__NR_sendmsg,
	__NR_recvfrom,
	__NR_recvmsg,
	__NR_setsockopt,
	__NR_getsockopt,
	__NR_getsockname,
	__NR_getpeername,
	__NR_shutdown,
	__NR_epoll_ctl,
	__NR_epoll_pwait,
#ifdef __NR_epoll_wait
	__NR_epoll_wait,
#endif
#ifdef __NR_poll
	__NR_poll,
#endif
	__NR_ppoll,
	__NR_clock_gettime,
	__NR_gettimeofday,
#ifdef __NR_time
	__NR_time,
#endif
	__NR_getrandom,
	__NR_futex,
	__NR_getpid,
	__NR_gettid,
	__NR_tgkill, /* for abort(), so that a failed assertion is a crash like any other */
	__NR_rt_sigprocmask,
	__NR_rt_sigreturn,
	__NR_restart_syscall,
	__NR_exit_group,
};

/* These calls fail as if no file existed: OpenSSL, which libunbound of Debian 13 uses, looks for
 * its configuration at first use and works without it. */
static const uint32_t absent[] = {
	__NR_openat,
#ifdef __NR_open
	__NR_open,
	__NR_access,
	__NR_stat,
	__NR_readlink,
#endif
	__NR_newfstatat,
	__NR_readlinkat,
	__NR_faccessat,
};

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
/* Loads the low half of an argument; both supported architectures are little-endian. */
#define LOAD_ARG(n) LOAD(args[n])
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define KILL BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
#define NO_SUCH_FILE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOENT)
/* Skips `then` instructions when the loaded number equals `value`, else `otherwise`
 * instructions. */
#define IF_IS(value, then, otherwise)                                                              \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (then), (otherwise))

enum {
	PERMITTED = sizeof permitted / sizeof permitted[0],
	ABSENT = sizeof absent / sizeof absent[0],
	HEAD_MAX = 24,
};

/* Allows only internet sockets, and only anonymous memory that cannot be executed. */
static size_t write_head(struct sock_filter *code)
{
	const struct sock_filter head[] = {
		LOAD(arch),
		IF_IS(FILTER_ARCH, 1, 0),
		KILL,
		LOAD(nr),
		IF_IS(__NR_socket, 0, 5),
		LOAD_ARG(0),
		IF_IS(AF_INET, 1, 0),
		IF_IS(AF_INET6, 0, 1),
		ALLOW,
		KILL,
		IF_IS(__NR_mmap, 0, 6),
		LOAD_ARG(2),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 2, 0),
		LOAD_ARG(3),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_ANONYMOUS, 1, 0),
		KILL,
		ALLOW,
	};

	memcpy(code, head, sizeof head);
	return sizeof head / sizeof head[0];
}

static bool install_filter(void)
{
	struct sock_filter code[HEAD_MAX + 2 * (PERMITTED + ABSENT) + 1];
	struct sock_fprog filter = {.filter = code};
	size_t length = write_head(code);

	for (size_t i = 0; i < PERMITTED; i++) {
		code[length++] = (struct sock_filter)IF_IS(permitted[i], 0, 1);
		code[length++] = (struct sock_filter)ALLOW;
	}
	for (size_t i = 0; i < ABSENT; i++) {
		code[length++] = (struct sock_filter)IF_IS(absent[i], 0, 1);
		code[length++] = (struct sock_filter)NO_SUCH_FILE;
	}
	code[length++] = (struct sock_filter)KILL;
	filter.len = (unsigned short)length;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
		syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0;
}

const char *eds_confine_network(const char *sandbox)
{
	if (strcmp(sandbox, "off") == 0)
		return "none";
	rt_hide_memory();
	if (!set_limits())
		return NULL;
	if (install_filter())
		return "filter";
	/* root is exempt from the limit on processes, and can raise the other limits again */
	return strcmp(sandbox, "filter") == 0 || geteuid() == 0 ? NULL : "limits";
}
