/* functions/manifest.json: every function with its trigger, time-out and memory.
 *
 *     {"functions": {"tester-session-get": {
 *         "http": ["GET /api/inbound-tester/sessions/{testId}"],
 *         "timeoutMs": 10000, "memoryMb": 64}, …}}
 *
 * Triggers: "http" (routes), "ops" (routes of the operations port), "schedule" ("rate(5 minutes)"),
 * "mail": true (gets the mail for which the function mail-accept names it), or none (invoked
 * directly). A function has at most one trigger.
 *
 * "anyHost": true marks a function whose answer depends on the requested host: its routes are
 * served for any host, also on loopback.
 *
 * "compress": true marks a function whose answers contain no secret: its JSON is compressed for
 * clients that ask for that (packing.h).
 *
 * "turns": "token" marks a function that works only for the bearer of a token: its requests take
 * turns by token (gateway-sender.h). Requests of other functions take turns by the client's
 * address.
 *
 * "settings" names the variables EDS_… that the function gets, none by default; handler-env.h says
 * which other variables it gets. If no function in the manifest has the member "settings", as in an
 * earlier release, every function gets all settings.
 *
 * "bodyMb" is the maximum length of a request's body in MiB; the default is 64 KiB. "stores" names
 * a function with the trigger mail: when the field eds-stored of an answer names a message in the
 * mail store, the named function gets an event for the message at once (gateway.h).
 *
 * "waits" names a function without a trigger, which knows the results for which no request needs to
 * wait any longer (waits.h). Answers of a function with this member may be held back.
 *
 * "handlers" is the number of processes of the function that may run at once: MANIFEST_HANDLERS by
 * default; more for a function that mostly waits for other machines.
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
	MANIFEST_TIMEOUT_MS_MAX = 900000, /* the longest time-out that any cloud allows */
	MANIFEST_MEMORY_MB_MAX = 10240,
	MANIFEST_BODY_MB_MAX = 10,
	MANIFEST_HANDLERS = 8,
	MANIFEST_HANDLERS_MAX = 64,
	MANIFEST_ERROR_MAX = 512,
	MANIFEST_PATH_MAX = PATH_MAX + 16,
};

struct manifest_route {
	const char *method; /* the method: "GET" */
	const char *path;   /* the path: "/api/v1/domains/{id}" */
	const char *key;    /* method and path: "GET /api/v1/domains/{id}" */
};

struct manifest_function {
	const char *name;
	const char *program; /* path of the binary */
	struct manifest_route routes[MANIFEST_ROUTES_MAX];
	size_t route_count;
	bool operations;      /* the routes belong to the operations port */
	const char *schedule; /* when the function runs: "rate(5 minutes)"; NULL for none */
	bool mail;
	bool any_host; /* member "anyHost" of the manifest */
	bool compress; /* member "compress" of the manifest */
	bool turns_by_token;
	const char *settings[MANIFEST_SETTINGS_MAX]; /* names of its settings: "EDS_DATABASE_URL" */
	size_t setting_count;
	bool all_settings;
	int timeout_ms;
	int memory_mb; /* memory limit in MB; 0: none */
	int handlers;
	size_t body_bytes;  /* maximum length of a request's body, octets */
	const char *stores; /* member "stores", the name of a function; NULL for none */
	const char *waits;  /* member "waits", the name of a function; NULL for none */
};

struct manifest {
	struct manifest_function functions[MANIFEST_FUNCTIONS_MAX];
	size_t count;
};

/* Parses a manifest. The programs are in program_folder, named like their functions. NULL, with a
 * sentence in error, on failure. */
struct manifest *manifest_parse(const char *text, size_t length, const char *program_folder,
	char error[MANIFEST_ERROR_MAX]);
void manifest_free(struct manifest *manifest);

/* Writes the path FOLDER/manifest.json. folder may be NULL, as in manifest_read_folder(). */
void manifest_path(const char *folder, char path[MANIFEST_PATH_MAX]);

/* Reads FOLDER/manifest.json; the programs are in the same folder. If folder is NULL, it is the
 * folder `functions` beside the running program. Returns NULL, with a sentence in error, on
 * failure. */
struct manifest *manifest_read_folder(const char *folder, char error[MANIFEST_ERROR_MAX]);

/* Reads the manifest for the life of the process; on an error prints the error and exits with
 * RT_EXIT_CONFIG. */
struct manifest *manifest_load_folder(const char *folder);

/* Removes all functions except the one with this name; false when no function has the name. */
bool manifest_narrow(struct manifest *manifest, const char *name);

const struct manifest_function *manifest_find(const struct manifest *manifest, const char *name);

#endif
