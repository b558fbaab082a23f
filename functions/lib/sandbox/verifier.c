#include <unistd.h>

#include "functions/lib/dkim/dkim-verify.h"
#include "functions/lib/sandbox/verifier.h"
#include "functions/lib/spf/spf-evaluate.h"
#include "runtime/time.h"

static void run_spf(struct rt_ctx *ctx, const struct eds_lookup *lookup,
	const struct eds_verify_task *task, bool helo_identity, struct eds_spf_result *result)
{
	int64_t until_ms = rt_monotonic_ms() +
		(helo_identity ? EDS_SPF_HELO_TIME_MS : EDS_SPF_TIME_MS);
	struct eds_spf_input input = {
		.client = task->client,
		.helo = task->helo,
		.mail_from = task->mail_from,
		.helo_identity = helo_identity,
		.receiver = task->receiver,
		.deadline_ms = until_ms < task->deadline_ms ? until_ms : task->deadline_ms,
	};

	eds_spf_evaluate(ctx, lookup, &input, result);
}

/* Holds one result at a time: all results use the same memory, because a child pays for each page
 * that it touches. */
union result {
	struct eds_spf_result spf;
	struct eds_dkim_result dkim;
	struct eds_shape shape;
};

/* Reports each result at once, so that the parent has it even when a later stage crashes the child.
 * The shape comes last, because it is only shown. */
void eds_verifier_run(struct rt_ctx *ctx, const struct eds_lookup *lookup,
	const struct eds_verify_task *task, const char *message, size_t length,
	const struct eds_verifier_report *report)
{
	union result *result = rt_arena_alloc_raw(ctx->arena, sizeof *result);

	if (task->stages & EDS_STAGE_SPF) {
		run_spf(ctx, lookup, task, false, &result->spf);
		report->spf(report->arg, EDS_FRAME_SPF, &result->spf);
	}
	if (task->stages & EDS_STAGE_SPF_HELO) {
		run_spf(ctx, lookup, task, true, &result->spf);
		report->spf(report->arg, EDS_FRAME_SPF_HELO, &result->spf);
	}
	if (task->stages & EDS_STAGE_DKIM) {
		eds_dkim_verify(ctx, lookup, message, length, task->received_at_ms, &result->dkim);
		report->dkim(report->arg, &result->dkim);
	}
	if (task->stages & EDS_STAGE_SHAPE) {
		eds_shape_find(ctx, message, length, &result->shape);
		report->shape(report->arg, &result->shape);
	}
}
