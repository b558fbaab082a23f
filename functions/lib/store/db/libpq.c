#include "functions/lib/store/db/libpq.h"

#include <stdbool.h>
#include <stddef.h>

#include "runtime/library.h"

static struct eds_libpq functions;

static const struct rt_library_function wanted[] = {
#define WANTED(name) {"PQ" #name, &functions.name},
	EDS_LIBPQ_FUNCTIONS(WANTED)
#undef WANTED
};

const struct eds_libpq *eds_libpq(void)
{
	static bool tried;
	static bool loaded;

	if (!tried)
		loaded = rt_library_load("libpq.so.5", wanted, sizeof wanted / sizeof wanted[0]);
	tried = true;
	return loaded ? &functions : NULL;
}
