/* The far side of the sandbox: what runs in the helper program and in its children.
 *
 * The helper (verifier-helper.c) is trusted and reads nothing hostile: it waits on its control
 * socket, forks a child for each request, kills it past its time and reports how it ended. The
 * child confines itself (verifier-confine.c), then verifies one message (verifier.c) and ends.
 *
 * A child serves one message: a kept one, taken over by a message, could falsify what is said of
 * the next. That is what the cost is for. Of some 390 us of CPU the verification of an 8 KB message
 * takes 60, the fork 65, limits and filter 55; the rest are page faults of the fresh child, which a
 * static program and the warm-up keep low.
 *
 * Control socket (SOCK_SEQPACKET), one datagram each:
 *     parent -> helper   struct eds_helper_request, with a run two descriptors: socket, message
 *     helper -> parent   int32_t: the wait status of the child, or -1 when none could be forked
 */
#ifndef EDS_VERIFIER_H
#define EDS_VERIFIER_H

#include "functions/lib/dns/lookup.h"
#include "functions/lib/sandbox/protocol.h"

/* Descriptors by number: the helper finds its control socket at the place where a child has its
 * data socket, so that taking the one gives up the other. */
enum {
	EDS_HELPER_CONTROL_FD = 3,
	EDS_CHILD_DATA_FD = 3,
	EDS_CHILD_MESSAGE_FD = 4,
	EDS_HELPER_FDS = 2, /* sent with a run */
	/* Exit statuses of a child: it could not give up its rights, and so verified nothing; its
	 * parent is gone or speaks another protocol. */
	EDS_CHILD_EXIT_UNCONFINED = 70,
	EDS_CHILD_EXIT_ALONE = 72,
};

#define EDS_HELPER_FREE_ARGUMENT "--unconfined" /* EDS_SANDBOX=off: neither filter nor limits */

enum eds_helper_command {
	EDS_HELPER_RUN = 1,
	EDS_HELPER_STOP, /* kill the child that runs */
};

struct eds_helper_request {
	uint32_t command;
	int32_t time_ms; /* of a run: the child is killed when it takes longer */
};

/* What a child does once it is confined. The message is mapped; data is its socket. */
typedef void (*eds_child_main)(int data, const char *message, size_t length);

/* Serves requests until the control socket closes; the exit status of the helper. */
int eds_helper_serve(bool confined, eds_child_main child);

/* Gives up everything but reading, writing, memory and the clock: rlimits, then a seccomp filter.
 * False when the kernel refuses. */
RT_MUST_USE bool eds_confine(void);

/* Verifies one message: reads the task from data, reports each result, and DONE. */
void eds_verifier_child(int data, const char *message, size_t length);

/* The verification itself, each result reported as soon as it is known. */
struct eds_verifier_report {
	void (*spf)(void *arg, enum eds_frame_kind kind, const struct eds_spf_result *result);
	void (*dkim)(void *arg, const struct eds_dkim_result *result);
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

/* Writes all of it, or ends the child: nobody listens any more. */
void eds_child_write(int data, const struct rt_buffer *out);

#endif
