/* The seccomp filter lists the system calls that a verification was observed to make: for its
 * socket, memory and the clock. mmap works only for memory that cannot be executed; no call can
 * create a descriptor or signal another process. A failed assertion in a library must count as a
 * crash and not as a violation of the filter, so abort() must work. Therefore a child may call
 * tgkill, but only to send SIGABRT to itself.
 */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "functions/lib/sandbox/confine.h"

enum {
	CHILD_MEMORY_BYTES = 256 * 1024 * 1024, /* maximum size of the address space: the message,
						 * and the memory to verify it */
	CHILD_STACK_BYTES = 1024 * 1024,
	CHILD_CPU_S = 10,
};

static bool limit(int resource, rlim_t value)
{
	struct rlimit limits = {.rlim_cur = value, .rlim_max = value};

	return setrlimit((__rlimit_resource_t)resource, &limits) == 0;
}

static bool set_limits(void)
{
	return limit(RLIMIT_CORE, 0) && limit(RLIMIT_FSIZE, 0) && limit(RLIMIT_MEMLOCK, 0) &&
		limit(RLIMIT_STACK, CHILD_STACK_BYTES) && limit(RLIMIT_NOFILE, 0) &&
		limit(RLIMIT_NPROC, 0) && limit(RLIMIT_AS, CHILD_MEMORY_BYTES) &&
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
/* Loads the low half of an argument; both supported architectures are little-endian. */
#define LOAD_ARG(n) LOAD(args[n])
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define KILL BPF_STMT(BPF_RET | BPF_K, forbidden)
/* Skips the next instruction unless the loaded number equals `value`. */
#define IF_IS(value) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, 1)
#define IF_IS_NOT(value) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 1, 0)
#define IF_HAS(bits) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 0, 1)
#define IF_HAS_NOT(bits) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 1, 0)
/* Skips the next `count` instructions unless the loaded number equals `value`. */
#define IF_IS_BLOCK(value, count) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (count))

/* The system calls that are allowed with any arguments. */
static const uint32_t permitted[] = {
	__NR_read, __NR_write, __NR_brk, __NR_munmap, __NR_exit_group, __NR_clock_gettime,
	__NR_gettimeofday,
#ifdef __NR_time
	__NR_time,
#endif
	__NR_getrandom, __NR_futex, __NR_mremap, __NR_close, __NR_rt_sigreturn, __NR_rt_sigprocmask,
	__NR_getpid, __NR_gettid, __NR_writev, /* getpid, gettid and writev for glibc's message
						* before abort() */
	__NR_uname,                            /* libspf2 asks for the host name */
};

enum {
	PERMITTED = sizeof permitted / sizeof permitted[0],
	WORD_BITS = 32,
	CODE_MAX = 33 + PERMITTED,
};

struct program {
	struct sock_filter code[CODE_MAX];
	size_t length;
};

static void put(struct program *program, struct sock_filter instruction)
{
	program->code[program->length++] = instruction;
}

/* Judges call numbers below WORD_BITS by one word, which has a bit for each number: 1 permits the
 * number, 0 forbids it. */
static void put_low_numbers(struct program *program, uint32_t forbidden)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < PERMITTED; i++)
		if (permitted[i] < WORD_BITS)
			bits |= 1U << permitted[i];
	put(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, WORD_BITS, 6, 0));
	put(program, (struct sock_filter)BPF_STMT(BPF_MISC | BPF_TAX, 0));
	put(program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_IMM, 1));
	put(program, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_LSH | BPF_X, 0));
	put(program, (struct sock_filter)IF_HAS(bits));
	put(program, (struct sock_filter)ALLOW);
	put(program, (struct sock_filter)KILL);
}

/* Compares the call number with each permitted number from WORD_BITS on; a match jumps to the ALLOW
 * at the end. */
static void put_high_numbers(struct program *program, uint32_t forbidden)
{
	uint8_t left = 0;

	for (size_t i = 0; i < PERMITTED; i++)
		if (permitted[i] >= WORD_BITS)
			left++;
	for (size_t i = 0; i < PERMITTED; i++)
		if (permitted[i] >= WORD_BITS)
			put(program,
				(struct sock_filter)BPF_JUMP(
					BPF_JMP | BPF_JEQ | BPF_K, permitted[i], left--, 0));
	put(program, (struct sock_filter)KILL);
	put(program, (struct sock_filter)ALLOW);
}

/* The filter is as short as possible, because the kernel compiles it for each child. The kernel
 * would also run the filter for every call number, to cache the numbers that are always allowed,
 * but a child does not live long enough to gain from this cache. The first instruction does
 * nothing, but makes the kernel give up the caching at once. */
static void write_filter(struct program *program, uint32_t forbidden)
{
	const struct sock_filter head[] = {
		BPF_STMT(BPF_MISC | BPF_TAX, 0),
		LOAD(arch),
		IF_IS_NOT(FILTER_ARCH),
		KILL,
		LOAD(nr),
		IF_IS_BLOCK(__NR_mmap, 7),
		LOAD_ARG(2),
		IF_HAS(PROT_EXEC),
		KILL,
		LOAD_ARG(3),
		IF_HAS_NOT(MAP_ANONYMOUS),
		KILL,
		ALLOW,
		IF_IS_BLOCK(__NR_tgkill, 7),
		LOAD_ARG(0),
		IF_IS_NOT((uint32_t)getpid()),
		KILL,
		LOAD_ARG(2),
		IF_IS(SIGABRT),
		ALLOW,
		KILL,
	};

	memcpy(program->code, head, sizeof head);
	program->length = sizeof head / sizeof head[0];
	put_low_numbers(program, forbidden);
	put_high_numbers(program, forbidden);
}

static bool install_filter(uint32_t forbidden)
{
	struct program program;
	struct sock_fprog filter = {.filter = program.code};

	write_filter(&program, forbidden);
	filter.len = (unsigned short)program.length;
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0;
}

enum eds_level eds_confine(enum eds_level level, enum eds_confine_mode mode)
{
	bool may_gain = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0;

	if (!set_limits())
		return EDS_LEVEL_NONE;
	if (level == EDS_LEVEL_LIMITS)
		return level;
	/* only the filter needs PR_SET_NO_NEW_PRIVS; resource limits apply without it */
	if (may_gain ||
		!install_filter(mode == EDS_CONFINE_CHILD
				? SECCOMP_RET_KILL_PROCESS
				: SECCOMP_RET_ERRNO | (uint32_t)EDS_PROBE_ERROR))
		return EDS_LEVEL_NONE;
	return EDS_LEVEL_FILTER;
}
