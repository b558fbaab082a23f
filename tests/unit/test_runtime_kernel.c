/* System calls that clouds refuse, and their fallbacks: the results are the same with and without
 * the calls.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "runtime/kernel.h"

#ifdef __NR_readlink
#define READLINK __NR_readlink
#else
#define READLINK __NR_readlinkat
#endif

/* Installs a filter: from now on these system calls fail with this error in this process. */
static bool refuse(int error)
{
	static struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_close_range, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_memfd_create, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, READLINK, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO),
	};
	struct sock_fprog program = {.len = sizeof code / sizeof code[0], .filter = code};

	code[5].k = SECCOMP_RET_ERRNO | (unsigned)error;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
		syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

/* Runs the check three times, each in a process of its own: with the system calls, with refused
 * ones (EPERM), and as on a kernel without them (ENOSYS). */
static void assert_whatever_is_refused(bool (*holds)(void))
{
	static const int errors[] = {0, EPERM, ENOSYS};

	for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
		pid_t child = fork();
		int status = 0;

		if (child == 0)
			_exit((errors[i] == 0 || refuse(errors[i])) && holds() ? 0 : 1);
		assert_int_equal(waitpid(child, &status, 0), child);
		if (status != 0)
			fail_msg("not with %s", errors[i] == 0 ? "all calls" : strerror(errors[i]));
	}
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static bool only_lower_descriptors_stay(void)
{
	for (int fd = 100; fd < 1000; fd += 3)
		if (dup2(STDOUT_FILENO, fd) != fd)
			return false;
	rt_close_from(200);
	for (int fd = 100; fd < 1000; fd++)
		if (is_open(fd) != (fd < 200 && fd % 3 == 1))
			return false;
	return is_open(STDOUT_FILENO);
}

static void all_descriptors_from_a_given_number_up_are_closed(void **state)
{
	(void)state;
	assert_whatever_is_refused(only_lower_descriptors_stay);
}

static bool a_file_is_kept_and_nobody_else_has_it(void)
{
	char octets[6] = "";
	struct stat file;
	int fd = rt_nameless_file("event");

	return fd >= 0 && write(fd, "event", 5) == 5 && rt_nameless_file_seal(fd) &&
		pread(fd, octets, 5, 0) == 5 && strcmp(octets, "event") == 0 &&
		(fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0 && fstat(fd, &file) == 0 &&
		file.st_nlink == 0;
}

static void a_nameless_file_holds_what_is_written(void **state)
{
	(void)state;
	assert_whatever_is_refused(a_file_is_kept_and_nobody_else_has_it);
}

static void a_file_in_memory_cannot_be_changed_once_sealed(void **state)
{
	int fd = rt_nameless_file("event");

	(void)state;
	assert_int_equal(write(fd, "event", 5), 5);
	assert_true(rt_nameless_file_seal(fd));
	assert_int_equal(write(fd, "x", 1), -1);
	assert_int_equal(errno, EPERM);
	close(fd);
}

static bool program_is_this_one(void)
{
	char path[4096];

	return rt_program_path(path, sizeof path) && strstr(path, "/test_runtime_kernel") != NULL;
}

static void the_path_of_the_running_program_is_found(void **state)
{
	(void)state;
	assert_whatever_is_refused(program_is_this_one);
}

static void a_process_is_tied_only_to_its_actual_parent(void **state)
{
	(void)state;
	assert_true(rt_end_with(getppid()));
	assert_false(rt_end_with(getpid()));
	prctl(PR_SET_PDEATHSIG, 0);
}

static void a_hidden_environment_still_has_all_its_variables(void **state)
{
	char first[] = "FIRST=1";
	char told[] = "AWS_LAMBDA_TOLD=2";
	char last[] = "LAST=3";
	char *before[] = {first, told, last, NULL};
	char **kept = environ;

	(void)state;
	environ = before;
	rt_hide_environment();
	assert_string_equal(getenv("FIRST"), "1");
	assert_string_equal(getenv("AWS_LAMBDA_TOLD"), "2");
	assert_string_equal(getenv("LAST"), "3");
	assert_memory_equal(first, "\0\0\0\0\0\0\0", sizeof first);
	assert_string_equal(told, "AWS_LAMBDA_TOLD=2");
	assert_memory_equal(last, "\0\0\0\0\0\0", sizeof last);
	environ = kept;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_descriptors_from_a_given_number_up_are_closed),
		cmocka_unit_test(a_nameless_file_holds_what_is_written),
		cmocka_unit_test(a_file_in_memory_cannot_be_changed_once_sealed),
		cmocka_unit_test(the_path_of_the_running_program_is_found),
		cmocka_unit_test(a_process_is_tied_only_to_its_actual_parent),
		cmocka_unit_test(a_hidden_environment_still_has_all_its_variables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
