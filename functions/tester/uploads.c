/* tester-uploads: every minute
 *
 * out   {"analyzed": 3}: the number of messages, uploaded over HTTP, that were analyzed
 * err   store-unavailable, mail-store-failed, sandbox-unavailable: the next run continues
 *
 * Where the runner or a notice of the bucket calls tester-analyze for each upload, this function
 * analyzes only the uploads that were missed. Elsewhere it analyzes all uploads. Any number of runs
 * may overlap.
 */
#include "functions/lib/sandbox/sandbox.h"
#include "functions/tester/delivery.h"
#include "runtime/event/handler.h"
#include "runtime/json-format.h"
#include "runtime/log.h"
#include "runtime/time.h"

/* Analyzes the next upload that waits. A failure that concerns only this message is logged, and the
 * run continues with the next message. A temporary failure, for example of the store, ends the run.
 */
static rt_status analyze_next(
	struct rt_ctx *ctx, struct eds_store *store, json_int_t *analyzed, bool *found)
{
	struct eds_upload upload;
	size_t holding = 0;
	rt_status status;

	RT_TRY(eds_store_upload_claim(ctx, store, NULL, &upload, found));
	if (!*found)
		return RT_OK;
	status = delivery_of_upload(ctx, store, &upload, &holding);
	*analyzed += holding > 0;
	if (status == RT_OK || status == RT_TEMPORARY)
		return status;
	rt_log(ctx, RT_LOG_ERROR, "message %s failed: %s: %s", upload.message_id, ctx->failure.code,
		ctx->failure.detail);
	rt_fail_clear(ctx);
	return RT_OK;
}

static rt_status analyze_due(
	struct rt_ctx *ctx, const struct rt_schedule_event *event, json_t **answer)
{
	struct eds_store *store;
	/* An analysis may take 30 s, so each begins with more than 36 of the run's 60 s left. */
	int kept_ms = rt_remaining_ms(ctx) / 5 * 3;
	json_int_t analyzed = 0;
	bool found = true;

	(void)event;
	RT_TRY(eds_store_open(ctx, &store));
	while (found && rt_remaining_ms(ctx) > kept_ms)
		RT_TRY(analyze_next(ctx, store, &analyzed, &found));
	*answer = json_object();
	rt_json_set(*answer, "analyzed", json_integer(analyzed));
	return RT_OK;
}

int main(int argc, char **argv)
{
	rt_prepare(eds_sandbox_warm);
	return rt_main_schedule(argc, argv, analyze_due);
}
