/* reports-expire: every hour
 *
 * out   {"reports": 12, "changes": 3}, what was removed
 *
 * Takes away what came more than 90 days ago, and of a domain that is flooded the oldest; and
 * changes of what DNS shows of domains, after as many days; and names of addresses after 30; and
 * entries of the audit log after 180, and of an account that has too many the oldest; and answers
 * kept for an Idempotency-Key after 24 hours. Stops in good time before its deadline: the next run
 * goes on.
 */
#include "functions/lib/store/audit.h"
#include "functions/lib/store/once.h"
#include "functions/lib/store/posture.h"
#include "functions/lib/store/report-sources.h"
#include "runtime/handler.h"

static rt_status expire(struct rt_ctx *ctx, const struct rt_schedule_event *event, json_t **answer)
{
	int kept_ms = rt_remaining_ms(ctx) / 4;
	struct eds_store *store;
	size_t all = 0;
	size_t changes = 0;
	size_t removed;

	(void)event;
	RT_TRY(eds_store_open(ctx, &store));
	do {
		RT_TRY(eds_store_reports_expire(ctx, store, &removed));
		all += removed;
	} while (removed > 0 && rt_remaining_ms(ctx) > kept_ms);
	do {
		RT_TRY(eds_store_reports_trim(ctx, store, EDS_REPORTS_DOMAIN_MAX, &removed));
		all += removed;
	} while (removed > 0 && rt_remaining_ms(ctx) > kept_ms);
	do {
		RT_TRY(eds_store_report_bodies_sweep(ctx, store, &removed));
	} while (removed > 0 && rt_remaining_ms(ctx) > kept_ms);
	do {
		RT_TRY(eds_store_source_names_expire(ctx, store, &removed));
	} while (removed > 0 && rt_remaining_ms(ctx) > kept_ms);
	do {
		RT_TRY(eds_store_posture_expire(ctx, store, &removed));
		changes += removed;
	} while (removed > 0 && rt_remaining_ms(ctx) > kept_ms);
	do {
		RT_TRY(eds_store_audit_expire(ctx, store, &removed));
	} while (removed > 0 && rt_remaining_ms(ctx) > kept_ms);
	do {
		RT_TRY(eds_store_audit_trim(ctx, store, EDS_AUDIT_ACCOUNT_MAX, &removed));
	} while (removed > 0 && rt_remaining_ms(ctx) > kept_ms);
	do {
		RT_TRY(eds_store_once_expire(ctx, store, &removed));
	} while (removed > 0 && rt_remaining_ms(ctx) > kept_ms);
	*answer = json_object();
	rt_json_set(*answer, "reports", json_integer((json_int_t)all));
	rt_json_set(*answer, "changes", json_integer((json_int_t)changes));
	return RT_OK;
}

int main(int argc, char **argv)
{
	return rt_main_schedule(argc, argv, expire);
}
