#include "functions/lib/posture/look-now.h"
#include "runtime/time.h"

#include "functions/lib/posture/looks.h"

enum {
	ANSWER_MS = 1000, /* the part of the event's time that is reserved for the response */
};

static void take(struct eds_one_look *look, const struct eds_posture *posture)
{
	*(struct eds_posture *)look->arg = *posture;
}

rt_status eds_posture_look_now(struct rt_ctx *ctx, const struct eds_posture_question *question,
	struct eds_posture *posture)
{
	struct eds_one_look *look = rt_alloc(ctx, sizeof *look);
	struct eds_looks *looks = eds_looks_new(ctx);
	struct rt_ctx *sooner = rt_alloc(ctx, sizeof *sooner);
	rt_status status;

	*sooner = rt_ctx_sooner(ctx, ANSWER_MS);
	*look = (struct eds_one_look){
		.ctx = sooner, .question = *question, .done = take, .arg = posture};
	status = rt_ctx_join(ctx, sooner, eds_looks_start(looks, look));
	while (eds_looks_count(looks) > 0)
		eds_looks_turn(looks, rt_remaining_ms(look->ctx));
	return status;
}
