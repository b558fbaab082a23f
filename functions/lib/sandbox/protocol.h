/* What this process and the verifier's child say to each other, as frames (wire.h).
 *
 *     parent                         child
 *     INPUT  what to verify
 *     ANSWER … DNS known already
 *                                    QUESTION  one at a time
 *     ANSWER
 *                                    SPF, SPF_HELO, DKIM, SHAPE  each as soon as it is known
 *                                    DONE
 *
 * The child has read hostile bytes and may say anything: a decoder returns false for whatever an
 * honest child would not send. The caller then believes nothing more of it.
 */
#ifndef EDS_SANDBOX_PROTOCOL_H
#define EDS_SANDBOX_PROTOCOL_H

#include "functions/lib/sandbox/sandbox.h"
#include "functions/lib/sandbox/wire.h"

enum eds_frame_kind {
	EDS_FRAME_INPUT = 1,
	EDS_FRAME_ANSWER,
	EDS_FRAME_QUESTION,
	EDS_FRAME_SPF,      /* of MAIL FROM, or of HELO with <> */
	EDS_FRAME_SPF_HELO, /* of HELO, beside MAIL FROM */
	EDS_FRAME_DKIM,
	EDS_FRAME_DONE,
	EDS_FRAME_SHAPE,
};

enum {
	EDS_ENVELOPE_TEXT_MAX = 64 * 1024, /* HELO, MAIL FROM, our name */
	EDS_RESULT_TEXT_MAX = 4096,        /* any one text of a result; longer ones are cut off */
	EDS_CODE_MAX = 64,                 /* of a finding: a-z 0-9 - */
	EDS_AHEAD_BYTES_MAX = 256 * 1024,  /* of answers sent unasked; the rest can be asked for */
	EDS_SHAPE_FAILURE_MAX = 200,
	EDS_ANSWER_FRAME_MAX = EDS_FRAME_BYTES_MAX + EDS_FRAME_HEADER_BYTES,
};

/* One thing to do, in this order; a result frame answers each. */
enum eds_verify_stage {
	EDS_STAGE_SPF = 1,
	EDS_STAGE_SPF_HELO = 2,
	EDS_STAGE_DKIM = 4,
	EDS_STAGE_SHAPE = 8,
	EDS_STAGES = 15,
};

struct eds_verify_task {
	unsigned stages;       /* of enum eds_verify_stage */
	uint32_t answers;      /* ANSWER frames that follow at once */
	int64_t message_bytes; /* that count, of the message's descriptor */
	int64_t received_at_ms;
	int64_t deadline_ms; /* on the monotonic clock */
	struct rt_ip client;
	const char *helo;
	const char *mail_from;
	const char *receiver;
};

struct eds_question {
	const char *name;
	enum eds_dns_type type;
};

/* Each writes one whole frame. */
void eds_put_task(struct rt_buffer *out, const struct eds_verify_task *task);
void eds_put_answer(struct rt_buffer *out, const struct eds_dns_answer *answer);
void eds_put_question(struct rt_buffer *out, const char *name, enum eds_dns_type type);
void eds_put_done(struct rt_buffer *out);

/* Each reads the payload of one frame; false unless it is whole, in range and makes sense. */
RT_MUST_USE bool eds_get_task(
	struct rt_ctx *ctx, struct eds_wire *wire, struct eds_verify_task *task);
RT_MUST_USE bool eds_get_answer(
	struct rt_ctx *ctx, struct eds_wire *wire, struct eds_dns_answer *answer);
RT_MUST_USE bool eds_get_question(
	struct rt_ctx *ctx, struct eds_wire *wire, struct eds_question *question);

#endif
