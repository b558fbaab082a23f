/* libcurl, loaded when the mail store turns out to be an S3 bucket and not before: with the
 * libraries that it needs in turn it costs four milliseconds at a start. The members are the
 * functions of curl.h, by their names without curl_. */
#ifndef RT_S3_LIBCURL_H
#define RT_S3_LIBCURL_H

#include <curl/curl.h>

/* X(name): one function that is called. */
#define S3_LIBCURL_FUNCTIONS(X)                                                                    \
	X(global_init)                                                                             \
	X(easy_init)                                                                               \
	X(easy_reset)                                                                              \
	X(easy_perform)                                                                            \
	X(easy_cleanup)                                                                            \
	X(easy_strerror)                                                                           \
	X(slist_append)                                                                            \
	X(slist_free_all)

struct s3_libcurl {
	CURLcode (*easy_setopt)(CURL *handle, CURLoption option, ...);
	CURLcode (*easy_getinfo)(CURL *handle, CURLINFO info, ...);
#define S3_LIBCURL_MEMBER(name) __typeof__(curl_##name) *name;
	S3_LIBCURL_FUNCTIONS(S3_LIBCURL_MEMBER)
#undef S3_LIBCURL_MEMBER
};

/* The same at every call, of any thread; NULL when the library is not there. */
const struct s3_libcurl *s3_libcurl(void);

#endif
