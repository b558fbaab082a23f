#include "runtime/library.h"

#include <dlfcn.h>
#include <string.h>

/* Finds one function. POSIX allows the object pointer of dlsym() to hold a function pointer, which
 * ISO C does not. */
static bool find(void *library, const struct rt_library_function *wanted)
{
	void *symbol = dlsym(library, wanted->name);

	memcpy(wanted->pointer, &symbol, sizeof symbol);
	return symbol != NULL;
}

bool rt_library_load(const char *file, const struct rt_library_function *wanted, size_t count)
{
	void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);

	for (size_t i = 0; library != NULL && i < count; i++)
		if (!find(library, &wanted[i]))
			return false;
	return library != NULL;
}
