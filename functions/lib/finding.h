/* One finding about somebody's mail or DNS: {"code": "key-too-short", "message": "…"}.
 *
 * Codes are stable (listed in infra/openapi.yaml), messages are sentences for the administrator.
 */
#ifndef EDS_FINDING_H
#define EDS_FINDING_H

#include "runtime/json.h"

enum {
	EDS_FINDINGS_MAX = 32,
};

struct eds_finding {
	const char *code;
	const char *message;
};

struct eds_findings {
	struct eds_finding items[EDS_FINDINGS_MAX];
	size_t count;
};

/* Adds a finding; drops it when there are EDS_FINDINGS_MAX already. code must be a literal or live
 * as long as the event. */
void eds_finding_add(struct rt_ctx *ctx, struct eds_findings *findings, const char *code,
	const char *format, ...) RT_PRINTF(4, 5);
bool eds_finding_has(const struct eds_findings *findings, const char *code);

/* The findings as JSON: [{"code", "message"}, …]. */
json_t *eds_findings_json(struct rt_ctx *ctx, const struct eds_findings *findings);

/* Add a finding to the errors or the warnings of a struct that has these two members. */
#define EDS_ERROR(ctx, thing, code, ...)                                                           \
	eds_finding_add((ctx), &(thing)->errors, (code), __VA_ARGS__)
#define EDS_WARN(ctx, thing, code, ...)                                                            \
	eds_finding_add((ctx), &(thing)->warnings, (code), __VA_ARGS__)

#endif
