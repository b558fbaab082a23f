/* The confinement of a child, set before it reads hostile bytes (level.h). */
#ifndef EDS_SANDBOX_CONFINE_H
#define EDS_SANDBOX_CONFINE_H

#include <errno.h>

#include "functions/lib/sandbox/level.h"
#include "runtime/status.h"

enum eds_confine_mode {
	EDS_CONFINE_CHILD, /* a call that the filter forbids ends the process with SIGSYS */
	EDS_CONFINE_PROBE, /* a forbidden call fails with EDS_PROBE_ERROR, so that one process can
			    * try all calls */
};

enum {
	EDS_PROBE_ERROR = ENOANO, /* no call of ours fails with this error otherwise */
};

/* For a child: sets resource limits, and for EDS_LEVEL_FILTER the seccomp filter. Returns the level
 * that is now in force; EDS_LEVEL_NONE when the requested level cannot be set. */
RT_MUST_USE enum eds_level eds_confine(enum eds_level level, enum eds_confine_mode mode);

#endif
