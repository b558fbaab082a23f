#include "runtime/host/handler-env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/arena.h"

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

static bool is_passed_on(const char *variable)
{
	static const char *const names[] = {"ASAN_OPTIONS=", "GCOV_PREFIX=", "GCOV_PREFIX_STRIP=",
		"HOME=", "LANG=", "LD_LIBRARY_PATH=", "LD_PRELOAD=", "LSAN_OPTIONS=", "PATH=",
		"TMPDIR=", "TZ=", "UBSAN_OPTIONS=",
		/* prefixes: */ "AWS_", "EDS_", "FAKETIME", "LC_", "PG"};

	if (strncmp(variable, "EDS_TIMEOUT_MS=", 15) == 0)
		return false;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strncmp(variable, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

const char **handler_env_new(const struct manifest_function *function)
{
	const char **environment = calloc(HANDLER_ENV_MAX + 2, sizeof *environment);
	char timeout[TIMEOUT_TEXT_MAX];
	size_t count = 0;

	snprintf(timeout, sizeof timeout, "EDS_TIMEOUT_MS=%d", function->timeout_ms);
	for (char **at = environ; environment != NULL && *at != NULL; at++)
		if (count < HANDLER_ENV_MAX && is_passed_on(*at))
			environment[count++] = strdup(*at);
	if (environment == NULL || (environment[count] = strdup(timeout)) == NULL) {
		fputs("eds: out of memory\n", stderr);
		exit(RT_EXIT_MEMORY);
	}
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
