#include "functions/lib/posture/look-now.h"

#include "functions/lib/posture/looks.h"

enum {
	ANSWER_MS = 1000, /* of the event's time, kept for the answer */
};

static void take(struct eds_one_look *look, const struct eds_posture *posture)
{
	*(struct eds_posture *)look->arg = *posture;
}

/* The event's own memory, in which the posture stays, with less of its time. */
static struct rt_ctx *for_dns(struct rt_ctx *ctx)
{
	struct rt_ctx *bounded = rt_alloc(ctx, sizeof *bounded);

	*bounded = *ctx;
	bounded->deadline_ms -= ANSWER_MS;
	return bounded;
}

rt_status eds_posture_look_now(struct rt_ctx *ctx, const struct eds_posture_question *question,
	struct eds_posture *posture)
{
	struct eds_one_look *look = rt_alloc(ctx, sizeof *look);
	struct eds_looks *looks = eds_looks_new(ctx);
	rt_status status;

	*look = (struct eds_one_look){
		.ctx = for_dns(ctx), .question = *question, .done = take, .arg = posture};
	status = eds_looks_start(looks, look);
	if (status != RT_OK)
		ctx->failure = look->ctx->failure;
	while (eds_looks_count(looks) > 0)
		eds_looks_turn(looks, rt_remaining_ms(look->ctx));
	return status;
}
