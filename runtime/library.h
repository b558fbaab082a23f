/* Loads a shared library of the system when it is first needed, for libraries that would cost every
 * cold start more than the few events that use them: libpq and libcurl.
 *
 *     static struct functions {__typeof__(PQfinish) *finish;} functions;
 *     static const struct rt_library_function wanted[] = {{"PQfinish", &functions.finish}};
 *     rt_library_load("libpq.so.5", wanted, 1);
 */
#ifndef RT_LIBRARY_H
#define RT_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

struct rt_library_function {
	const char *name;
	void *pointer; /* to the function pointer that is set */
};

/* Sets each function pointer. False when the library or one of the functions is missing; none of
 * the pointers may be used then. A library that was loaded stays. */
bool rt_library_load(const char *file, const struct rt_library_function *wanted, size_t count);

#endif
