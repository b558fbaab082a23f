/* Loads a shared library of the system when it is first needed: libpq and libcurl, which would slow
 * down every cold start although few events use them.
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
	void *pointer; /* address of the function pointer to be set */
};

/* Loads the library and sets each function pointer. False when the library or one of the functions
 * is missing; then none of the pointers may be used. A library that was loaded stays loaded. */
bool rt_library_load(const char *file, const struct rt_library_function *wanted, size_t count);

#endif
