/* Versions of resources (RFC 9110 sections 8.8.3 and 13.1).
 *
 *     ETag: "9c1185a5c5e9fc54"
 *     If-None-Match: "9c1185a5c5e9fc54", W/"x"
 *     If-Match: *
 *
 * If an answer shows more than the client can change, the tag of the answer has two parts. The
 * first is the version of the settings, and If-Match compares only that part; the second is the
 * version of the whole answer:
 *
 *     ETag: "9c1185a5c5e9fc54.01d6f86a4b1bfe3c"
 *
 * The tag of a compressed answer has -gzip before the last quote, since a strong tag identifies
 * exact octets. The functions here treat both forms as the same version.
 */
#ifndef RT_ETAG_H
#define RT_ETAG_H

#include "runtime/ctx.h"

/* The tag of these octets, with its quotes. The hash need not be cryptographic, because nobody
 * gains from two bodies that have the same tag. */
const char *rt_etag(struct rt_ctx *ctx, const char *bytes, size_t length);

/* The two-part tag of an answer whose settings and body have these tags. */
const char *rt_etag_of_both(struct rt_ctx *ctx, const char *settings, const char *body);

enum rt_etag_found {
	RT_ETAG_OTHER, /* the list has only other tags */
	RT_ETAG_LISTED,
	RT_ETAG_INVALID, /* neither * nor a list of tags */
};

/* Finds out whether a list of tags, or "*", names this version. If weakly is true, W/ is ignored.
 * Otherwise a weak tag never matches (RFC 9110 section 8.8.3.2), and a two-part tag in the list
 * matches by its first part. listed: NULL, or set to the matching tag as it is written in the list,
 * but without W/, in ctx's memory. Set to etag if the list is "*" or no tag matches. */
enum rt_etag_found rt_etag_find(
	struct rt_ctx *ctx, const char *list, const char *etag, bool weakly, const char **listed);

#endif
