/* The levels of confinement of a sandbox child, from none to full.
 *
 * A helper proves its level when it starts (proof.h). A child reports its level before it reads its
 * message (serve.c), in a place that it cannot change afterwards; the parent ignores all results of
 * a child that reported a level below the proven one (conversation.c).
 */
#ifndef EDS_SANDBOX_LEVEL_H
#define EDS_SANDBOX_LEVEL_H

enum eds_level {
	EDS_LEVEL_NONE,   /* no confinement (EDS_SANDBOX=off) */
	EDS_LEVEL_LIMITS, /* resource limits: the child can create no descriptor, process or file */
	EDS_LEVEL_FILTER, /* resource limits and a seccomp filter */
};

/* The word for a level: "none", "limits" or "filter". */
const char *eds_level_word(enum eds_level level);

#endif
