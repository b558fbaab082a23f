/* The conversation with one child of a helper program about one message: frames in both directions
 * until the child ends.
 *
 *     eds_conversation_open    selects the helper; the caller then fills .out, which the child
 *                              finds in its socket
 *     eds_conversation_start   creates the socket and tells the helper to fork the child
 *     eds_conversation_hear    returns the next frame each time it is called
 *     eds_conversation_send    sends an answer
 *     eds_conversation_close   ends the child in every case
 *
 * Any result other than EDS_CHILD_GOES_ON ends the conversation: the caller passes it to
 * eds_conversation_close.
 */
#ifndef EDS_SANDBOX_CONVERSATION_H
#define EDS_SANDBOX_CONVERSATION_H

#include "functions/lib/sandbox/helper.h"
#include "functions/lib/sandbox/level.h"
#include "functions/lib/sandbox/wire.h"

enum eds_child_end {
	EDS_CHILD_GOES_ON,    /* the child has not ended yet */
	EDS_CHILD_DONE,       /* the child has sent all results */
	EDS_CHILD_DIED,       /* the child crashed or ended too early */
	EDS_CHILD_HUNG,       /* the child was silent for too long */
	EDS_CHILD_FLOODED,    /* the child asked too many questions, or sent too many reports */
	EDS_CHILD_LIED,       /* the child sent something that an honest child never sends */
	EDS_CHILD_VIOLATED,   /* the child was killed by its filter */
	EDS_CHILD_UNCONFINED, /* the child was not confined as required, so none of its results
			       * counts */
	EDS_CHILD_NO_HELPER,  /* no helper runs, or the helper could not fork, or the helper died;
			       * no result counts */
	EDS_CHILD_DEADLINE,   /* the event's time is over */
};

struct eds_conversation {
	struct rt_ctx *ctx;
	enum eds_helper helper;
	int socket;
	/* Waits until the socket is readable, max_ms at most. */
	void (*wait)(void *arg, int socket, int max_ms);
	void *arg;
	int silence_ms;
	enum eds_level level; /* the level that the child must have */
	bool heard;           /* the child has sent something */
	int64_t heard_ms;     /* when the child last sent or received something */
	struct eds_frame_reader reader;
	struct rt_buffer out; /* frames for the child; set by the caller */
	size_t sent;          /* octets of `out` sent so far */
};

/* Selects the helper; false when its program is missing. */
RT_MUST_USE bool eds_conversation_open(
	struct eds_conversation *c, struct rt_ctx *ctx, enum eds_helper helper);
/* Starts the child. Also returns EDS_CHILD_NO_HELPER when no socket can be created. */
enum eds_child_end eds_conversation_start(struct eds_conversation *c, int message_fd);
/* Sends the content of .out, at the child's pace. */
enum eds_child_end eds_conversation_send(struct eds_conversation *c);
/* Waits for one frame; its payload is valid until the next call. */
enum eds_child_end eds_conversation_hear(
	struct eds_conversation *c, uint32_t *kind, struct eds_wire *payload);
/* Ends the child, and returns how it really ended, which may differ from `end`. *wait_status is the
 * child's status from waitpid(); -1 when it is unknown. */
enum eds_child_end eds_conversation_close(
	struct eds_conversation *c, enum eds_child_end end, int *wait_status);

/* Fails when the end of the child is our fault and not a finding about the message: with
 * RT_INTERNAL "sandbox-violation" for EDS_CHILD_VIOLATED, RT_INTERNAL "sandbox-unavailable" for
 * EDS_CHILD_UNCONFINED, RT_TEMPORARY "sandbox-unavailable" for EDS_CHILD_NO_HELPER. RT_OK for any
 * other end. what: the work of the child, as a noun for the log: "verification". */
RT_MUST_USE rt_status eds_conversation_trouble(
	struct rt_ctx *ctx, enum eds_helper helper, enum eds_child_end end, const char *what);

#endif
