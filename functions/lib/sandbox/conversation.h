/* One message with one child of a helper program: frames to and fro until it has ended.
 *
 *     eds_conversation_open    names the helper; what the caller then puts into .out, the child
 * finds in its socket eds_conversation_start   makes the socket and has the helper fork the child
 *     eds_conversation_hear    its next frame, and so on; eds_conversation_send answers
 *     eds_conversation_close   always ends with the child gone
 *
 * Whatever is not EDS_CHILD_GOES_ON ends it: the caller then closes with that.
 */
#ifndef EDS_SANDBOX_CONVERSATION_H
#define EDS_SANDBOX_CONVERSATION_H

#include "functions/lib/sandbox/helper.h"
#include "functions/lib/sandbox/level.h"
#include "functions/lib/sandbox/wire.h"

enum eds_child_end {
	EDS_CHILD_GOES_ON,    /* not ended yet */
	EDS_CHILD_DONE,       /* all results are there */
	EDS_CHILD_DIED,       /* crashed, or ended too early */
	EDS_CHILD_HUNG,       /* silent for too long */
	EDS_CHILD_FLOODED,    /* asked too much */
	EDS_CHILD_LIED,       /* said what no honest child says */
	EDS_CHILD_VIOLATED,   /* killed by its filter */
	EDS_CHILD_UNCONFINED, /* not confined as was asked for: nothing it said counts */
	EDS_CHILD_NO_HELPER,  /* no helper, or it could not fork, or it died: nothing counts */
	EDS_CHILD_DEADLINE,   /* the event's time is over */
};

struct eds_conversation {
	struct rt_ctx *ctx;
	enum eds_helper helper;
	int socket;
	/* Waits for the socket to turn readable, max_ms at most. */
	void (*wait)(void *arg, int socket, int max_ms);
	void *arg;
	int silence_ms;
	enum eds_level level; /* the child must have */
	bool heard;           /* the child has said something */
	int64_t heard_ms;     /* when the child last had something from us or for us */
	struct eds_frame_reader reader;
	struct rt_buffer out; /* frames for the child; set by the caller */
	size_t sent;          /* of out */
};

/* False when there is no such program. */
RT_MUST_USE bool eds_conversation_open(
	struct eds_conversation *c, struct rt_ctx *ctx, enum eds_helper helper);
/* EDS_CHILD_NO_HELPER also when no socket can be made. */
enum eds_child_end eds_conversation_start(struct eds_conversation *c, int message_fd);
/* Sends what is in .out, at the child's pace. */
enum eds_child_end eds_conversation_send(struct eds_conversation *c);
/* Waits for one frame; it holds until the next call. */
enum eds_child_end eds_conversation_hear(
	struct eds_conversation *c, uint32_t *kind, struct eds_wire *payload);
/* How it really ended; *wait_status belongs to EDS_CHILD_DIED, and is -1 when it is not known. */
enum eds_child_end eds_conversation_close(
	struct eds_conversation *c, enum eds_child_end end, int *wait_status);

/* Ends that are no finding about the message. what: "verification". RT_OK for any other,
 * RT_INTERNAL "sandbox-violation" or "sandbox-unavailable" (not confined), RT_TEMPORARY
 * "sandbox-unavailable" (no helper can be started). */
RT_MUST_USE rt_status eds_conversation_trouble(
	struct rt_ctx *ctx, enum eds_child_end end, const char *what);

#endif
