/* libcurl, loaded when something of AWS is asked for, or the operator has named a server to ask
 * (functions/lib/fetch/ask.h), and not before: with the libraries that it needs in turn it costs
 * four milliseconds at a start. The members are the functions of curl.h, by their names without
 * curl_. */
#ifndef RT_LIBCURL_H
#define RT_LIBCURL_H

#include <curl/curl.h>

/* X(name): one function that is called. */
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

/* The same at every call, of any thread; NULL when the library is not there. */
const struct rt_libcurl *rt_libcurl(void);

#endif
