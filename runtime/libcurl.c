#include "runtime/libcurl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static struct rt_libcurl functions;
static bool loaded;

/* POSIX allows dlsym()'s object pointer to hold a function pointer, which ISO C does not. */
static bool find(void *library, const char *name, void *function, size_t bytes)
{
	void *symbol = dlsym(library, name);

	memcpy(function, &symbol, bytes);
	return symbol != NULL;
}

static void load(void)
{
	void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
	bool complete = library != NULL;

#define FIND(name)                                                                                 \
	complete = complete && find(library, "curl_" #name, &functions.name, sizeof functions.name);
	RT_LIBCURL_FUNCTIONS(FIND)
	FIND(easy_setopt)
	FIND(easy_getinfo)
#undef FIND
	loaded = complete && functions.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

const struct rt_libcurl *rt_libcurl(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	return loaded ? &functions : NULL;
}
