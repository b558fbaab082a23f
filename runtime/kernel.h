/* System calls that clouds or old kernels refuse, each with a fallback.
 *
 * AWS Lambda refuses prctl, seccomp, ptrace and, as may any cloud that filters by a list of its
 * own, close_range and memfd_create, with EPERM. A kernel that is too old for a call, or built
 * without it, returns ENOSYS. No program of eds relies on these calls, and only this file and the
 * sandbox's filter make them (tests/support/check-layout).
 */
#ifndef RT_KERNEL_H
#define RT_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Closes every descriptor from this one on. */
void rt_close_from(int first);

/* Asks the kernel to kill this process when its parent ends. If the kernel refuses, a kept process
 * sees the end of its input, a single run ends at its deadline, and the parent kills the processes
 * that it started. False when the parent has ended already. */
bool rt_end_with(pid_t parent);

/* An empty file without a name, in memory if the kernel supports that, else in TMPDIR or /tmp; -1
 * with errno. */
int rt_nameless_file(const char *label);
/* Makes the file's content unchangeable, for this process too if the kernel can seal files. False
 * when sealing failed. */
bool rt_nameless_file_seal(int fd);

/* Memory of this size to be shared by its descriptor, 0 at first, whose size no process that has it
 * can change: reading it cannot fail. -1 with errno when the kernel has none. */
int rt_shared_memory(const char *label, size_t size);

/* Prevents other processes of the same user from reading this process's memory, tracing it or
 * taking its descriptors. If the kernel refuses, a program file that the user may execute but not
 * read has the same effect, so packages install such modes. */
void rt_hide_memory(void);

/* Copies the environment to other memory and overwrites the original block, which /proc shows.
 * Variables AWS_LAMBDA_… of the platform stay, since they are not secret. */
void rt_hide_environment(void);

/* The path of this program's file. False when the kernel does not tell it. */
bool rt_program_path(char *path, size_t size);

#endif
