#include "runtime/libcurl.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "runtime/library.h"

static struct rt_libcurl functions;
static bool loaded;

static const struct rt_library_function wanted[] = {
#define WANTED(name) {"curl_" #name, &functions.name},
	RT_LIBCURL_FUNCTIONS(WANTED) WANTED(easy_setopt) WANTED(easy_getinfo)
#undef WANTED
};

static void load(void)
{
	loaded = rt_library_load("libcurl.so.4", wanted, sizeof wanted / sizeof wanted[0]) &&
		functions.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

const struct rt_libcurl *rt_libcurl(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	return loaded ? &functions : NULL;
}
