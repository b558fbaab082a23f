/* System calls that clouds or old kernels refuse, each with a fallback.
 *
 * AWS Lambda refuses prctl, seccomp, ptrace, close_range and memfd_create with EPERM, and other
 * clouds that filter system calls may refuse them too. A kernel that is too old for a call, or
 * built without it, returns ENOSYS. No program of eds relies on these calls. Only kernel.c and the
 * sandbox make them (tests/support/check-layout).
 */
#ifndef RT_KERNEL_H
#define RT_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Closes all descriptors greater than or equal to first. */
void rt_close_from(int first);

/* Asks the kernel to kill this process when its parent ends. If the kernel refuses, the process
 * ends in other ways: a kept process ends when its input ends, a single run ends at its deadline,
 * and a parent kills the processes that it started. False when the parent has ended already. */
bool rt_end_with(pid_t parent);

/* Makes an empty file without a name: in memory if the kernel supports that, else in TMPDIR or
 * /tmp. -1 with errno on failure. */
int rt_nameless_file(const char *label);
/* Makes the file's content unchangeable; for this process too if the kernel can seal files. False
 * on failure. */
bool rt_nameless_file_seal(int fd);

/* Makes memory of this size, all 0, that is shared through its descriptor. No process that has the
 * descriptor can change the size, so reading the memory cannot fail. -1 with errno when the kernel
 * does not support that. */
int rt_shared_memory(const char *label, size_t size);

/* Prevents other processes of the same user from reading this process's memory, tracing it or
 * taking its descriptors. If the kernel refuses, a program file that the user may execute but not
 * read has the same effect, so packages install the program files with such a mode. */
void rt_hide_memory(void);

/* Copies the environment to other memory and overwrites the original block, which /proc shows. The
 * platform's variables AWS_LAMBDA_… stay there, since they are not secret. */
void rt_hide_environment(void);

/* Writes the path of this program's file. False when the kernel does not tell it. */
bool rt_program_path(char *path, size_t size);

#endif
