#include "runtime/host/pool/handler-env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/arena.h"
#include "runtime/config/config.h"

enum {
	TIMEOUT_TEXT_MAX = 40,
};

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#endif

static bool begins_with(const char *text, const char *const *beginnings, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strncmp(text, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	return false;
}

/* True if variable, "NAME=value", has this name. */
static bool is_named(const char *variable, const char *name)
{
	size_t length = strlen(name);

	return strncmp(variable, name, length) == 0 && variable[length] == '=';
}

static bool has_setting(const struct manifest_function *function, const char *name)
{
	for (size_t i = 0; i < function->setting_count; i++)
		if (strcmp(function->settings[i], name) == 0)
			return true;
	return function->all_settings;
}

static bool is_setting_of(const struct manifest_function *function, const char *variable)
{
	for (size_t i = 0; i < function->setting_count; i++)
		if (is_named(variable, function->settings[i]))
			return true;
	if (function->all_settings)
		return strncmp(variable, "EDS_", 4) == 0;
	/* every program reads both: the log level, and whether to hide its memory */
	return is_named(variable, "EDS_LOG_LEVEL") || is_named(variable, "EDS_SANDBOX");
}

/* True if EDS_DATABASE_URL names an AWS secret, which the function reads itself. */
static bool reads_secret(const struct manifest_function *function)
{
	const char *url = getenv("EDS_DATABASE_URL");

	return url != NULL && strncmp(url, RT_DATABASE_SECRET, strlen(RT_DATABASE_SECRET)) == 0 &&
		has_setting(function, "EDS_DATABASE_URL");
}

/* True if the function gets the variable. Credentials go only to functions with the setting that
 * needs them, so that a function without settings gets no secret. */
static bool is_passed_on(const struct manifest_function *function, const char *variable)
{
	static const char *const system[] = {
		"ASAN_OPTIONS=", "GCOV_PREFIX=", "GCOV_PREFIX_STRIP=", "HOME=", "JOURNAL_STREAM=",
		"LANG=", "LD_LIBRARY_PATH=", "LD_PRELOAD=", "LSAN_OPTIONS=", "PATH=", "TMPDIR=",
		"TZ=", "UBSAN_OPTIONS=", /* prefixes: */ "EDS_TEST_", "FAKETIME", "LC_"};
	static const char *const aws[] = {"AWS_"};
	static const char *const postgresql[] = {"PG"};

	if (begins_with(variable, system, sizeof system / sizeof system[0]))
		return true;
	if (begins_with(variable, aws, 1))
		return has_setting(function, "EDS_MAIL_STORE") || reads_secret(function);
	if (begins_with(variable, postgresql, 1))
		return has_setting(function, "EDS_DATABASE_URL");
	return is_setting_of(function, variable);
}

const char **handler_env_new(const struct manifest_function *function)
{
	const char **environment = calloc(HANDLER_ENV_MAX + 2, sizeof *environment);
	char timeout[TIMEOUT_TEXT_MAX];
	size_t count = 0;

	snprintf(timeout, sizeof timeout, "EDS_TIMEOUT_MS=%d", function->timeout_ms);
	for (char **at = environ; environment != NULL && *at != NULL; at++)
		if (count < HANDLER_ENV_MAX && is_passed_on(function, *at))
			environment[count++] = strdup(*at);
	if (environment == NULL || (environment[count] = strdup(timeout)) == NULL)
		rt_out_of_memory();
	return environment;
}

void handler_env_free(const char **environment)
{
	for (const char **at = environment; at != NULL && *at != NULL; at++)
		free((char *)*at);
	free(environment);
}

size_t handler_data_limit(const struct manifest_function *function)
{
#ifdef SANITIZED
	(void)function;
	return 0;
#else
	return (size_t)function->memory_mb * 1024 * 1024;
#endif
}
