/* The protocol between this process and the verifier's child, as frames (wire.h).
 *
 *     parent                         child
 *     INPUT  the task
 *     ANSWER … DNS known already
 *                                    QUESTION  one at a time
 *     ANSWER
 *                                    SPF, SPF_HELO, DKIM, SHAPE  each as soon as it is known
 *                                    DONE
 *
 * The child has read hostile bytes and may send anything: a decoder returns false for data that an
 * honest child never sends. The caller then ignores everything further from that child.
 */
#ifndef EDS_SANDBOX_PROTOCOL_H
#define EDS_SANDBOX_PROTOCOL_H

#include "functions/lib/sandbox/sandbox.h"
#include "functions/lib/sandbox/wire.h"

enum eds_frame_kind {
	EDS_FRAME_INPUT = 1,
	EDS_FRAME_ANSWER,
	EDS_FRAME_QUESTION,
	EDS_FRAME_SPF,      /* SPF result of MAIL FROM, or of HELO if MAIL FROM is <> */
	EDS_FRAME_SPF_HELO, /* SPF result of HELO, in addition to that of MAIL FROM */
	EDS_FRAME_DKIM,
	EDS_FRAME_DONE,
	EDS_FRAME_SHAPE,
};

enum {
	EDS_ENVELOPE_TEXT_MAX = 64 * 1024, /* maximum number of octets of each text of the envelope:
					    * HELO, MAIL FROM, our name */
	EDS_RESULT_TEXT_MAX = 4096,        /* maximum number of octets of each text of a result;
					    * longer texts are cut */
	EDS_CODE_MAX = 64,                 /* maximum number of octets of a finding's code, which
					    * consists of a-z, 0-9 and - */
	EDS_AHEAD_BYTES_MAX = 256 * 1024,  /* maximum number of octets of the answers that are sent
					    * with the task; the child asks for the other answers */
	EDS_SHAPE_FAILURE_MAX = 200,
	EDS_ANSWER_FRAME_MAX = EDS_FRAME_BYTES_MAX + EDS_FRAME_HEADER_BYTES,
};

/* The stages of the work, in their order; the child sends a result frame for each stage. */
enum eds_verify_stage {
	EDS_STAGE_SPF = 1,
	EDS_STAGE_SPF_HELO = 2,
	EDS_STAGE_DKIM = 4,
	EDS_STAGE_SHAPE = 8,
	EDS_STAGES = 15,
};

struct eds_verify_task {
	unsigned stages;       /* a set of enum eds_verify_stage */
	uint32_t answers;      /* number of ANSWER frames that immediately follow the task */
	int64_t message_bytes; /* octets of the message, from the start of its file */
	int64_t received_at_ms;
	int64_t deadline_ms; /* end of the event's time, on the monotonic clock */
	struct rt_ip client;
	const char *helo;
	const char *mail_from;
	const char *receiver;
};

struct eds_question {
	const char *name;
	enum eds_dns_type type;
};

/* Each function writes one whole frame. */
void eds_put_task(struct rt_buffer *out, const struct eds_verify_task *task);
void eds_put_answer(struct rt_buffer *out, const struct eds_dns_answer *answer);
void eds_put_question(struct rt_buffer *out, const char *name, enum eds_dns_type type);
void eds_put_done(struct rt_buffer *out);

/* Each function reads the payload of one frame; false unless the payload is complete, in range and
 * plausible. */
RT_MUST_USE bool eds_get_task(
	struct rt_ctx *ctx, struct eds_wire *wire, struct eds_verify_task *task);
RT_MUST_USE bool eds_get_answer(
	struct rt_ctx *ctx, struct eds_wire *wire, struct eds_dns_answer *answer);
RT_MUST_USE bool eds_get_question(
	struct rt_ctx *ctx, struct eds_wire *wire, struct eds_question *question);

#endif
