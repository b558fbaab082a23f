#include "functions/lib/mta-sts/mode.h"

#include <stddef.h>
#include <string.h>

const char *eds_policy_mode_name(enum eds_policy_mode mode)
{
	static const char *const names[] = {
		[EDS_POLICY_UNKNOWN] = NULL,
		[EDS_POLICY_NONE] = "none",
		[EDS_POLICY_TESTING] = "testing",
		[EDS_POLICY_ENFORCE] = "enforce",
	};

	return names[mode];
}

enum eds_policy_mode eds_policy_mode_named(const char *name)
{
	for (enum eds_policy_mode mode = EDS_POLICY_NONE; mode <= EDS_POLICY_ENFORCE; mode++)
		if (strcmp(name, eds_policy_mode_name(mode)) == 0)
			return mode;
	return EDS_POLICY_UNKNOWN;
}
