#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/host/manifest.h"

enum {
	TEXT_MAX = 64 * 1024,
};

static void every_member_of_a_function_is_read(void **state)
{
	static const char text[] =
		"{\"functions\":{"
		"\"web\":{\"http\":[\"GET /a/{b}\",\"POST "
		"/a\"],\"timeoutMs\":5000,\"memoryMb\":64,\"handlers\":12,"
		"\"anyHost\":true,\"compress\":true,\"bodyMb\":10,\"stores\":\"post\","
		"\"settings\":[\"EDS_A\",\"EDS_B_C\"]},"
		"\"ask\":{\"ops\":[\"GET /ask\"],\"timeoutMs\":1},"
		"\"tick\":{\"schedule\":\"rate(1 minute)\",\"timeoutMs\":2},"
		"\"post\":{\"mail\":true,\"timeoutMs\":3},"
		"\"tool\":{\"timeoutMs\":900000}}}";
	char error[MANIFEST_ERROR_MAX];
	struct manifest *manifest = manifest_parse(text, sizeof text - 1, "/programs", error);
	const struct manifest_function *web = manifest_find(manifest, "web");

	(void)state;
	assert_int_equal(manifest->count, 5);
	assert_string_equal(web->program, "/programs/web");
	assert_int_equal(web->route_count, 2);
	assert_string_equal(web->routes[0].method, "GET");
	assert_string_equal(web->routes[0].path, "/a/{b}");
	assert_string_equal(web->routes[0].key, "GET /a/{b}");
	assert_string_equal(web->routes[1].method, "POST");
	assert_int_equal(web->timeout_ms, 5000);
	assert_int_equal(web->memory_mb, 64);
	assert_int_equal(web->handlers, 12);
	assert_true(web->any_host);
	assert_true(web->compress);
	assert_int_equal(web->body_bytes, 10485760);
	assert_string_equal(web->stores, "post");
	assert_int_equal(manifest_find(manifest, "ask")->body_bytes, 65536);
	assert_null(manifest_find(manifest, "ask")->stores);
	assert_int_equal(web->setting_count, 2);
	assert_string_equal(web->settings[1], "EDS_B_C");
	assert_false(manifest_find(manifest, "ask")->any_host);
	assert_false(manifest_find(manifest, "ask")->compress);
	assert_int_equal(manifest_find(manifest, "ask")->setting_count, 0);
	assert_false(web->operations);
	assert_null(web->schedule);
	assert_true(manifest_find(manifest, "ask")->operations);
	assert_int_equal(manifest_find(manifest, "ask")->memory_mb, 0);
	assert_int_equal(manifest_find(manifest, "ask")->handlers, 8);
	assert_string_equal(manifest_find(manifest, "tick")->schedule, "rate(1 minute)");
	assert_true(manifest_find(manifest, "post")->mail);
	assert_int_equal(manifest_find(manifest, "tool")->route_count, 0);
	assert_null(manifest_find(manifest, "nobody"));
	manifest_free(manifest);
}

