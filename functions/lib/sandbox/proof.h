/* The proof of a level of confinement on this machine: when a helper starts, it forks a probe. The
 * probe is confined like the children that will read mail, and tries the acts that such a child
 * must not be able to do. A level counts only when the kernel refused all acts of that level; a
 * table in proof.c assigns acts to levels.
 *
 * The level `limits` leaves these acts open, since no resource limit forbids them:
 *
 *     signals          a child can stop or kill processes of its user: mail then waits until
 *                      other processes are started to analyze the mail
 *     prlimit          a child can lower limits of processes of its user, with the same effect
 *     execve           a child can become another program; this program keeps the limits of the
 *                      child, has its two descriptors and no environment, and cannot open even a
 *                      library
 *     own memory       a child can execute data as code; it gains nothing, because a child that
 *                      does so has already been taken over by a hostile message
 *     other processes  a child can read memory of other processes of its user, but not of eds:
 *                      the child's ancestors are proven to be unreadable, and nothing else
 *                      should run as that user
 *
 * With limits or a filter a child can send data only to the function that started the helper; the
 * function validates the data. */
#ifndef EDS_SANDBOX_PROOF_H
#define EDS_SANDBOX_PROOF_H

#include <stdbool.h>
#include <stdint.h>

#include "functions/lib/sandbox/level.h"

/* The strongest proven level in the range from weakest to strongest, both included; EDS_LEVEL_NONE
 * when none is proven. Call it before this process has read any hostile data. */
enum eds_level eds_prove(enum eds_level strongest, enum eds_level weakest);

/* Proves a level as eds_prove() does and prints the result, for people and for the runner: the
 * level's word on a line of its own, then each act and whether it was refused. Returns the exit
 * status of the program; on failure prints a sentence on standard error. */
int eds_proof_print(enum eds_level strongest, enum eds_level weakest);

#define EDS_UNPROVEN                                                                               \
	"Mail and reports cannot be read in a sandbox here: the kernel refuses a seccomp "         \
	"filter, and resource limits alone do not work or EDS_SANDBOX does not allow them. "       \
	"To use limits, unset EDS_SANDBOX and run eds as a user other than root, with programs "   \
	"that this user may execute but not read, as packages install them. To use a filter, "     \
	"run eds on a machine of your own, on Fargate, Cloud Run's second generation or "          \
	"Kubernetes. EDS_SANDBOX=off would read mail without any confinement."

#endif
