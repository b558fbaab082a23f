/* The proof of a level of confinement, where it runs: when a helper starts, a probe, a child like
 * those that will read mail, tries what such a child must not be able to do. A level counts only
 * when all that belongs to it was refused; which acts belong to which level is one table (proof.c).
 *
 * What the level `limits` leaves open, since no resource limit forbids it, and what follows from
 * it:
 *
 *     signals       a child may stop or kill processes of its user: mail waits, and is analysed by
 * the processes that are started instead prlimit       it may lower limits of processes of its
 * user: they fail, with the same effect execve        it may become another program, which has its
 * limits, its two descriptors and no environment, and cannot open even a library its own memory it
 * may make code of data; it was taken over already other processes  of its user whose memory can be
 * read: those of eds cannot be, its ancestors are proven not to be; nothing else should run as that
 * user
 *
 * It sends nothing anywhere but to its parent, which validates what it says.
 */
#ifndef EDS_SANDBOX_PROOF_H
#define EDS_SANDBOX_PROOF_H

#include <stdbool.h>
#include <stdint.h>

#include "functions/lib/sandbox/level.h"

/* The strongest level between these two, both included, that is proven; EDS_LEVEL_NONE when none
 * is. To be called before this process has read anything of a stranger's. */
enum eds_level eds_prove(enum eds_level strongest, enum eds_level weakest);

/* The same for people and for the runner: prints the level's word on a line of its own, then each
 * act and whether it was refused. The exit status of a program that does so; on failure a sentence
 * on standard error. */
int eds_proof_print(enum eds_level strongest, enum eds_level weakest);

#define EDS_UNPROVEN                                                                                  \
	"Nothing that strangers send can be read confined here: the kernel refuses a seccomp "        \
	"filter, or EDS_SANDBOX insists on one, and resource limits alone do not hold. Run eds as a " \
	"user other than root, from programs that this user may execute but not read, as those in "   \
	"packages; or where filters are to be had: on a machine, Fargate, Cloud Run's second "        \
	"generation, Kubernetes. EDS_SANDBOX=off would read mail without any confinement."

#endif
