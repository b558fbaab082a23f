/* Which function answers a request, and what its path parameters are.
 *
 *     GET /api/v1/domains/{id}     matches GET /api/v1/domains/42 with id=42
 *
 * A literal segment goes before a parameter. A path that exists but not with this method is told
 * apart, with the methods it has. HEAD is answered by the function for GET.
 */
#ifndef HOST_ROUTER_H
#define HOST_ROUTER_H

#include "runtime/host/http/http-head.h"
#include "runtime/host/manifest.h"

enum {
	ROUTE_PARAMS_MAX = 8,
	ROUTE_SEGMENTS_MAX = 16,
	ROUTE_PARAMS_BYTES_MAX = HTTP_HEAD_BYTES_MAX, /* of all decoded parameters together */
	ROUTE_ALLOW_MAX = 64,
};

struct route_param {
	const char *name; /* borrowed from the manifest, not NUL-terminated */
	size_t name_length;
	const char *value; /* percent-decoded, valid UTF-8 without NUL; into route_match.decoded */
	size_t value_length;
};

struct route_match {
	const struct manifest_function *function;
	const struct manifest_route *route;
	const char *shape; /* path of a route that fits, if only with another method; else NULL */
	struct route_param params[ROUTE_PARAMS_MAX];
	size_t param_count;
	char allow[ROUTE_ALLOW_MAX]; /* "GET, HEAD, DELETE", for ROUTE_METHOD */
	char decoded[ROUTE_PARAMS_BYTES_MAX];
};

enum route_result {
	ROUTE_FOUND,
	ROUTE_NONE,   /* 404 */
	ROUTE_METHOD, /* 405, with allow */
	ROUTE_BAD,    /* 400: an escape that is none, or does not give UTF-8 text */
};

/* Looks among the routes of one port. The path is as sent, without the query. */
enum route_result route_find(const struct manifest *manifest, bool operations, const char *method,
	const char *path, size_t path_length, struct route_match *match);

/* "METHOD /segment/{parameter}", for the manifest's check. */
bool route_is_valid(const char *key);

/* Equal but for the names of parameters. */
bool route_same_shape(const char *path, const char *other);

#endif
