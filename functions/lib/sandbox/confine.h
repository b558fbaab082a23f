/* What a child gives up before it looks at hostile bytes (level.h). */
#ifndef EDS_SANDBOX_CONFINE_H
#define EDS_SANDBOX_CONFINE_H

#include <errno.h>

#include "functions/lib/sandbox/level.h"
#include "runtime/status.h"

enum eds_confine_mode {
	EDS_CONFINE_CHILD, /* what the filter does not allow ends the process with SIGSYS */
	EDS_CONFINE_PROBE, /* it fails with EDS_PROBE_ERROR, so that one process tries all of it */
};

enum {
	EDS_PROBE_ERROR = ENOANO, /* that no call of ours fails with otherwise */
};

/* For a helper, and so for its children: the limits that are no hindrance to it, and no trace of
 * its memory for others where the kernel can be asked for that. */
void eds_confine_helper(void);

/* For a child: resource limits, and for EDS_LEVEL_FILTER the filter. The level that holds from now
 * on, EDS_LEVEL_NONE when it is not the one asked for. */
RT_MUST_USE enum eds_level eds_confine(enum eds_level level, enum eds_confine_mode mode);

#endif
