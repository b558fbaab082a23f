/* How a child of the sandbox is confined, from nothing to everything.
 *
 * A helper proves its level when it starts (proof.h). A child says which level holds before it
 * looks at its message (serve.c), where it cannot change it afterwards; its parent believes nothing
 * of one that said less than was proven (conversation.c).
 */
#ifndef EDS_SANDBOX_LEVEL_H
#define EDS_SANDBOX_LEVEL_H

enum eds_level {
	EDS_LEVEL_NONE,   /* EDS_SANDBOX=off */
	EDS_LEVEL_LIMITS, /* resource limits: no descriptor, process or file can be made */
	EDS_LEVEL_FILTER, /* and a seccomp filter */
};

/* "none", "limits" or "filter". */
const char *eds_level_word(enum eds_level level);

#endif
