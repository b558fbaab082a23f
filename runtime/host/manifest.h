/* functions/manifest.json: every function with its trigger, time-out and memory.
 *
 *     {"functions": {"tester-session-get": {
 *         "http": ["GET /api/inbound-tester/sessions/{testId}"],
 *         "timeoutMs": 10000, "memoryMb": 64}, …}}
 *
 * Triggers: "http" (routes), "ops" (routes of the operations port), "schedule" ("rate(5 minutes)"),
 * "mail": true (named by mail-accept), or none (invoked directly). A function has one trigger.
 *
 * "handlers" is how many processes of the function may run at once: MANIFEST_HANDLERS unless it
 * says otherwise, more for one that mostly waits for others.
 */
#ifndef HOST_MANIFEST_H
#define HOST_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>

enum {
	MANIFEST_FUNCTIONS_MAX = 64,
	MANIFEST_ROUTES_MAX = 8,
	MANIFEST_NAME_MAX = 64,
	MANIFEST_BYTES_MAX = 1024 * 1024,
	MANIFEST_TIMEOUT_MS_MAX = 900000, /* the longest any cloud allows */
	MANIFEST_MEMORY_MB_MAX = 10240,
	MANIFEST_HANDLERS = 4,
	MANIFEST_HANDLERS_MAX = 64,
	MANIFEST_ERROR_MAX = 512,
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
	int timeout_ms;
	int memory_mb; /* 0: no limit */
	int handlers;
};

struct manifest {
	struct manifest_function functions[MANIFEST_FUNCTIONS_MAX];
	size_t count;
};

/* Reads a manifest; the programs lie in the folder under their functions' names. NULL with a
 * sentence in error. */
struct manifest *manifest_parse(const char *text, size_t length, const char *program_folder,
	char error[MANIFEST_ERROR_MAX]);
void manifest_free(struct manifest *manifest);

/* FOLDER/manifest.json with the programs beside it. A NULL folder is `functions` beside the running
 * program. NULL with a sentence in error. */
struct manifest *manifest_read_folder(const char *folder, char error[MANIFEST_ERROR_MAX]);

/* The same for as long as the process lives: ends it with RT_EXIT_CONFIG and the sentence. */
struct manifest *manifest_load_folder(const char *folder);

/* Leaves but the named function; false when there is none. */
bool manifest_narrow(struct manifest *manifest, const char *name);

const struct manifest_function *manifest_find(const struct manifest *manifest, const char *name);

#endif
