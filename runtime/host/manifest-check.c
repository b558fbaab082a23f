#include "runtime/host/manifest-check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/host/gateway/router.h"

struct checked {
	const struct manifest *manifest;
	char *error;
};

static bool refuse(struct checked *checked, const char *format, ...) RT_PRINTF(2, 3);

static bool refuse(struct checked *checked, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(checked->error, MANIFEST_ERROR_MAX, format, arguments);
	va_end(arguments);
	return false;
}

static bool same_place(const struct manifest_function *a, const struct manifest_route *route_a,
	const struct manifest_function *b, const struct manifest_route *route_b)
{
	return a->operations == b->operations && strcmp(route_a->method, route_b->method) == 0 &&
		route_same_shape(route_a->path, route_b->path);
}

/* Refuses two routes for the same requests, since only one of them would ever be used. */
static bool check_twice(struct checked *checked, const struct manifest_function *function,
	const struct manifest_route *route)
{
	const struct manifest *manifest = checked->manifest;

	for (const struct manifest_function *f = manifest->functions;
		f < manifest->functions + manifest->count; f++)
		for (const struct manifest_route *r = f->routes; r < f->routes + f->route_count;
			r++)
			if (r != route && same_place(function, route, f, r))
				return refuse(checked, "%s and %s both answer %s", f->name,
					function->name, route->key);
	return true;
}

static bool check_routes(struct checked *checked)
{
	const struct manifest *manifest = checked->manifest;

	for (const struct manifest_function *f = manifest->functions;
		f < manifest->functions + manifest->count; f++)
		for (const struct manifest_route *r = f->routes; r < f->routes + f->route_count;
			r++)
			if (!check_twice(checked, f, r))
				return false;
	return true;
}

static bool is_direct(const struct manifest_function *function)
{
	return function->route_count == 0 && function->schedule == NULL && !function->mail;
}

static bool check_named(struct checked *checked, const struct manifest_function *function)
{
	const struct manifest_function *stores = NULL;
	const struct manifest_function *waits = NULL;

	if (function->stores != NULL)
		stores = manifest_find(checked->manifest, function->stores);
	if (function->waits != NULL)
		waits = manifest_find(checked->manifest, function->waits);
	if (function->stores != NULL && (stores == NULL || !stores->mail))
		return refuse(checked,
			"%s: \"stores\" names %s, but must name a function with the trigger \"mail\"",
			function->name, function->stores);
	if (function->waits != NULL && (waits == NULL || !is_direct(waits)))
		return refuse(checked,
			"%s: \"waits\" names %s, but must name a function without a trigger",
			function->name, function->waits);
	return true;
}

static bool check_names(struct checked *checked)
{
	const struct manifest *manifest = checked->manifest;

	for (size_t i = 0; i < manifest->count; i++)
		if (!check_named(checked, &manifest->functions[i]))
			return false;
	return true;
}

bool manifest_check(const struct manifest *manifest, char error[MANIFEST_ERROR_MAX])
{
	struct checked checked = {.manifest = manifest, .error = error};

	return check_routes(&checked) && check_names(&checked);
}
