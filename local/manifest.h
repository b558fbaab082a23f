/* functions/manifest.json: every function with its trigger, time-out and memory.
 *
 *     {"functions": {"tester-session-get": {
 *         "http": ["GET /api/inbound-tester/sessions/{testId}"],
 *         "timeoutMs": 10000, "memoryMb": 64}, …}}
 *
 * Triggers: "http" (routes), "ops" (routes of the operations port), "schedule" ("rate(5 minutes)"),
 * "mail": true (named by mail-accept), or none (invoked directly).
 */
#ifndef RUNNER_MANIFEST_H
#define RUNNER_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>

enum {
	MANIFEST_FUNCTIONS_MAX = 64,
	MANIFEST_ROUTES_MAX = 8,
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
};

struct manifest {
	struct manifest_function functions[MANIFEST_FUNCTIONS_MAX];
	size_t count;
};

/* Reads the manifest beside the functions' binaries (found from the runner's own place:
 * ../functions/manifest.json of the build, or EDS-independent path given). Ends the process with a
 * sentence when it is no valid manifest. */
struct manifest *manifest_load(const char *file, const char *program_folder);
const struct manifest_function *manifest_find(const struct manifest *manifest, const char *name);

#endif
