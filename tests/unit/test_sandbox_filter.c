/* The decision of the sandbox's filters about each system call. The test catches each filter at the
 * call that would install it, and interprets it. So the filters of another architecture can be
 * tested under an emulator that supports no filters. */
#include <dlfcn.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "functions/lib/sandbox/confine-network.h"
#include "functions/lib/sandbox/confine.h"

#if defined(__x86_64__)
#define OWN_ARCH AUDIT_ARCH_X86_64
#define FOREIGN_ARCH AUDIT_ARCH_I386
#else
#define OWN_ARCH AUDIT_ARCH_AARCH64
#define FOREIGN_ARCH AUDIT_ARCH_ARM
#endif

enum { CODE_MAX = 256, NUMBERS = 1024 };

struct filter {
	pid_t child; /* the process that tried to install the filter */
	size_t length;
	struct sock_filter code[CODE_MAX];
};

static int told = -1; /* the pipe into which a child process writes its filter */

/* Replaces the C library's function, to catch the filter. */
long syscall(long number, ...)
{
	long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	long args[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		args[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_seccomp && args[0] == SECCOMP_SET_MODE_FILTER) {
		const struct sock_fprog *program = (const struct sock_fprog *)args[2];
		size_t size = program->len * sizeof program->filter[0];

		return write(told, program->filter, size) == (ssize_t)size ? 0 : -1;
	}
	return real(number, args[0], args[1], args[2], args[3], args[4], args[5]);
}

static bool confine_reader_of_mail(void)
{
	return eds_confine(EDS_LEVEL_FILTER, EDS_CONFINE_CHILD) == EDS_LEVEL_FILTER;
}

static bool confine_validator(void)
{
	const char *level = eds_confine_network("filter");

	return level != NULL && strcmp(level, "filter") == 0;
}

static struct filter filter_of(bool (*confine)(void))
{
	struct filter filter = {.length = 0};
	ssize_t got;
	int ends[2];
	int status;

	assert_int_equal(pipe(ends), 0);
	filter.child = fork();
	if (filter.child == 0) {
		told = ends[1];
		_exit(confine() ? 0 : 1);
	}
	close(ends[1]);
	got = read(ends[0], filter.code, sizeof filter.code);
	close(ends[0]);
	assert_int_equal(waitpid(filter.child, &status, 0), filter.child);
	assert_int_equal(status, 0);
	assert_true(got > 0 && got % (ssize_t)sizeof filter.code[0] == 0);
	filter.length = (size_t)got / sizeof filter.code[0];
	return filter;
}

static bool holds(const struct sock_filter *at, uint32_t value)
{
	switch (BPF_OP(at->code)) {
	case BPF_JEQ:
		return value == at->k;
	case BPF_JGE:
		return value >= at->k;
	case BPF_JSET:
		return (value & at->k) != 0;
	default:
		fail_msg("an instruction that is not known here: %#x", at->code);
		return false;
	}
}

/* Interprets a filter as the kernel would: only those instructions of classic BPF that our filters
 * use. */
static uint32_t verdict(const struct filter *filter, const struct seccomp_data *call)
{
	uint32_t value = 0;
	uint32_t index = 0;

	for (size_t at = 0; at < filter->length; at++) {
		const struct sock_filter *step = &filter->code[at];

		switch (step->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			memcpy(&value, (const char *)call + step->k, sizeof value);
			break;
		case BPF_LD | BPF_IMM:
			value = step->k;
			break;
		case BPF_MISC | BPF_TAX:
			index = value;
			break;
		case BPF_ALU | BPF_LSH | BPF_X:
			value <<= index;
			break;
		case BPF_RET | BPF_K:
			return step->k;
		default:
			at += holds(step, value) ? step->jt : step->jf;
		}
	}
	fail_msg("the filter ends without a verdict");
	return 0;
}

static uint32_t of_call(
	const struct filter *filter, int number, uint64_t first, uint64_t third, uint64_t fourth)
{
	struct seccomp_data call = {
		.nr = number, .arch = OWN_ARCH, .args = {first, 0, third, fourth}};

	return verdict(filter, &call);
}

static void assert_allowed_alone(const struct filter *filter, const int *allowed, size_t count)
{
	for (int number = 0; number < NUMBERS; number++) {
		bool expected = false;

		for (size_t i = 0; i < count; i++)
			expected = expected || allowed[i] == number;
		if ((of_call(filter, number, 0, 0, 0) == SECCOMP_RET_ALLOW) != expected)
			fail_msg("call %d is %s", number, expected ? "refused" : "allowed");
	}
}

static void the_reader_of_mail_may_only_read_write_and_use_memory(void **state)
{
	static const int allowed[] = {
		SYS_read,
		SYS_write,
		SYS_writev,
		SYS_brk,
		SYS_munmap,
		SYS_mremap,
		SYS_exit_group,
		SYS_clock_gettime,
		SYS_gettimeofday,
		SYS_getrandom,
		SYS_futex,
		SYS_close,
		SYS_rt_sigreturn,
		SYS_rt_sigprocmask,
		SYS_getpid,
		SYS_gettid,
		SYS_uname,
#ifdef SYS_time
		SYS_time,
#endif
	};
	struct filter filter = filter_of(confine_reader_of_mail);

	(void)state;
	assert_allowed_alone(&filter, allowed, sizeof allowed / sizeof allowed[0]);
	assert_int_equal(of_call(&filter, SYS_openat, 0, 0, 0), SECCOMP_RET_KILL_PROCESS);
	assert_int_equal(of_call(&filter, SYS_execve, 0, 0, 0), SECCOMP_RET_KILL_PROCESS);
	assert_int_equal(of_call(&filter, SYS_socket, AF_INET, 0, 0), SECCOMP_RET_KILL_PROCESS);
}

static void only_anonymous_memory_that_is_not_executable_may_be_mapped(void **state)
{
	bool (*const confined[])(void) = {confine_reader_of_mail, confine_validator};

	(void)state;
	for (size_t i = 0; i < sizeof confined / sizeof confined[0]; i++) {
		struct filter filter = filter_of(confined[i]);

		assert_int_equal(of_call(&filter, SYS_mmap, 0, PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS),
			SECCOMP_RET_ALLOW);
		assert_int_equal(of_call(&filter, SYS_mmap, 0, PROT_READ | PROT_EXEC,
					 MAP_PRIVATE | MAP_ANONYMOUS),
			SECCOMP_RET_KILL_PROCESS);
		assert_int_equal(of_call(&filter, SYS_mmap, 0, PROT_READ, MAP_PRIVATE),
			SECCOMP_RET_KILL_PROCESS);
		assert_int_equal(
			of_call(&filter, SYS_mprotect, 0, PROT_EXEC, 0), SECCOMP_RET_KILL_PROCESS);
	}
}

static void the_reader_of_mail_may_abort_itself_and_signal_nobody_else(void **state)
{
	struct filter filter = filter_of(confine_reader_of_mail);
	uint64_t self = (uint64_t)filter.child;

	(void)state;
	assert_int_equal(of_call(&filter, SYS_tgkill, self, SIGABRT, 0), SECCOMP_RET_ALLOW);
	assert_int_equal(of_call(&filter, SYS_tgkill, self, SIGKILL, 0), SECCOMP_RET_KILL_PROCESS);
	assert_int_equal(
		of_call(&filter, SYS_tgkill, self - 1, SIGABRT, 0), SECCOMP_RET_KILL_PROCESS);
	assert_int_equal(of_call(&filter, SYS_kill, self, SIGABRT, 0), SECCOMP_RET_KILL_PROCESS);
}

static void calls_in_the_numbers_of_another_architecture_are_refused(void **state)
{
	bool (*const confined[])(void) = {confine_reader_of_mail, confine_validator};

	(void)state;
	for (size_t i = 0; i < sizeof confined / sizeof confined[0]; i++) {
		struct filter filter = filter_of(confined[i]);
		struct seccomp_data call = {.nr = SYS_read, .arch = FOREIGN_ARCH};

		assert_int_equal(verdict(&filter, &call), SECCOMP_RET_KILL_PROCESS);
		call = (struct seccomp_data){.nr = SYS_read | 0x40000000, .arch = OWN_ARCH};
		assert_int_equal(verdict(&filter, &call), SECCOMP_RET_KILL_PROCESS);
	}
}

static void the_validator_opens_sockets_of_the_internet_and_finds_no_file(void **state)
{
	struct filter filter = filter_of(confine_validator);

	(void)state;
	assert_int_equal(of_call(&filter, SYS_socket, AF_INET, 0, 0), SECCOMP_RET_ALLOW);
	assert_int_equal(of_call(&filter, SYS_socket, AF_INET6, 0, 0), SECCOMP_RET_ALLOW);
	assert_int_equal(of_call(&filter, SYS_socket, AF_UNIX, 0, 0), SECCOMP_RET_KILL_PROCESS);
	assert_int_equal(of_call(&filter, SYS_socket, AF_NETLINK, 0, 0), SECCOMP_RET_KILL_PROCESS);
	assert_int_equal(of_call(&filter, SYS_openat, 0, 0, 0), SECCOMP_RET_ERRNO | ENOENT);
	assert_int_equal(of_call(&filter, SYS_execve, 0, 0, 0), SECCOMP_RET_KILL_PROCESS);
	assert_int_equal(of_call(&filter, SYS_clone, 0, 0, 0), SECCOMP_RET_KILL_PROCESS);
	assert_int_equal(of_call(&filter, SYS_ptrace, 0, 0, 0), SECCOMP_RET_KILL_PROCESS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_reader_of_mail_may_only_read_write_and_use_memory),
		cmocka_unit_test(only_anonymous_memory_that_is_not_executable_may_be_mapped),
		cmocka_unit_test(the_reader_of_mail_may_abort_itself_and_signal_nobody_else),
		cmocka_unit_test(calls_in_the_numbers_of_another_architecture_are_refused),
		cmocka_unit_test(the_validator_opens_sockets_of_the_internet_and_finds_no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
