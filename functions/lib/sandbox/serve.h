/* A helper program of the sandbox: what all of them share.
 *
 * The helper (serve.c) is trusted and reads nothing hostile: it waits on its control socket, forks
 * a child for each request, kills it past its time and reports how it ended. The child confines
 * itself (confine.c), says which level holds, then does the program's work on one message and ends.
 * It serves one message: a kept child, taken over by a message, could falsify what is said of the
 * next.
 *
 * Control socket (SOCK_SEQPACKET), one datagram each:
 *     parent -> helper   struct eds_helper_request, with a run two descriptors: socket, message
 *     helper -> parent   at first uint32_t: enum eds_level that it has proven, and holds its
 *                        children to; one that has proven none ends then
 *     helper -> parent   struct eds_helper_report, of each run
 */
#ifndef EDS_SANDBOX_SERVE_H
#define EDS_SANDBOX_SERVE_H

#include "functions/lib/sandbox/level.h"
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

/* How the children are to be confined, as EDS_SANDBOX says it: required (without the argument),
 * filter, off; or limits, for tests of that level. */
#define EDS_HELPER_SANDBOX_ARGUMENT "--sandbox="
/* Proves the level, prints it and what was tried (proof.h), and ends; --prove=filter and so on. */
#define EDS_HELPER_PROVE_ARGUMENT "--prove"

enum eds_helper_command {
	EDS_HELPER_RUN = 1,
	EDS_HELPER_STOP, /* kill the child that runs */
};

struct eds_helper_request {
	uint32_t command;
	int32_t time_ms; /* of a run: the child is killed when it takes longer */
};

struct eds_helper_report {
	int32_t wait_status; /* of the child; -1 when none could be forked */
	uint32_t level;      /* enum eds_level: what the child said of itself */
};

/* What a child does once it is confined. The message is mapped; data is its socket. */
typedef void (*eds_child_main)(int data, const char *message, size_t length);

/* The main of a helper program: warms it up, then serves requests until the control socket closes.
 * Its exit status; 2 when somebody's shell has started it. */
int eds_helper_main(int argc, char **argv, void (*warm)(void), eds_child_main child);

/* Writes all of it, or ends the child: nobody listens any more. */
void eds_child_write(int data, const struct rt_buffer *out);

#endif
