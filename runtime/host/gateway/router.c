#include "runtime/host/gateway/router.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "runtime/text/percent.h"
#include "runtime/text/utf8.h"

struct segment {
	const char *text;
	size_t length;
};

/* Reads the next "/segment" and moves *at past it; false at the end of the path. */
static bool next_segment(const char **at, const char *end, struct segment *segment)
{
	const char *slash;

	if (*at >= end || **at != '/')
		return false;
	segment->text = *at + 1;
	slash = memchr(segment->text, '/', (size_t)(end - segment->text));
	*at = slash == NULL ? end : slash;
	segment->length = (size_t)(*at - segment->text);
	return true;
}

static bool is_parameter(const struct segment *segment)
{
	return segment->length > 2 && segment->text[0] == '{';
}

static bool same_text(const struct segment *a, const struct segment *b)
{
	return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

/* True if the path begins with the text of the route before its first parameter. This quick check
 * excludes most routes. */
static bool may_fit(const char *route, const char *path, size_t path_length)
{
	for (size_t i = 0; route[i] != '\0' && route[i] != '{'; i++)
		if (i == path_length || route[i] != path[i])
			return false;
	return true;
}

/* How well the path matches the route: -1 for no match. Otherwise a bit for each literal segment,
 * the first segment highest, so that a greater number is a better match. */
static int fit(const char *route, const char *path, size_t path_length)
{
	const char *path_end = path + path_length;
	const char *route_end;
	struct segment want, have;
	int literal = 0;

	if (!may_fit(route, path, path_length))
		return -1;
	route_end = route + strlen(route);
	while (next_segment(&route, route_end, &want)) {
		if (!next_segment(&path, path_end, &have))
			return -1;
		if (is_parameter(&want) ? have.length == 0 : !same_text(&want, &have))
			return -1;
		literal = literal << 1 | !is_parameter(&want);
	}
	return path == path_end ? literal : -1;
}

static bool decode_param(struct route_match *match, size_t *used, const struct segment *name,
	const struct segment *value)
{
	struct route_param *param = &match->params[match->param_count++];
	char *to = match->decoded + *used;
	size_t length;

	if (value->length > sizeof match->decoded - *used)
		return false;
	length = percent_decode(to, value->text, value->length);
	if (length == PERCENT_INVALID || !rt_utf8_is_text(to, length))
		return false;
	*used += length;
	*param = (struct route_param){.name = name->text + 1,
		.name_length = name->length - 2,
		.value = to,
		.value_length = length};
	return true;
}

static bool take_params(struct route_match *match, const char *path, size_t path_length)
{
	const char *route = match->route->path;
	const char *route_end = route + strlen(route);
	const char *path_end = path + path_length;
	struct segment want, have;
	size_t used = 0;

	match->param_count = 0;
	while (next_segment(&route, route_end, &want) && next_segment(&path, path_end, &have))
		if (is_parameter(&want) && !decode_param(match, &used, &want, &have))
			return false;
	return true;
}

static void allow_method(struct route_match *match, const char *method)
{
	size_t length = strlen(match->allow);

	if (length + strlen(method) + 12 >= sizeof match->allow)
		return;
	snprintf(match->allow + length, sizeof match->allow - length, "%s%s%s",
		length == 0 ? "" : ", ", method, strcmp(method, "GET") == 0 ? ", HEAD" : "");
}

static void consider(struct route_match *match, int *best, int literal,
	const struct manifest_function *function, const struct manifest_route *route,
	const char *method)
{
	if (*best < 0)
		match->shape = route->path;
	if (strcmp(route->method, method) != 0) {
		allow_method(match, route->method);
		return;
	}
	if (literal <= *best)
		return;
	*best = literal;
	match->shape = route->path;
	match->function = function;
	match->route = route;
}

enum route_result route_find(const struct manifest *manifest, bool operations, const char *method,
	const char *path, size_t path_length, struct route_match *match)
{
	int best = -1;

	match->allow[0] = '\0';
	match->shape = NULL;
	if (strcmp(method, "HEAD") == 0)
		method = "GET";
	for (const struct manifest_function *f = manifest->functions;
		f < manifest->functions + manifest->count; f++)
		for (size_t i = 0; f->operations == operations && i < f->route_count; i++) {
			int literal = fit(f->routes[i].path, path, path_length);

			if (literal >= 0)
				consider(match, &best, literal, f, &f->routes[i], method);
		}
	if (best < 0)
		return match->allow[0] == '\0' ? ROUTE_NONE : ROUTE_METHOD;
	return take_params(match, path, path_length) ? ROUTE_FOUND : ROUTE_BAD;
}

static bool is_valid_parameter(const struct segment *segment)
{
	if (segment->length < 3 || segment->text[segment->length - 1] != '}')
		return false;
	for (size_t i = 1; i + 1 < segment->length; i++)
		if (!isalnum((unsigned char)segment->text[i]))
			return false;
	return true;
}

static bool is_valid_literal(const struct segment *segment)
{
	for (size_t i = 0; i < segment->length; i++)
		if (!isalnum((unsigned char)segment->text[i]) &&
			strchr("-._~", segment->text[i]) == NULL)
			return false;
	return segment->length > 0;
}

static bool is_valid_path(const char *path)
{
	const char *end = path + strlen(path);
	struct segment segment;
	int segments = 0, params = 0;

	if (strcmp(path, "/") == 0)
		return true;
	while (next_segment(&path, end, &segment)) {
		bool parameter = segment.length > 0 && segment.text[0] == '{';

		if (parameter ? !is_valid_parameter(&segment) : !is_valid_literal(&segment))
			return false;
		params += parameter;
		segments++;
	}
	return path == end && segments > 0 && segments <= ROUTE_SEGMENTS_MAX &&
		params <= ROUTE_PARAMS_MAX;
}

bool route_is_valid(const char *key)
{
	static const char *const methods[] = {"GET", "POST", "PUT", "PATCH", "DELETE"};

	for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
		size_t length = strlen(methods[i]);

		if (strncmp(key, methods[i], length) == 0 && key[length] == ' ')
			return is_valid_path(key + length + 1);
	}
	return false;
}

bool route_same_shape(const char *path, const char *other)
{
	const char *end = path + strlen(path);
	const char *other_end = other + strlen(other);
	struct segment a, b;

	while (next_segment(&path, end, &a)) {
		if (!next_segment(&other, other_end, &b) || is_parameter(&a) != is_parameter(&b))
			return false;
		if (!is_parameter(&a) && !same_text(&a, &b))
			return false;
	}
	return other == other_end;
}