static const struct {
	const char *text;
	const char *says; /* text that the error message must contain */
} refused[] = {
	{"", "line"},
	{"{", "line"},
	{"[]", "functions"},
	{"{}", "functions"},
	{"{\"functions\":[]}", "functions"},
	{"{\"functions\":{\"a\":{\"timeoutMs\":1,\"anyHost\":1}}}",
		"anyHost must be true or false"},
	{"{\"functions\":{\"a\":{\"timeoutMs\":1,\"settings\":\"EDS_A\"}}}", "settings"},
	{"{\"functions\":{\"a\":{\"timeoutMs\":1,\"settings\":[\"PATH\"]}}}", "setting"},
	{"{\"functions\":{\"a\":{\"timeoutMs\":1,\"settings\":[1]}}}", "setting"},
	{"{\"functions\":{}}", "no function"},
	{"{\"functions\":{\"a\":{\"timeoutMs\":1}},\"more\":1}", "functions"},
	{"{\"functions\":{\"a\":{\"timeoutMs\":1},\"a\":{\"timeoutMs\":1}}}", "duplicate"},
	{"{\"functions\":{\"A\":{\"timeoutMs\":1}}}", "not a function name"},
	{"{\"functions\":{\"../a\":{\"timeoutMs\":1}}}", "not a function name"},
	{"{\"functions\":{\"\":{\"timeoutMs\":1}}}", "not a function name"},
	{"{\"functions\":{\"a\":7}}", "object"},
	{"{\"functions\":{\"a\":{}}}", "timeoutMs"},
	{"{\"functions\":{\"a\":{\"timeoutMs\":0}}}", "timeoutMs"},
	{"{\"functions\":{\"a\":{\"timeoutMs\":\"1\"}}}", "timeoutMs"},
	{"{\"functions\":{\"a\":{\"timeoutMs\":900001}}}", "timeoutMs"},
	{"{\"functions\":{\"a\":{\"timeoutMs\":1.5}}}", "timeoutMs"},
	{"{\"functions\":{\"a\":{\"timeoutMs\":1,\"memoryMb\":-1}}}", "memoryMb"},
	{"{\"functions\":{\"a\":{\"timeoutMs\":1,\"handlers\":0}}}", "handlers"},
	{"{\"functions\":{\"a\":{\"timeoutMs\":1,\"handlers\":65}}}", "handlers"},
	{"{\"functions\":{\"a\":{\"timeoutMs\":1,\"memoryMB\":1}}}", "memoryMB"},
	{"{\"functions\":{\"a\":{\"timeoutMs\":1,\"mail\":1}}}", "mail"},
	{"{\"functions\":{\"a\":{\"timeoutMs\":1,\"schedule\":\"hourly\"}}}", "schedule"},
	{"{\"functions\":{\"a\":{\"timeoutMs\":1,\"http\":\"GET /\"}}}", "routes"},
	{"{\"functions\":{\"a\":{\"timeoutMs\":1,\"http\":[]}}}", "routes"},
	{"{\"functions\":{\"a\":{\"timeoutMs\":1,\"http\":[7]}}}", "not a route"},
	{"{\"functions\":{\"a\":{\"timeoutMs\":1,\"http\":[\"/\"]}}}", "not a route"},
	{"{\"functions\":{\"a\":{\"timeoutMs\":1,\"http\":[\"FETCH /\"]}}}", "not a route"},
	{"{\"functions\":{\"a\":{\"timeoutMs\":1,\"http\":[\"GET a\"]}}}", "not a route"},
	{"{\"functions\":{\"a\":{\"timeoutMs\":1,\"http\":[\"GET /a/\"]}}}", "not a route"},
	{"{\"functions\":{\"a\":{\"timeoutMs\":1,\"http\":[\"GET /{}\"]}}}", "not a route"},
	{"{\"functions\":{\"a\":{\"timeoutMs\":1,\"http\":[\"GET /{a\"]}}}", "not a route"},
	{"{\"functions\":{\"a\":{\"timeoutMs\":1,\"http\":[\"GET /{-a}\"]}}}", "not a route"},
	{"{\"functions\":{\"a\":{\"timeoutMs\":1,\"http\":[\"GET /{a-}\"]}}}", "not a route"},
	{"{\"functions\":{\"a\":{\"timeoutMs\":1,\"http\":[\"GET /a b\"]}}}", "not a route"},
	{"{\"functions\":{\"a\":{\"timeoutMs\":1,\"http\":[\"GET /a\"],\"mail\":true}}}",
		"more than one"},
	{"{\"functions\":{\"a\":{\"timeoutMs\":1,\"bodyMb\":11}}}",
		"bodyMb must be an integer from 1 to 10"},
	{"{\"functions\":{\"a\":{\"timeoutMs\":1,\"bodyMb\":0}}}", "bodyMb"},
	{"{\"functions\":{\"a\":{\"timeoutMs\":1,\"stores\":true}}}",
		"must be the name of a function"},
	{"{\"functions\":{\"a\":{\"timeoutMs\":1,\"stores\":\"b\"}}}",
		"\"stores\" names b, but must name a function with the trigger \"mail\""},
	{"{\"functions\":{\"a\":{\"timeoutMs\":1,\"stores\":\"b\"},\"b\":{\"timeoutMs\":1}}}",
		"\"stores\" names b, but must name a function with the trigger \"mail\""},
	{"{\"functions\":{\"a\":{\"timeoutMs\":1,\"waits\":\"b\"}}}",
		"\"waits\" names b, but must name a function without a trigger"},
	{"{\"functions\":{\"a\":{\"timeoutMs\":1,\"waits\":\"b\"},\"b\":{\"timeoutMs\":1,\"mail\":true}}}",
		"\"waits\" names b, but must name a function without a trigger"},
	{"{\"functions\":{\"a\":{\"timeoutMs\":1,\"http\":[\"GET /{x}\"]},"
	 "\"b\":{\"timeoutMs\":1,\"http\":[\"GET /{y}\"]}}}",
		"both answer"},
	{"{\"functions\":{\"a\":{\"timeoutMs\":1,\"http\":[\"GET /1\",\"GET /2\",\"GET /3\","
	 "\"GET /4\",\"GET /5\",\"GET /6\",\"GET /7\",\"GET /8\",\"GET /9\"]}}}",
		"more than 8 routes"},
};

