#include "functions/lib/store/db/libpq.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static struct eds_libpq functions;

/* POSIX allows using the object pointer of dlsym as a function pointer. */
static bool find(void *library, const char *name, void *function, size_t bytes)
{
	void *symbol = dlsym(library, name);

	memcpy(function, &symbol, bytes);
	return symbol != NULL;
}

static bool load(void)
{
	void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
	bool complete = library != NULL;

#define FIND(name)                                                                                 \
	complete = complete && find(library, "PQ" #name, &functions.name, sizeof functions.name);
	EDS_LIBPQ_FUNCTIONS(FIND)
#undef FIND
	return complete;
}

const struct eds_libpq *eds_libpq(void)
{
	static bool tried;
	static bool loaded;

	if (!tried)
		loaded = load();
	tried = true;
	return loaded ? &functions : NULL;
}
