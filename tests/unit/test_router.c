#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/host/gateway/router.h"

static const char text[] = "{\"functions\":{"
			   "\"all\":{\"http\":[\"GET /domains/all\"],\"timeoutMs\":1000},"
			   "\"list\":{\"http\":[\"GET /domains\"],\"timeoutMs\":1000},"
			   "\"create\":{\"http\":[\"POST /domains\"],\"timeoutMs\":1000},"
			   "\"get\":{\"http\":[\"GET /domains/{id}\"],\"timeoutMs\":1000},"
			   "\"delete\":{\"http\":[\"DELETE /domains/{id}\"],\"timeoutMs\":1000},"
			   "\"new\":{\"http\":[\"GET /domains/new\"],\"timeoutMs\":1000},"
			   "\"selector\":{\"http\":[\"DELETE "
			   "/domains/{id}/selectors/{selector}\"],\"timeoutMs\":1000},"
			   "\"page\":{\"http\":[\"GET /\"],\"timeoutMs\":1000},"
			   "\"ask\":{\"ops\":[\"GET /certificate-ask\"],\"timeoutMs\":1000}}}";

static struct manifest *manifest;
static struct route_match match;

static int load(void **state)
{
	char error[MANIFEST_ERROR_MAX];

	(void)state;
	manifest = manifest_parse(text, sizeof text - 1, "/nowhere", error);
	return manifest == NULL;
}

static int unload(void **state)
{
	(void)state;
	manifest_free(manifest);
	return 0;
}

static enum route_result find(const char *method, const char *path)
{
	return route_find(manifest, false, method, path, strlen(path), &match);
}

static void assert_finds(const char *method, const char *path, const char *function)
{
	assert_int_equal(find(method, path), ROUTE_FOUND);
	assert_string_equal(match.function->name, function);
}

static void assert_param(size_t index, const char *name, const char *value)
{
	const struct route_param *param = &match.params[index];

	assert_true(index < match.param_count);
	assert_int_equal(param->name_length, strlen(name));
	assert_memory_equal(param->name, name, strlen(name));
	assert_int_equal(param->value_length, strlen(value));
	assert_memory_equal(param->value, value, strlen(value));
}

static void a_request_reaches_the_function_of_its_method_and_path(void **state)
{
	(void)state;
	assert_finds("GET", "/domains", "list");
	assert_finds("POST", "/domains", "create");
	assert_finds("GET", "/", "page");
	assert_finds("GET", "/domains/42", "get");
	assert_string_equal(match.route->key, "GET /domains/{id}");
}

static void a_literal_segment_goes_before_a_parameter(void **state)
{
	(void)state;
	assert_finds("GET", "/domains/new", "new");
	assert_int_equal(match.param_count, 0);
	assert_finds("GET", "/domains/newer", "get");
	assert_finds("GET", "/domains/all", "all"); /* in the manifest it stands before "get" */
	assert_int_equal(match.param_count, 0);
}

static void parameters_are_percent_decoded(void **state)
{
	(void)state;
	assert_finds("DELETE", "/domains/a%2Fb/selectors/s%31%20%c3%a4", "selector");
	assert_int_equal(match.param_count, 2);
	assert_param(0, "id", "a/b");
	assert_param(1, "selector", "s1 \xc3\xa4");
}

static void a_route_of_parameters_alone_is_found(void **state)
{
	static const char parameters[] =
		"{\"functions\":{\"any\":{\"http\":[\"GET /{name}\"],\"timeoutMs\":1000}}}";
	char error[MANIFEST_ERROR_MAX];
	struct manifest *own = manifest_parse(parameters, sizeof parameters - 1, "/nowhere", error);

	(void)state;
	assert_non_null(own);
	assert_int_equal(route_find(own, false, "GET", "/a", 2, &match), ROUTE_FOUND);
	assert_param(0, "name", "a");
	manifest_free(own);
}

static void a_plus_in_a_path_is_not_a_space(void **state)
{
	(void)state;
	assert_finds("GET", "/domains/a+b", "get");
	assert_param(0, "id", "a+b");
}

static void escapes_that_do_not_decode_to_utf8_are_refused(void **state)
{
	static const char *const paths[] = {"/domains/%", "/domains/%4", "/domains/%zz",
		"/domains/%00", "/domains/a%ff", "/domains/%c0%af", "/domains/%ed%a0%80"};

	(void)state;
	for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
		assert_int_equal(find("GET", paths[i]), ROUTE_BAD);
}

static void unknown_paths_are_not_found(void **state)
{
	static const char *const paths[] = {"/nothing", "/domains/", "/domains//",
		"/domains/1/selectors", "/domains/1/2/3/4", "//", "/DOMAINS", "/domains/1/", "",
		"/domains%2f1", "/certificate-ask"};

	(void)state;
	for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
		assert_int_equal(find("GET", paths[i]), ROUTE_NONE);
}

