#include "local/serve/confinement.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/config/config.h"
#include "runtime/ctx.h"
#include "runtime/helpers.h"
#include "runtime/log.h"
#include "runtime/process/process.h"
#include "runtime/time.h"

enum {
	PROOF_MS = 10000, /* time-out of a proof, which normally takes a few ms */
	WORDS_BYTES = 4096,
	ARGUMENT_BYTES = 32,
};

/* The levels of confinement, the strongest first. */
static const char *const levels[] = {"filter", "limits"};

enum {
	LEVELS = sizeof levels / sizeof levels[0],
	UNSAID, /* the program is of an earlier release, which reports no level */
};

/* Finds the program beside the functions, or in ../libexec relative to them. If it is missing or
 * cannot be executed, path is the expected place and errno has the reason. */
static bool find(const struct manifest *manifest, const char *name, char path[PATH_MAX])
{
	static const char *const folders[] = {"", "../libexec/"};
	const char *function = manifest->count > 0 ? manifest->functions[0].program : "";
	const char *slash = strrchr(function, '/');
	int folder = slash == NULL ? 0 : (int)(slash + 1 - function);

	for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
		errno = ENAMETOOLONG;
		if (snprintf(path, PATH_MAX, "%.*s%s%s", folder, function, folders[i], name) >=
			PATH_MAX)
			return false;
		if (access(path, X_OK) == 0)
			return true;
		if (errno != ENOENT)
			return false;
	}
	return false;
}

static bool is_needed(const struct manifest *manifest, const struct rt_helper *helper)
{
	for (const char *const *function = helper->functions; *function != NULL; function++)
		if (manifest_find(manifest, *function) != NULL)
			return true;
	return false;
}

static void warn(const char *name, const char *path)
{
	rt_log_line(RT_LOG_WARNING, name, NULL,
		"cannot be started: %s: %s; see infra/runbooks/mail-waits.md", path,
		strerror(errno));
}

static void warn_of_missing(const struct manifest *manifest)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < manifest->count; i++)
		if (access(manifest->functions[i].program, X_OK) != 0)
			warn(manifest->functions[i].name, manifest->functions[i].program);
	for (size_t i = 0; i < RT_HELPERS; i++)
		if (is_needed(manifest, &rt_helpers[i]) &&
			!find(manifest, rt_helpers[i].program, path))
			warn(rt_helpers[i].program, path);
}

/* Reads what the program prints, for PROOF_MS at most, and keeps the first line. */
static void read_words(int from, char words[WORDS_BYTES])
{
	int64_t until_ms = rt_monotonic_ms() + PROOF_MS;
	struct pollfd readable = {.fd = from, .events = POLLIN};
	size_t length = 0;
	ssize_t got = 1;

	while (got != 0 && length < WORDS_BYTES - 1) {
		int64_t left_ms = until_ms - rt_monotonic_ms();
		int ready = left_ms <= 0 ? 0 : poll(&readable, 1, (int)left_ms);

		if (ready == 0)
			break;
		got = ready < 0 ? -1 : read(from, words + length, WORDS_BYTES - 1 - length);
		if (got < 0 && errno != EINTR && errno != EAGAIN)
			break;
		length += got > 0 ? (size_t)got : 0;
	}
	words[length] = '\0';
	words[strcspn(words, "\n")] = '\0';
}

/* The index of the level that the program proves; LEVELS, with the reason on standard error, when
 * the program proves no level or cannot be started; UNSAID when the program prints nothing. */
static size_t ask(const char *path)
{
	static const char *const environment[] = {NULL};
	char argument[ARGUMENT_BYTES];
	struct rt_process_spec spec = {
		.path = path, .argument = argument, .environment = environment};
	struct rt_process process;
	char words[WORDS_BYTES];
	size_t level = 0;

	snprintf(argument, sizeof argument, "--prove=%s", rt_sandbox_word(rt_config()->sandbox));
	if (!rt_process_start(&process, &spec)) {
		fprintf(stderr, "runner: %s: %m\n", path);
		return LEVELS;
	}
	read_words(process.out, words);
	rt_process_stop(&process);
	if (words[0] == '\0')
		return UNSAID;
	while (level < LEVELS && strcmp(words, levels[level]) != 0)
		level++;
	return level;
}

/* Asks each helper program that is there and can prove a level for its level. The weakest of these
 * levels is the level of the runner. */
static bool prove_all(const struct manifest *manifest, const char **level)
{
	char path[PATH_MAX];

	for (size_t i = 0, weakest = 0; i < RT_HELPERS; i++) {
		size_t proven;

		if (!rt_helpers[i].proves || !find(manifest, rt_helpers[i].program, path))
			continue;
		proven = ask(path);
		if (proven == LEVELS)
			return false;
		if (proven == UNSAID)
			continue;
		weakest = proven > weakest ? proven : weakest;
		*level = levels[weakest];
	}
	return true;
}

bool confinement_prove(const struct manifest *manifest, const char **level)
{
	warn_of_missing(manifest);
	*level = rt_config()->sandbox == RT_SANDBOX_OFF ? "off" : NULL;
	return *level != NULL || prove_all(manifest, level);
}
