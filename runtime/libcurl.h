/* libcurl, loaded on the first request to AWS or to a server that the operator named
 * (functions/lib/fetch/ask.h). Loading libcurl and the libraries that it needs would cost four
 * milliseconds at each start of a process. The members of struct rt_libcurl are functions of
 * curl.h, named without curl_. */
#ifndef RT_LIBCURL_H
#define RT_LIBCURL_H

#include <curl/curl.h>

/* X(name) for each function that is called, except the two with variable arguments. */
#define RT_LIBCURL_FUNCTIONS(X)                                                                    \
	X(global_init)                                                                             \
	X(easy_init)                                                                               \
	X(easy_reset)                                                                              \
	X(easy_perform)                                                                            \
	X(easy_cleanup)                                                                            \
	X(easy_strerror)                                                                           \
	X(multi_init)                                                                              \
	X(multi_add_handle)                                                                        \
	X(multi_remove_handle)                                                                     \
	X(multi_perform)                                                                           \
	X(multi_poll)                                                                              \
	X(multi_info_read)                                                                         \
	X(multi_cleanup)                                                                           \
	X(slist_append)                                                                            \
	X(slist_free_all)

struct rt_libcurl {
	CURLcode (*easy_setopt)(CURL *handle, CURLoption option, ...);
	CURLcode (*easy_getinfo)(CURL *handle, CURLINFO info, ...);
#define RT_LIBCURL_MEMBER(name) __typeof__(curl_##name) *name;
	RT_LIBCURL_FUNCTIONS(RT_LIBCURL_MEMBER)
#undef RT_LIBCURL_MEMBER
};

/* Returns the same pointer at every call, in any thread; NULL when the library is not installed or
 * cannot be used. */
const struct rt_libcurl *rt_libcurl(void);

#endif
