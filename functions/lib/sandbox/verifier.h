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

/* Verifies one message: reads the task from data, reports each result, and DONE. */
void eds_verifier_child(int data, const char *message, size_t length);

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

/* Verifies a message of our own and forgets the result: what the libraries set up and what they
 * touch is then there before the first fork, which saves each child most of its page faults. */
void eds_verifier_warm(void);

/* DNS over the child's socket, and what the parent sent ahead. */
struct eds_verifier_lookup;
struct eds_verifier_lookup *eds_verifier_lookup_new(
	struct rt_ctx *ctx, struct eds_frame_reader *reader);
/* False when the parent is gone or speaks another protocol. */
RT_MUST_USE bool eds_verifier_lookup_ahead(struct eds_verifier_lookup *lookup, uint32_t answers);
struct eds_lookup eds_verifier_lookup_view(struct eds_verifier_lookup *lookup);

#endif