static void a_wrong_manifest_is_refused_with_a_sentence(void **state)
{
	char error[MANIFEST_ERROR_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
		error[0] = '\0';
		if (manifest_parse(refused[i].text, strlen(refused[i].text), "/", error) != NULL)
			fail_msg("accepted: %s", refused[i].text);
		if (strstr(error, refused[i].says) == NULL)
			fail_msg("%s: \"%s\" does not say \"%s\"", refused[i].text, error,
				refused[i].says);
	}
}

static void one_path_may_have_a_function_for_each_method_and_port(void **state)
{
	static const char text[] = "{\"functions\":{\"a\":{\"timeoutMs\":1,\"http\":[\"GET /x\"]},"
				   "\"b\":{\"timeoutMs\":1,\"http\":[\"POST /x\"]},"
				   "\"c\":{\"timeoutMs\":1,\"ops\":[\"GET /x\"]}}}";
	char error[MANIFEST_ERROR_MAX];
	struct manifest *manifest = manifest_parse(text, sizeof text - 1, "/", error);

	(void)state;
	assert_non_null(manifest);
	manifest_free(manifest);
}

/* A manifest with `count` functions f0, f1, … */
static struct manifest *parse_many(int count, char error[MANIFEST_ERROR_MAX])
{
	static char text[TEXT_MAX];
	size_t length = (size_t)snprintf(text, sizeof text, "{\"functions\":{");

	for (int i = 0; i < count; i++)
		length += (size_t)snprintf(text + length, sizeof text - length,
			"%s\"f%d\":{\"timeoutMs\":1}", i == 0 ? "" : ",", i);
	length += (size_t)snprintf(text + length, sizeof text - length, "}}");
	return manifest_parse(text, length, "/", error);
}

static void the_number_of_functions_is_bounded(void **state)
{
	char error[MANIFEST_ERROR_MAX];
	struct manifest *most = parse_many(MANIFEST_FUNCTIONS_MAX, error);

	(void)state;
	assert_non_null(most);
	assert_int_equal(most->count, 64);
	manifest_free(most);
	assert_null(parse_many(64 + 1, error));
	assert_non_null(strstr(error, "more than 64"));
}

static void a_manifest_can_be_narrowed_to_one_function(void **state)
{
	static const char text[] = "{\"functions\":{\"a\":{\"timeoutMs\":1},"
				   "\"b\":{\"http\":[\"GET /b\"],\"timeoutMs\":2},"
				   "\"c\":{\"timeoutMs\":3}}}";
	char error[MANIFEST_ERROR_MAX];
	struct manifest *manifest = manifest_parse(text, sizeof text - 1, "/programs", error);

	(void)state;
	assert_false(manifest_narrow(manifest, "d"));
	assert_int_equal(manifest->count, 3);
	assert_true(manifest_narrow(manifest, "b"));
	assert_int_equal(manifest->count, 1);
	assert_string_equal(manifest->functions[0].name, "b");
	assert_string_equal(manifest->functions[0].routes[0].key, "GET /b");
	assert_null(manifest_find(manifest, "a"));
	manifest_free(manifest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_member_of_a_function_is_read),
		cmocka_unit_test(a_wrong_manifest_is_refused_with_a_sentence),
		cmocka_unit_test(one_path_may_have_a_function_for_each_method_and_port),
		cmocka_unit_test(the_number_of_functions_is_bounded),
		cmocka_unit_test(a_manifest_can_be_narrowed_to_one_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
