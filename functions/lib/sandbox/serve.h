/* A helper program of the sandbox: what all of them share.
 *
 * The helper (serve.c) is trusted and reads nothing hostile: it waits on its control socket, forks
 * a child for each request, kills it past its time and reports how it ended. The child confines
 * itself (confine.c), then does the program's work on one message and ends. It serves one message:
 * a kept child, taken over by a message, could falsify what is said of the next.
 *
 * Control socket (SOCK_SEQPACKET), one datagram each:
 *     parent -> helper   struct eds_helper_request, with a run two descriptors: socket, message
 *     helper -> parent   int32_t: the wait status of the child, or -1 when none could be forked
 */
#ifndef EDS_SANDBOX_SERVE_H
#define EDS_SANDBOX_SERVE_H

#include "runtime/buffer.h"

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

/* The main of a helper program: warms it up, then serves requests until the control socket closes.
 * Its exit status; 2 when somebody's shell has started it. */
int eds_helper_main(int argc, char **argv, void (*warm)(void), eds_child_main child);

/* Gives up everything but reading, writing, memory and the clock: rlimits, then a seccomp filter.
 * False when the kernel refuses. */
RT_MUST_USE bool eds_confine(void);

/* Writes all of it, or ends the child: nobody listens any more. */
void eds_child_write(int data, const struct rt_buffer *out);

#endif
