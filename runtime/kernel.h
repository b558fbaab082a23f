/* Calls of the kernel that clouds or old kernels refuse, each with its older way.
 *
 * AWS Lambda refuses prctl, seccomp, ptrace and, as may any cloud that filters by a list of its
 * own, close_range and memfd_create, with EPERM; where a kernel is too old for a call, or has it
 * not, it says ENOSYS. No program of ours takes one for granted, and nothing but this file and the
 * sandbox's filter makes them (tests/support/check-layout).
 */
#ifndef RT_KERNEL_H
#define RT_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Closes every descriptor from this one on. */
void rt_close_from(int first);

/* Asks the kernel to kill this process when its parent ends. Where that cannot be asked for, end of
 * input tells a kept process, its deadline ends a single run, and the parent kills what it started.
 * False when the parent has ended already. */
bool rt_end_with(pid_t parent);

/* An empty file without a name, in memory if the kernel has such files, else in TMPDIR or /tmp; -1
 * with errno. */
int rt_nameless_file(const char *label);
/* Nobody can change what is in it from now on, this process included where the kernel seals files.
 * False when sealing failed. */
bool rt_nameless_file_seal(int fd);

/* Lets nobody else of its user read this process's memory, trace it or take its descriptors. Where
 * this cannot be asked for, a program that its user may execute but not read has the same effect,
 * which is why packages have such modes. */
void rt_hide_memory(void);

/* Moves the environment to memory of this process's own, and overwrites the block that it came in,
 * which /proc shows. What the platform calls AWS_LAMBDA_… stays: it is no secret. */
void rt_hide_environment(void);

/* The file of this program. False when the kernel does not say. */
bool rt_program_path(char *path, size_t size);

#endif
