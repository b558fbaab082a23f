#include "runtime/host/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/arena.h"
#include "runtime/buffer.h"
#include "runtime/config/config.h"
#include "runtime/host/beside.h"
#include "runtime/host/gateway/router.h"
#include "runtime/host/http/http-head.h"
#include "runtime/host/manifest-check.h"

struct reader {
	struct manifest *manifest;
	const char *folder;
	char *error;
};

static bool refuse(struct reader *reader, const char *format, ...) RT_PRINTF(2, 3);

static bool refuse(struct reader *reader, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reader->error, MANIFEST_ERROR_MAX, format, arguments);
	va_end(arguments);
	return false;
}

static char *copy(const char *text, size_t length)
{
	char *made = strndup(text, length);

	if (made == NULL)
		rt_out_of_memory();
	return made;
}

static bool is_name(const char *text)
{
	size_t length = strlen(text);

	return length > 0 && length <= MANIFEST_NAME_MAX && text[0] >= 'a' && text[0] <= 'z' &&
		strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
}

static bool add_route(
	struct reader *reader, struct manifest_function *function, const json_t *value)
{
	const char *key = json_string_value(value);
	const char *space = key == NULL ? NULL : strchr(key, ' ');
	struct manifest_route *route;

	if (space == NULL || !route_is_valid(key))
		return refuse(reader,
			"%s: \"%s\" is not a route; write \"METHOD /path/{parameter}\"",
			function->name, key == NULL ? "" : key);
	if (function->route_count == MANIFEST_ROUTES_MAX)
		return refuse(
			reader, "%s has more than %d routes", function->name, MANIFEST_ROUTES_MAX);
	route = &function->routes[function->route_count++];
	route->key = copy(key, strlen(key));
	route->method = copy(key, (size_t)(space - key));
	route->path = route->key + (space - key) + 1;
	return true;
}

static bool read_routes(
	struct reader *reader, struct manifest_function *function, const json_t *value)
{
	const json_t *item;
	size_t i;

	if (!json_is_array(value) || json_array_size(value) == 0)
		return refuse(
			reader, "%s: routes must be a list of \"METHOD /path\"", function->name);
	json_array_foreach(value, i, item)
	{
		if (!add_route(reader, function, item))
			return false;
	}
	return true;
}

static bool read_schedule(
	struct reader *reader, struct manifest_function *function, const json_t *value)
{
	const char *text = json_string_value(value);

	if (text == NULL || (strncmp(text, "rate(", 5) != 0 && strncmp(text, "cron(", 5) != 0))
		return refuse(reader, "%s: a schedule must be \"rate(…)\" or \"cron(…)\"",
			function->name);
	function->schedule = copy(text, strlen(text));
	return true;
}

static bool read_integer(struct reader *reader, const struct manifest_function *function,
	const char *key, const json_t *value, int least, int most, int *number)
{
	if (!json_is_integer(value) || json_integer_value(value) < least ||
		json_integer_value(value) > most)
		return refuse(reader, "%s: %s must be an integer from %d to %d", function->name,
			key, least, most);
	*number = (int)json_integer_value(value);
	return true;
}

static bool read_boolean(struct reader *reader, const struct manifest_function *function,
	const char *key, const json_t *value, bool *flag)
{
	*flag = json_is_true(value);
	return json_is_boolean(value) ||
		refuse(reader, "%s: %s must be true or false", function->name, key);
}

static bool is_setting(const char *name)
{
	return name != NULL && strncmp(name, "EDS_", 4) == 0 &&
		strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == strlen(name);
}

static bool read_settings(
	struct reader *reader, struct manifest_function *function, const json_t *value)
{
	if (!json_is_array(value) || json_array_size(value) > MANIFEST_SETTINGS_MAX)
		return refuse(reader, "%s: settings must be an array of at most %d names",
			function->name, MANIFEST_SETTINGS_MAX);
	for (size_t i = 0; i < json_array_size(value); i++) {
		const char *name = json_string_value(json_array_get(value, i));

		if (!is_setting(name))
			return refuse(reader,
				"%s: the name of a setting must be EDS_ followed by capital letters",
				function->name);
		function->settings[function->setting_count++] = copy(name, strlen(name));
	}
	return true;
}

static bool read_body(
	struct reader *reader, struct manifest_function *function, const json_t *value)
{
	int mb = 0;

	if (!read_integer(reader, function, "bodyMb", value, 1, MANIFEST_BODY_MB_MAX, &mb))
		return false;
	function->body_bytes = (size_t)mb * 1024 * 1024;
	return true;
}

