#include "functions/lib/sandbox/verifier-talk.h"
#include "functions/lib/sandbox/protocol-result.h"
#include "functions/lib/sandbox/protocol-shape-read.h"
#include "runtime/time.h"

#include <sys/socket.h>

#include "functions/lib/sandbox/ahead.h"

struct verification {
	struct rt_ctx *ctx;
	struct eds_dns *dns;
	struct eds_verifier_talk *talk;
	struct eds_verify_output *output;
	struct eds_conversation conversation;
	unsigned questions;
};

struct pending {
	const struct eds_dns_answer *answer;
};

static void on_answer(void *arg, const struct eds_dns_answer *answer)
{
	struct pending *pending = arg;

	pending->answer = answer;
}

/* Waits for DNS and watches the child. An honest child sends nothing until it has its answer, so
 * when its socket becomes readable, it has died or it lies. */
static enum eds_child_end await_answer(struct verification *v, const struct pending *pending)
{
	while (pending->answer == NULL) {
		int left_ms = rt_remaining_ms(v->ctx);
		char octet;

		if (left_ms == 0)
			return EDS_CHILD_DEADLINE;
		if (eds_dns_step(v->dns, v->conversation.socket, left_ms) &&
			pending->answer == NULL)
			return recv(v->conversation.socket, &octet, 1, MSG_PEEK | MSG_DONTWAIT) > 0
				? EDS_CHILD_LIED
				: EDS_CHILD_DIED;
	}
	return EDS_CHILD_GOES_ON;
}

static enum eds_child_end take_question(struct verification *v, struct eds_wire *payload)
{
	struct pending *pending = rt_alloc(v->ctx, sizeof *pending);
	struct eds_question question;
	enum eds_child_end end;

	if (!eds_get_question(v->ctx, payload, &question) ||
		eds_frame_reader_holds_more(&v->conversation.reader))
		return EDS_CHILD_LIED;
	if (++v->questions > EDS_CHILD_QUESTIONS_MAX)
		return EDS_CHILD_FLOODED;
	eds_dns_when(v->dns, question.name, question.type, on_answer, pending);
	end = await_answer(v, pending);
	if (end != EDS_CHILD_GOES_ON)
		return end;
	rt_buffer_init(&v->conversation.out, v->ctx, EDS_ANSWER_FRAME_MAX);
	eds_put_answer(&v->conversation.out, pending->answer);
	return eds_conversation_send(&v->conversation);
}

/* Limits the time for the shape: the shape is only for display and must not use up the time for the
 * rest of the event. */
static void bound_shape(const struct verification *v)
{
	int64_t latest_ms = rt_monotonic_ms() + EDS_SHAPE_TIME_MS;

	if ((v->talk->stages & ~v->talk->finished) == EDS_STAGE_SHAPE &&
		v->ctx->deadline_ms > latest_ms)
		v->ctx->deadline_ms = latest_ms;
}

/* Accepts each result once, and only for stages that were requested. */
static enum eds_child_end take_result(
	struct verification *v, uint32_t kind, unsigned stage, struct eds_wire *payload)
{
	bool sound = false;

	if (!(v->talk->stages & stage) || (v->talk->finished & stage))
		return EDS_CHILD_LIED;
	if (kind == EDS_FRAME_SPF)
		sound = eds_get_spf(v->ctx, payload, &v->output->spf);
	else if (kind == EDS_FRAME_SPF_HELO)
		sound = eds_get_spf(v->ctx, payload, &v->output->spf_helo);
	else if (kind == EDS_FRAME_SHAPE)
		sound = eds_get_shape(v->ctx, payload, &v->output->shape);
	else
		sound = eds_get_dkim(v->ctx, payload, &v->output->dkim);
	if (!sound)
		return EDS_CHILD_LIED;
	v->talk->finished |= stage;
	bound_shape(v);
	return EDS_CHILD_GOES_ON;
}

static enum eds_child_end take_frame(
	struct verification *v, uint32_t kind, struct eds_wire *payload)
{
	switch (kind) {
	case EDS_FRAME_QUESTION:
		return take_question(v, payload);
	case EDS_FRAME_SPF:
		return take_result(v, kind, EDS_STAGE_SPF, payload);
	case EDS_FRAME_SPF_HELO:
		return take_result(v, kind, EDS_STAGE_SPF_HELO, payload);
	case EDS_FRAME_DKIM:
		return take_result(v, kind, EDS_STAGE_DKIM, payload);
	case EDS_FRAME_SHAPE:
		return take_result(v, kind, EDS_STAGE_SHAPE, payload);
	case EDS_FRAME_DONE:
		return eds_wire_finished(payload) && v->talk->finished == v->talk->stages
			? EDS_CHILD_DONE
			: EDS_CHILD_LIED;
	default:
		return EDS_CHILD_LIED;
	}
}

/* Keeps DNS running while it waits for the child. */
static void wait_with_dns(void *arg, int socket, int max_ms)
{
	eds_dns_step(arg, socket, max_ms);
}

static enum eds_child_end talk(struct verification *v, int message_fd)
{
	enum eds_child_end end = eds_conversation_start(&v->conversation, message_fd);

	while (end == EDS_CHILD_GOES_ON) {
		struct eds_wire payload;
		uint32_t kind;

		end = eds_conversation_hear(&v->conversation, &kind, &payload);
		if (end == EDS_CHILD_GOES_ON)
			end = take_frame(v, kind, &payload);
	}
	return end;
}

void eds_verifier_converse(struct rt_ctx *ctx, struct eds_dns *dns,
	const struct eds_verify_input *input, struct eds_verifier_talk *verifier_talk,
	struct eds_verify_output *output)
{
	struct verification v = {.ctx = ctx, .dns = dns, .talk = verifier_talk, .output = output};
	int64_t deadline_ms = ctx->deadline_ms;
	enum eds_child_end end;

	verifier_talk->finished = 0;
	verifier_talk->end = EDS_CHILD_NO_HELPER;
	if (!eds_conversation_open(&v.conversation, ctx, EDS_HELPER_VERIFIER))
		return;
	v.conversation.wait = wait_with_dns;
	v.conversation.arg = dns;
	eds_put_ahead(ctx, dns, input, verifier_talk->stages, &v.conversation.out);
	bound_shape(&v);
	end = talk(&v, input->message_fd);
	verifier_talk->end = eds_conversation_close(
		&v.conversation, end, &verifier_talk->wait_status);
	ctx->deadline_ms = deadline_ms;
	if (verifier_talk->end == EDS_CHILD_UNCONFINED || verifier_talk->end == EDS_CHILD_NO_HELPER)
		verifier_talk->finished = 0;
}
