/* What a child gives up before it looks at hostile bytes.
 *
 * The filter lists what the verification was seen to need: reading and writing its socket, memory,
 * the clock. mmap only for memory that cannot be executed, no descriptor can be made, and there is
 * no other process it could signal. abort() must work, so that an assertion in a library is a crash
 * like any other and no violation: hence tgkill, for SIGABRT to itself alone.
 * Written out by hand, so that nothing has to be built in each child.
 */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "functions/lib/sandbox/verifier.h"

enum {
	CHILD_MEMORY_BYTES = 256 * 1024 *
		1024, /* of address space: the message, and what it takes */
	CHILD_STACK_BYTES = 1024 * 1024,
	CHILD_CPU_S = 10,
};

static bool limit(int resource, rlim_t value)
{
	struct rlimit limits = {.rlim_cur = value, .rlim_max = value};

	return setrlimit((__rlimit_resource_t)resource, &limits) == 0;
}

static bool limit_resources(void)
{
	return limit(RLIMIT_CORE, 0) && limit(RLIMIT_FSIZE, 0) && limit(RLIMIT_NOFILE, 0) &&
		limit(RLIMIT_NPROC, 0) && limit(RLIMIT_MEMLOCK, 0) &&
		limit(RLIMIT_STACK, CHILD_STACK_BYTES) && limit(RLIMIT_AS, CHILD_MEMORY_BYTES) &&
		limit(RLIMIT_CPU, CHILD_CPU_S);
}

#if defined(__x86_64__)
#define FILTER_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define FILTER_ARCH AUDIT_ARCH_AARCH64
#else
#error "the filter has to learn this architecture's number"
#endif

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
/* The low half of an argument; both architectures are little-endian. */
#define LOAD_ARG(n) LOAD(args[n])
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define KILL BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
/* Skips the next instruction unless the loaded value is this. */
#define IF_IS(value) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, 1)
#define IF_IS_NOT(value) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 1, 0)
#define IF_HAS(bits) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 0, 1)
#define IF_HAS_NOT(bits) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 1, 0)
/* Skips the next count instructions unless the loaded value is this. */
#define IF_IS_BLOCK(value, count) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (count))
#define PERMIT(name) IF_IS(__NR_##name), ALLOW

static bool install_filter(void)
{
	struct sock_filter code[] = {
		LOAD(arch),
		IF_IS_NOT(FILTER_ARCH),
		KILL,
		LOAD(nr),
		PERMIT(read),
		PERMIT(write),
		PERMIT(brk),
		PERMIT(munmap),
		PERMIT(exit_group),
		PERMIT(clock_gettime),
		PERMIT(gettimeofday),
#ifdef __NR_time
		PERMIT(time),
#endif
		PERMIT(getrandom),
		PERMIT(futex),
		PERMIT(mremap),
		PERMIT(close),
		PERMIT(rt_sigreturn),
		PERMIT(rt_sigprocmask),
		PERMIT(getpid),
		PERMIT(gettid),
		PERMIT(writev), /* glibc's last words before abort() */
		PERMIT(uname),  /* libspf2 asks for the name of this machine */
		IF_IS_BLOCK(__NR_mmap, 7),
		LOAD_ARG(2),
		IF_HAS(PROT_EXEC),
		KILL,
		LOAD_ARG(3),
		IF_HAS_NOT(MAP_ANONYMOUS),
		KILL,
		ALLOW,
		IF_IS_BLOCK(__NR_tgkill, 6),
		LOAD_ARG(0),
		IF_IS_NOT((uint32_t)getpid()),
		KILL,
		LOAD_ARG(2),
		IF_IS(SIGABRT),
		ALLOW,
		KILL,
	};
	struct sock_fprog program = {.len = sizeof code / sizeof code[0], .filter = code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
		syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

bool eds_confine(void)
{
	return limit_resources() && install_filter();
}
