/* The code that runs in the verifier and its children, inside the sandbox.
 *
 * All helper programs share the code for serving, descriptors and confinement (serve.h). A child of
 * the verifier verifies one message (verifier.c) and asks its parent for DNS.
 *
 * For an 8 KB message the verification itself takes a fifth of the CPU time, the fork takes another
 * fifth, and limits and filter take an eighth. The rest goes to page faults of the new child. A
 * static program, code in huge pages and the warm-up keep the page faults few
 * (tests/bench/sandbox.c).
 */
#ifndef EDS_VERIFIER_H
#define EDS_VERIFIER_H

#include "functions/lib/dns/lookup.h"
#include "functions/lib/sandbox/protocol.h"
#include "functions/lib/sandbox/serve.h"

/* Callbacks for the results; eds_verifier_run calls each as soon as its result is known. */
struct eds_verifier_report {
	void (*spf)(void *arg, enum eds_frame_kind kind, const struct eds_spf_result *result);
	void (*dkim)(void *arg, const struct eds_dkim_result *result);
	void (*shape)(void *arg, const struct eds_shape *shape);
	void *arg;
};
void eds_verifier_run(struct rt_ctx *ctx, const struct eds_lookup *lookup,
	const struct eds_verify_task *task, const char *message, size_t length,
	const struct eds_verifier_report *report);

/* DNS for a child: the answers that the parent has sent with the task, and questions over the
 * socket. */
struct eds_verifier_lookup;

#endif
