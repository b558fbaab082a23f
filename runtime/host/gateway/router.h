/* Finds the function that answers a request, and the path parameters.
 *
 *     GET /api/v1/domains/{id}     matches GET /api/v1/domains/42 with id=42
 *
 * A literal segment takes precedence over a parameter. If the path exists only with other methods,
 * the result is ROUTE_METHOD, and the member `allow` lists those methods. The function for GET
 * answers HEAD too. */
#ifndef HOST_ROUTER_H
#define HOST_ROUTER_H

#include "runtime/host/http/http-head.h"
#include "runtime/host/manifest.h"

enum {
	ROUTE_PARAMS_MAX = 8,
	ROUTE_SEGMENTS_MAX = 16,
	/* room for all decoded parameters together, octets */
	ROUTE_PARAMS_BYTES_MAX = HTTP_HEAD_BYTES_MAX,
	ROUTE_ALLOW_MAX = 64,
};

struct route_param {
	/* name of the parameter, borrowed from the manifest, not NUL-terminated */
	const char *name;
	size_t name_length;
	/* percent-decoded, valid UTF-8 without NUL; points into route_match.decoded */
	const char *value;
	size_t value_length;
};

struct route_match {
	const struct manifest_function *function;
	const struct manifest_route *route;
	/* path of a matching route, even for another method; NULL if none matches */
	const char *shape;
	struct route_param params[ROUTE_PARAMS_MAX];
	size_t param_count;
	/* methods that the path has, for ROUTE_METHOD: "GET, HEAD, DELETE" */
	char allow[ROUTE_ALLOW_MAX];
	char decoded[ROUTE_PARAMS_BYTES_MAX];
};

enum route_result {
	ROUTE_FOUND,
	ROUTE_NONE,   /* no route has this path: 404 */
	ROUTE_METHOD, /* no route has this path and method: 405, with allow */
	ROUTE_BAD,    /* 400: an escape is invalid, or does not decode to UTF-8 text */
};

/* Searches the routes of one port. The path is as sent, without the query. */
enum route_result route_find(const struct manifest *manifest, bool operations, const char *method,
	const char *path, size_t path_length, struct route_match *match);

/* True for "METHOD /segment/{parameter}", the form that the manifest must have. */
bool route_is_valid(const char *key);

/* True if two paths are equal except for the names of their parameters. */
bool route_same_shape(const char *path, const char *other);

#endif
