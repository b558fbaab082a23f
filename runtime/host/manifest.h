/* functions/manifest.json: every function with its trigger, time-out and memory.
 *
 *     {"functions": {"tester-session-get": {
 *         "http": ["GET /api/inbound-tester/sessions/{testId}"],
 *         "timeoutMs": 10000, "memoryMb": 64}, …}}
 *
 * Triggers: "http" (routes), "ops" (routes of the operations port), "schedule" ("rate(5 minutes)"),
 * "mail": true (chosen by mail-accept), or none (invoked directly). A function has one trigger.
 *
 * "anyHost": true marks a function whose answer depends on the requested host: its routes are
 * served for any host, also on loopback.
 *
 * "compress": true marks a function whose answers contain no secret: its JSON is compressed for
 * clients that ask for that (packing.h).
 *
 * "turns": "token" marks a function that works only for the bearer of a token: its requests take
 * turns by token (gateway-sender.h), those of others by the client's address.
 *
 * "settings" names the variables EDS_… that the function gets, none by default; handler-env.h tells
 * which other variables go with them. If no function has the member, as in a manifest of an earlier
 * release, every function gets all settings.
 *
 * "bodyMb" is the maximum of a function's request bodies in MiB; the default is 64 KiB. "stores"
 * names a function of mail: when the answer's field eds-stored names a message in the mail store,
 * that function gets an event for it at once (gateway.h).
 *
 * "waits" names a function, invoked directly, that knows whether the results that requests wait for
 * exist (waits.h); answers of the function with this member may be held back.
 *
 * "handlers" is the number of processes of the function that may run at once: MANIFEST_HANDLERS by
 * default, more for a function that mostly waits for others.
 */
#ifndef HOST_MANIFEST_H
#define HOST_MANIFEST_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum {
	MANIFEST_FUNCTIONS_MAX = 64,
	MANIFEST_ROUTES_MAX = 8,
	MANIFEST_SETTINGS_MAX = 32,
	MANIFEST_NAME_MAX = 64,
	MANIFEST_BYTES_MAX = 1024 * 1024,
	MANIFEST_TIMEOUT_MS_MAX = 900000, /* the longest any cloud allows */
	MANIFEST_MEMORY_MB_MAX = 10240,
	MANIFEST_BODY_MB_MAX = 10,
	MANIFEST_HANDLERS = 8,
	MANIFEST_HANDLERS_MAX = 64,
	MANIFEST_ERROR_MAX = 512,
	MANIFEST_PATH_MAX = PATH_MAX + 16,
};

struct manifest_route {
	const char *method; /* "GET" */
	const char *path;   /* "/api/v1/domains/{id}" */
	const char *key;    /* "GET /api/v1/domains/{id}" */
};

struct manifest_function {
	const char *name;
	const char *program; /* path of the binary */
	struct manifest_route routes[MANIFEST_ROUTES_MAX];
	size_t route_count;
	bool operations;      /* the routes belong to the operations port */
	const char *schedule; /* NULL */
	bool mail;
	bool any_host; /* "anyHost" */
	bool compress; /* "compress" */
	bool turns_by_token;
	const char *settings[MANIFEST_SETTINGS_MAX]; /* "EDS_DATABASE_URL" */
	size_t setting_count;
	bool all_settings;
	int timeout_ms;
	int memory_mb; /* 0: no limit */
	int handlers;
	size_t body_bytes;  /* maximum of a request's body */
	const char *stores; /* NULL */
	const char *waits;  /* NULL */
};

struct manifest {
	struct manifest_function functions[MANIFEST_FUNCTIONS_MAX];
	size_t count;
};

/* Parses a manifest; the programs are in the folder, named like their functions. NULL with a
 * sentence in error. */
struct manifest *manifest_parse(const char *text, size_t length, const char *program_folder,
	char error[MANIFEST_ERROR_MAX]);
void manifest_free(struct manifest *manifest);

/* The path FOLDER/manifest.json; a NULL folder is as in manifest_read_folder(). */
void manifest_path(const char *folder, char path[MANIFEST_PATH_MAX]);

/* FOLDER/manifest.json with the programs beside it. A NULL folder is `functions` beside the running
 * program. NULL with a sentence in error. */
struct manifest *manifest_read_folder(const char *folder, char error[MANIFEST_ERROR_MAX]);

/* The same, for the life of the process; on an error prints the sentence and exits with
 * RT_EXIT_CONFIG. */
struct manifest *manifest_load_folder(const char *folder);

/* Removes all functions except the named one; false when there is none. */
bool manifest_narrow(struct manifest *manifest, const char *name);

const struct manifest_function *manifest_find(const struct manifest *manifest, const char *name);

#endif
