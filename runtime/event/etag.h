/* Versions of resources (RFC 9110 sections 8.8.3 and 13.1).
 *
 *     ETag: "9c1185a5c5e9fc54"
 *     If-None-Match: "9c1185a5c5e9fc54", W/"x"
 *     If-Match: *
 *
 * Where an answer shows more than what can be changed, its tag has two parts: the first is of the
 * settings, which If-Match compares alone, the second of all that is shown:
 *
 *     ETag: "9c1185a5c5e9fc54.01d6f86a4b1bfe3c"
 *
 * An answer that was compressed on its way has the tag with -gzip before the last quote: a strong
 * tag is that of its octets. Both name the same version here.
 */
#ifndef RT_ETAG_H
#define RT_ETAG_H

#include "runtime/ctx.h"

/* The tag of these octets, with its quotes. Nobody gains by two of one tag: it is no cryptographic
 * one. */
const char *rt_etag(struct rt_ctx *ctx, const char *bytes, size_t length);

/* That of an answer whose settings and whose body have these tags. */
const char *rt_etag_of_both(struct rt_ctx *ctx, const char *settings, const char *body);

enum rt_etag_found {
	RT_ETAG_OTHER, /* the list has other tags alone */
	RT_ETAG_LISTED,
	RT_ETAG_INVALID, /* it is neither * nor a list of tags */
};

/* Whether a list of tags, or "*", names this version. weakly: W/ makes no difference, else a weak
 * tag names none (RFC 9110 section 8.8.3.2), and a tag of two parts names the settings that its
 * first part is of. *listed may be NULL; else the tag as the list has it, in ctx's memory, where it
 * names it. */
enum rt_etag_found rt_etag_find(
	struct rt_ctx *ctx, const char *list, const char *etag, bool weakly, const char **listed);

#endif