/* Reads the name of another function; manifest_check() verifies later that it exists. */
static bool read_name(struct reader *reader, const struct manifest_function *function,
	const char *key, const json_t *value, const char **name)
{
	const char *text = json_string_value(value);

	if (text == NULL || !is_name(text))
		return refuse(reader, "%s: %s must be the name of a function", function->name, key);
	*name = copy(text, strlen(text));
	return true;
}

static bool read_member(struct reader *reader, struct manifest_function *function, const char *key,
	const json_t *value)
{
	if (strcmp(key, "http") == 0 || strcmp(key, "ops") == 0) {
		function->operations = key[0] == 'o';
		return read_routes(reader, function, value);
	}
	if (strcmp(key, "settings") == 0)
		return read_settings(reader, function, value);
	if (strcmp(key, "schedule") == 0)
		return read_schedule(reader, function, value);
	if (strcmp(key, "timeoutMs") == 0)
		return read_integer(reader, function, key, value, 1, MANIFEST_TIMEOUT_MS_MAX,
			&function->timeout_ms);
	if (strcmp(key, "memoryMb") == 0)
		return read_integer(reader, function, key, value, 0, MANIFEST_MEMORY_MB_MAX,
			&function->memory_mb);
	if (strcmp(key, "handlers") == 0)
		return read_integer(reader, function, key, value, 1, MANIFEST_HANDLERS_MAX,
			&function->handlers);
	if (strcmp(key, "bodyMb") == 0)
		return read_body(reader, function, value);
	if (strcmp(key, "stores") == 0)
		return read_name(reader, function, key, value, &function->stores);
	if (strcmp(key, "waits") == 0)
		return read_name(reader, function, key, value, &function->waits);
	if (strcmp(key, "mail") == 0)
		return read_boolean(reader, function, key, value, &function->mail);
	if (strcmp(key, "anyHost") == 0)
		return read_boolean(reader, function, key, value, &function->any_host);
	if (strcmp(key, "compress") == 0)
		return read_boolean(reader, function, key, value, &function->compress);
	if (strcmp(key, "turns") == 0) {
		const char *text = json_string_value(value);

		function->turns_by_token = text != NULL && strcmp(text, "token") == 0;
		return function->turns_by_token ||
			refuse(reader, "%s: \"turns\" must be \"token\"", function->name);
	}
	return refuse(
		reader, "%s: \"%s\" is not a member that a function can have", function->name, key);
}

static bool has_one_trigger(const json_t *object)
{
	int triggers = json_object_get(object, "http") != NULL;

	triggers += json_object_get(object, "ops") != NULL;
	triggers += json_object_get(object, "schedule") != NULL;
	triggers += json_is_true(json_object_get(object, "mail"));
	return triggers <= 1;
}

static bool read_function(struct reader *reader, const char *name, json_t *object)
{
	struct manifest_function *function;
	char program[PATH_MAX];
	const char *key;
	json_t *value;

	if (!is_name(name))
		return refuse(reader, "\"%.80s\" is not a function name (a-z, 0-9, -)", name);
	if (reader->manifest->count == MANIFEST_FUNCTIONS_MAX)
		return refuse(reader, "there are more than %d functions", MANIFEST_FUNCTIONS_MAX);
	function = &reader->manifest->functions[reader->manifest->count++];
	function->name = copy(name, strlen(name));
	function->handlers = MANIFEST_HANDLERS;
	function->body_bytes = HTTP_BODY_BYTES_MAX;
	snprintf(program, sizeof program, "%s/%s", reader->folder, name);
	function->program = copy(program, strlen(program));

	if (!json_is_object(object))
		return refuse(reader, "%s: a function must be described by an object", name);
	if (!has_one_trigger(object))
		return refuse(reader, "%s has more than one of http, ops, schedule, mail", name);
	json_object_foreach(object, key, value)
	{
		if (!read_member(reader, function, key, value))
			return false;
	}
	return function->timeout_ms > 0 || refuse(reader, "%s has no timeoutMs", name);
}

