#include "local/serve/migration.h"

#include <ctype.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "local/serve/lost-database.h"
#include "local/single-run.h"
#include "runtime/config/config.h"
#include "runtime/log.h"
#include "runtime/time.h"

enum {
	PAUSE_MS_MIN = 1000,
	PAUSE_MS_MAX = 10000,
	DOUBLINGS_MAX = 4,
};

int migration_pause_ms(int tries, int64_t waited_ms)
{
	int doublings = tries - 1 < DOUBLINGS_MAX ? tries - 1 : DOUBLINGS_MAX;
	int pause_ms = PAUSE_MS_MIN << doublings;

	if (pause_ms > PAUSE_MS_MAX)
		pause_ms = PAUSE_MS_MAX;
	return waited_ms + pause_ms <= MIGRATION_WAIT_MS ? pause_ms : 0;
}

/* True if the text is a list of hosts and ports, as libpq reads it. When a password was not
 * escaped, the text may contain a part of the password. Such a text is recognized by a port that is
 * not a number. */
static bool is_host(const char *text, size_t length)
{
	bool in_brackets = false;
	bool in_port = false;

	for (size_t i = 0; i < length; i++) {
		if (text[i] == '[' || text[i] == ']')
			in_brackets = text[i] == '[';
		else if (text[i] == ',')
			in_port = false;
		else if (text[i] == ':' && !in_brackets)
			in_port = true;
		else if (in_port && !isdigit((unsigned char)text[i]))
			return false;
	}
	return true;
}

void migration_host(const char *url, char host[MIGRATION_HOST_MAX])
{
	const char *from = strstr(url, "://");
	const char *at;
	size_t length;

	if (from == NULL) { /* "file:PATH", "secretsmanager:ARN": neither is a secret itself */
		snprintf(host, MIGRATION_HOST_MAX, "the address in %s", url);
		return;
	}
	from += strlen("://");
	length = strcspn(from, "/?#");
	/* Searches for the last @, because a password may contain one that was not escaped. If an @
	 * follows after a slash, the text that looks like the host may be a part of the
	 * password. */
	for (at = from + length; at > from && at[-1] != '@'; at--)
		continue;
	if (strchr(from + length, '@') != NULL || !is_host(at, (size_t)(from + length - at))) {
		snprintf(host, MIGRATION_HOST_MAX, "the address in EDS_DATABASE_URL");
		return;
	}
	length -= (size_t)(at - from);
	snprintf(host, MIGRATION_HOST_MAX, "%.*s", (int)length, at);
	if (length == 0)
		snprintf(host, MIGRATION_HOST_MAX, "this machine");
}

/* True if another try may succeed. That is never the case for SQLite: if its file cannot be
 * created, only an administrator can help. */
static bool may_come(const json_t *answer)
{
	const char *type = json_string_value(json_object_get(answer, "errorType"));

	return strncmp(rt_config()->database_url, "sqlite:", 7) != 0 && type != NULL &&
		strncmp(type, "temporary.", 10) == 0;
}

static const char *sentence_of(const json_t *answer)
{
	const char *sentence = json_string_value(json_object_get(answer, "errorMessage"));

	return sentence != NULL ? sentence : "the function admin failed";
}

/* Sleeps; false when a signal asks the process to end. The event loop, which handles signals, does
 * not run yet. The kernel drops a signal to the first process of a container unless the process
 * waits for the signal or handles it. */
static bool sleep_unless_ended(int pause_ms)
{
	const struct timespec pause = {.tv_sec = pause_ms / 1000};
	sigset_t ends;
	sigset_t before;
	int number;

	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	sigprocmask(SIG_BLOCK, &ends, &before);
	number = sigtimedwait(&ends, NULL, &pause);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (number > 0)
		raise(number);
	return number <= 0;
}

/* Waits before the next try; false when there is to be no other try. */
static bool wait_for_server(const json_t *answer, int tries, int64_t began_ms)
{
	int pause_ms = migration_pause_ms(tries, rt_monotonic_ms() - began_ms);
	char host[MIGRATION_HOST_MAX];

	if (!may_come(answer) || pause_ms == 0)
		return false;
	migration_host(rt_config()->database_url, host);
	rt_log_line(RT_LOG_WARNING, NULL, NULL,
		"waiting for the database (%s), next try in %d s: %s", host, pause_ms / 1000,
		sentence_of(answer));
	return sleep_unless_ended(pause_ms);
}

static bool migrate(const struct manifest_function *admin, struct rt_buffer *answer)
{
	static const char event[] =
		"{\"action\":\"migrate\",\"firstAccount\":\"" MIGRATION_FIRST_ACCOUNT "\"}";
	int64_t began_ms = rt_monotonic_ms();
	bool again = true;

	for (int tries = 1; again; tries++) {
		json_t *value;

		rt_buffer_clear(answer);
		if (single_run(admin, event, sizeof event - 1, answer) == 0)
			return true;
		value = json_loadb(answer->bytes, answer->length, 0, NULL);
		again = wait_for_server(value, tries, began_ms);
		/* the function already logged its own sentence */
		if (!again)
			fprintf(stderr, "runner: the database cannot be brought up to date%s\n",
				value == NULL ? ": the function admin failed" : "; see above");
		json_decref(value);
	}
	return false;
}

bool migration_run(const struct manifest *manifest, struct rt_buffer *answer)
{
	const struct manifest_function *admin = manifest_find(manifest, "admin");

	if (admin == NULL)
		return true;
	if (lost_database() || !migrate(admin, answer))
		return false;
	lost_database_remember();
	return true;
}
