/* The helper programs: programs in libexec that functions start for work with untrusted octets. */
#ifndef EDS_RUNTIME_HELPERS_H
#define EDS_RUNTIME_HELPERS_H

#include <stdbool.h>

enum {
	RT_HELPERS = 3,
	RT_HELPER_FUNCTIONS_MAX = 4,
};

struct rt_helper {
	const char *program;
	bool proves; /* the helper prints its level of confinement when called with --prove */
	/* functions that start the helper; NULL ends the list */
	const char *functions[RT_HELPER_FUNCTIONS_MAX + 1];
};

extern const struct rt_helper rt_helpers[RT_HELPERS];

#endif
