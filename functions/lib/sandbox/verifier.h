/* The far side of the sandbox: what runs in the verifier and in its children.
 *
 * Serving, descriptors and confinement are shared with the other helper programs (serve.h). A child
 * of this one verifies one message (verifier.c) and asks its parent for DNS on the way.
 *
 * Of the CPU of an 8 KB message the verification itself is a fifth, the fork another, limits and
 * filter an eighth; the rest are page faults of the fresh child, which a static program, its code
 * in huge pages and the warm-up keep low (tests/bench/sandbox.c).
 */
#ifndef EDS_VERIFIER_H
#define EDS_VERIFIER_H

#include "functions/lib/dns/lookup.h"
#include "functions/lib/sandbox/protocol.h"
#include "functions/lib/sandbox/serve.h"

/* The verification itself, each result reported as soon as it is known. */
struct eds_verifier_report {
	void (*spf)(void *arg, enum eds_frame_kind kind, const struct eds_spf_result *result);
	void (*dkim)(void *arg, const struct eds_dkim_result *result);
	void (*shape)(void *arg, const struct eds_shape *shape);
	void *arg;
};
void eds_verifier_run(struct rt_ctx *ctx, const struct eds_lookup *lookup,
	const struct eds_verify_task *task, const char *message, size_t length,
	const struct eds_verifier_report *report);

/* DNS over the child's socket, and what the parent sent ahead. */
struct eds_verifier_lookup;

#endif
