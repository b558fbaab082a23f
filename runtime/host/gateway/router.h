/* Finds the function that answers a request, and the path parameters.
 *
 *     GET /api/v1/domains/{id}     matches GET /api/v1/domains/42 with id=42
 *
 * A literal segment takes precedence over a parameter. A path that exists only with other methods
 * has its own result, with these methods. The function for GET answers HEAD too.
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
	const char *shape; /* path of a matching route, even if for another method; else NULL */
	struct route_param params[ROUTE_PARAMS_MAX];
	size_t param_count;
	char allow[ROUTE_ALLOW_MAX]; /* "GET, HEAD, DELETE", for ROUTE_METHOD */
	char decoded[ROUTE_PARAMS_BYTES_MAX];
};

enum route_result {
	ROUTE_FOUND,
	ROUTE_NONE,   /* 404 */
	ROUTE_METHOD, /* 405, with allow */
	ROUTE_BAD,    /* 400: an escape is invalid, or does not decode to UTF-8 text */
};

/* Searches the routes of one port. The path is as sent, without the query. */
enum route_result route_find(const struct manifest *manifest, bool operations, const char *method,
	const char *path, size_t path_length, struct route_match *match);

/* "METHOD /segment/{parameter}", for the manifest's check. */
bool route_is_valid(const char *key);

/* Whether two paths are equal except for the names of parameters. */
bool route_same_shape(const char *path, const char *other);

#endif