static void a_wrong_method_is_answered_with_the_allowed_methods(void **state)
{
	(void)state;
	assert_int_equal(find("PUT", "/domains"), ROUTE_METHOD);
	assert_string_equal(match.allow, "GET, HEAD, POST");
	assert_int_equal(find("PATCH", "/domains/42"), ROUTE_METHOD);
	assert_string_equal(match.allow, "GET, HEAD, DELETE");
	assert_int_equal(find("GET", "/domains/1/selectors/s1"), ROUTE_METHOD);
	assert_string_equal(match.allow, "DELETE");
}

static void methods_are_compared_with_their_case(void **state)
{
	(void)state;
	assert_int_equal(find("get", "/domains"), ROUTE_METHOD);
}

static void head_is_answered_by_the_function_for_get(void **state)
{
	(void)state;
	assert_finds("HEAD", "/domains", "list");
	assert_int_equal(find("HEAD", "/domains/1/selectors/s1"), ROUTE_METHOD);
}

static void each_port_has_its_own_routes(void **state)
{
	static const char path[] = "/certificate-ask";

	(void)state;
	assert_int_equal(
		route_find(manifest, true, "GET", path, sizeof path - 1, &match), ROUTE_FOUND);
	assert_string_equal(match.function->name, "ask");
	assert_int_equal(route_find(manifest, true, "GET", "/domains", 8, &match), ROUTE_NONE);
}

static void a_parameter_longer_than_its_limit_is_refused(void **state)
{
	static char path[ROUTE_PARAMS_BYTES_MAX + 32] = "/domains/";

	(void)state;
	memset(path + 9, 'a', ROUTE_PARAMS_BYTES_MAX);
	assert_finds("GET", path, "get");
	path[9 + ROUTE_PARAMS_BYTES_MAX] = 'a';
	/* one octet more than the parameters may have */
	assert_int_equal(find("GET", path), ROUTE_BAD);
}

static void the_shape_of_a_path_is_known_for_any_method(void **state)
{
	(void)state;
	find("GET", "/domains/42");
	assert_string_equal(match.shape, "/domains/{id}");
	find("GET", "/domains/new");
	assert_string_equal(match.shape, "/domains/new");
	find("PUT", "/domains/42");
	assert_string_equal(match.shape, "/domains/{id}");
	find("GET", "/domains/%zz");
	assert_string_equal(match.shape, "/domains/{id}");
	find("GET", "/nothing");
	assert_null(match.shape);
}

static void paths_that_differ_only_in_parameter_names_have_the_same_shape(void **state)
{
	(void)state;
	assert_true(route_same_shape("/a/{b}/c", "/a/{x}/c"));
	assert_false(route_same_shape("/a/{b}/c", "/a/{b}/d"));
	assert_false(route_same_shape("/a/{b}", "/a/b"));
	assert_false(route_same_shape("/a/{b}", "/a/{b}/c"));
	assert_false(route_same_shape("/a/{b}/c", "/a/{b}"));
}

/* The manifest has the maximum number of functions, each with a route. */
static void the_last_of_64_functions_has_its_route(void **state)
{
	char manifest_text[64 * 64];
	char error[MANIFEST_ERROR_MAX];
	struct manifest *full;
	size_t length = (size_t)snprintf(manifest_text, sizeof manifest_text, "{\"functions\":{");

	(void)state;
	for (int i = 1; i <= 64; i++)
		length += (size_t)snprintf(manifest_text + length, sizeof manifest_text - length,
			"%s\"f%d\":{\"http\":[\"GET /f%d\"],\"timeoutMs\":1000}", i > 1 ? "," : "",
			i, i);
	length += (size_t)snprintf(manifest_text + length, sizeof manifest_text - length, "}}");
	full = manifest_parse(manifest_text, length, "/nowhere", error);
	assert_non_null(full);
	assert_int_equal(route_find(full, false, "GET", "/f64", 4, &match), ROUTE_FOUND);
	assert_string_equal(match.function->name, "f64");
	assert_int_equal(route_find(full, false, "GET", "/f65", 4, &match), ROUTE_NONE);
	manifest_free(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_reaches_the_function_of_its_method_and_path),
		cmocka_unit_test(a_literal_segment_goes_before_a_parameter),
		cmocka_unit_test(parameters_are_percent_decoded),
		cmocka_unit_test(a_route_of_parameters_alone_is_found),
		cmocka_unit_test(a_plus_in_a_path_is_not_a_space),
		cmocka_unit_test(escapes_that_do_not_decode_to_utf8_are_refused),
		cmocka_unit_test(unknown_paths_are_not_found),
		cmocka_unit_test(a_wrong_method_is_answered_with_the_allowed_methods),
		cmocka_unit_test(methods_are_compared_with_their_case),
		cmocka_unit_test(head_is_answered_by_the_function_for_get),
		cmocka_unit_test(each_port_has_its_own_routes),
		cmocka_unit_test(a_parameter_longer_than_its_limit_is_refused),
		cmocka_unit_test(the_shape_of_a_path_is_known_for_any_method),
		cmocka_unit_test(the_last_of_64_functions_has_its_route),
		cmocka_unit_test(paths_that_differ_only_in_parameter_names_have_the_same_shape),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
