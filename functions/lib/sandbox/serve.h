/* The code that all helper programs of the sandbox share.
 *
 * The helper (serve.c) is trusted and reads no hostile data: it waits on its control socket, forks
 * a child for each request, kills a child that exceeds its time, and reports how each child ended.
 * The child confines itself (confine.c), reports its level, does the program's work on one message
 * and ends. A child serves one message only: a message that takes over the child must not falsify
 * the results of the next message.
 *
 * Control socket (SOCK_SEQPACKET), one datagram each:
 *     parent -> helper   struct eds_helper_request; a request for a run also carries two
 *                        descriptors: the data socket and the message
 *     helper -> parent   once, at the start, a uint32_t: the enum eds_level that the helper has
 *                        proven and requires of its children; a helper that has not proven the
 *                        weakest allowed level then exits
 *     helper -> parent   struct eds_helper_report, after each run
 */
#ifndef EDS_SANDBOX_SERVE_H
#define EDS_SANDBOX_SERVE_H

#include "functions/lib/sandbox/level.h"
#include "runtime/buffer.h"

/* Descriptor numbers. A child's data socket replaces the helper's control socket at the same
 * number, so that the child cannot keep the control socket. */
enum {
	EDS_HELPER_CONTROL_FD = 3,
	EDS_CHILD_DATA_FD = 3,
	EDS_CHILD_MESSAGE_FD = 4,
	EDS_HELPER_FDS = 2, /* number of descriptors in a run request */
	/* Exit statuses of a child. UNCONFINED: it could not confine itself, so it verified
	 * nothing; ALONE: its parent is gone or uses another protocol. */
	EDS_CHILD_EXIT_UNCONFINED = 70,
	EDS_CHILD_EXIT_ALONE = 72,
};

/* This argument says how children are confined. One of the words of EDS_SANDBOX follows: required,
 * filter or off; tests also use the word limits. Without an argument, required applies. */
#define EDS_HELPER_SANDBOX_ARGUMENT "--sandbox="
/* With this argument a helper proves the level, prints it and the acts that were tried (proof.h),
 * and exits. A word of EDS_SANDBOX may follow: --prove=filter. */
#define EDS_HELPER_PROVE_ARGUMENT "--prove"

enum eds_helper_command {
	EDS_HELPER_RUN = 1,
	EDS_HELPER_STOP, /* kills the child that runs */
};

struct eds_helper_request {
	uint32_t command;
	int32_t time_ms; /* for a run: how long the child may run before the helper kills it */
};

struct eds_helper_report {
	int32_t wait_status; /* status of the child from waitpid(); -1 when no child could be
			      * forked */
	uint32_t level;      /* the enum eds_level that the child reported */
};

/* The work of a child after it is confined. The message is mapped; `data` is the child's socket. */
typedef void (*eds_child_main)(int data, const char *message, size_t length);

/* The main function of a helper program: calls `warm`, then serves requests until the control
 * socket closes. Returns the exit status; 2 when the program was started from a shell. */
int eds_helper_main(int argc, char **argv, void (*warm)(void), eds_child_main child);

/* Called in the child: writes all of `out`. When a write fails, the parent is gone, and the child
 * ends. */
void eds_child_write(int data, const struct rt_buffer *out);

#endif