static bool read_root(struct reader *reader, const json_t *root)
{
	json_t *functions = json_object_get(root, "functions");
	bool names_settings = false;
	const char *name;
	json_t *object;

	if (!json_is_object(functions) || json_object_size(root) != 1)
		return refuse(reader, "it must be an object with only the member \"functions\"");
	json_object_foreach(functions, name, object)
	{
		if (!read_function(reader, name, object))
			return false;
		names_settings |= json_object_get(object, "settings") != NULL;
	}
	for (size_t i = 0; i < reader->manifest->count; i++)
		reader->manifest->functions[i].all_settings = !names_settings;
	if (reader->manifest->count == 0)
		return refuse(reader, "it names no function");
	return manifest_check(reader->manifest, reader->error);
}

struct manifest *manifest_parse(
	const char *text, size_t length, const char *program_folder, char error[MANIFEST_ERROR_MAX])
{
	json_error_t problem;
	json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &problem);
	struct reader reader = {.folder = program_folder, .error = error};
	bool good;

	reader.manifest = calloc(1, sizeof *reader.manifest);
	if (reader.manifest == NULL)
		good = refuse(&reader, "out of memory");
	else if (root == NULL)
		good = refuse(&reader, "line %d: %s", problem.line, problem.text);
	else
		good = read_root(&reader, root);
	json_decref(root);
	if (good)
		return reader.manifest;
	manifest_free(reader.manifest);
	return NULL;
}

static void free_function(struct manifest_function *function)
{
	for (size_t i = 0; i < function->route_count; i++) {
		free((char *)function->routes[i].method);
		free((char *)function->routes[i].key);
	}
	for (size_t i = 0; i < function->setting_count; i++)
		free((char *)function->settings[i]);
	free((char *)function->schedule);
	free((char *)function->stores);
	free((char *)function->waits);
	free((char *)function->program);
	free((char *)function->name);
}

void manifest_free(struct manifest *manifest)
{
	for (size_t i = 0; manifest != NULL && i < manifest->count; i++)
		free_function(&manifest->functions[i]);
	free(manifest);
}

static bool read_file(const char *file, struct rt_buffer *text)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : 1;

	while (got > 0) {
		char *room = rt_buffer_room(text, 4096);

		if (room == NULL)
			errno = EFBIG;
		got = room == NULL ? -1 : read(fd, room, 4096);
		if (got > 0)
			rt_buffer_used(text, (size_t)got);
	}
	if (fd >= 0)
		close(fd);
	return got == 0;
}

static const char *folder_or_own(const char *folder, char own[PATH_MAX])
{
	path_beside(own, "functions");
	return folder == NULL ? own : folder;
}

void manifest_path(const char *folder, char path[MANIFEST_PATH_MAX])
{
	char own[PATH_MAX];

	snprintf(path, MANIFEST_PATH_MAX, "%.*s/manifest.json", PATH_MAX,
		folder_or_own(folder, own));
}

struct manifest *manifest_read_folder(const char *folder, char error[MANIFEST_ERROR_MAX])
{
	char own[PATH_MAX];
	char file[MANIFEST_PATH_MAX];
	struct manifest *manifest = NULL;
	struct rt_buffer text;

	manifest_path(folder, file);
	rt_buffer_init_heap(&text, MANIFEST_BYTES_MAX);
	if (read_file(file, &text))
		manifest = manifest_parse(text.length == 0 ? "" : text.bytes, text.length,
			folder_or_own(folder, own), error);
	else
		snprintf(error, MANIFEST_ERROR_MAX, "%s", strerror(errno));
	rt_buffer_done(&text);
	return manifest;
}

struct manifest *manifest_load_folder(const char *folder)
{
	char error[MANIFEST_ERROR_MAX];
	struct manifest *manifest = manifest_read_folder(folder, error);

	if (manifest != NULL)
		return manifest;
	fprintf(stderr, "%s: %s/manifest.json cannot be used: %s\n", program_invocation_short_name,
		folder == NULL ? "functions" : folder, error);
	exit(RT_EXIT_CONFIG);
}

const struct manifest_function *manifest_find(const struct manifest *manifest, const char *name)
{
	for (size_t i = 0; i < manifest->count; i++)
		if (strcmp(manifest->functions[i].name, name) == 0)
			return &manifest->functions[i];
	return NULL;
}

bool manifest_narrow(struct manifest *manifest, const char *name)
{
	size_t kept = 0;
	struct manifest_function function;

	while (kept < manifest->count && strcmp(manifest->functions[kept].name, name) != 0)
		kept++;
	if (kept == manifest->count)
		return false;
	function = manifest->functions[kept];
	manifest->functions[kept] = manifest->functions[0];
	manifest->functions[0] = function;
	while (manifest->count > 1)
		free_function(&manifest->functions[--manifest->count]);
	return true;
}
