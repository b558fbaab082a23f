/* reports-expire: every hour
 *
 * out {"reports": 12, "changes": 3}: the numbers of removed reports and of removed posture changes
 *
 * Removes reports that arrived more than 90 days ago, and the oldest reports of a domain that has
 * too many; stored contents of reports that no log has any more; changes of the posture of domains
 * after 90 days; DNS names of addresses, and original mails of reports, after 30 days; entries of
 * the audit log after 180 days, and the oldest entries of an account that has too many; and answers
 * stored for an Idempotency-Key after 24 hours. Stops well before its deadline; the next run
 * continues.
 */
#include "functions/lib/store/accounts/audit.h"
#include "functions/lib/store/once.h"
#include "functions/lib/store/posture/posture.h"
#include "functions/lib/store/reports/report-expiry.h"
#include "functions/lib/store/reports/report-original.h"
#include "functions/lib/store/reports/report-sources.h"
#include "runtime/event/handler.h"
#include "runtime/json-format.h"
#include "runtime/time.h"

/* Removes one batch of old data and sets *removed to its size. */
typedef rt_status (*forget)(struct rt_ctx *ctx, struct eds_store *store, size_t *removed);

static rt_status trim_reports(struct rt_ctx *ctx, struct eds_store *store, size_t *removed)
{
	return eds_store_reports_trim(ctx, store, EDS_REPORTS_DOMAIN_MAX, removed);
}

static rt_status trim_audit(struct rt_ctx *ctx, struct eds_store *store, size_t *removed)
{
	return eds_store_audit_trim(ctx, store, EDS_AUDIT_ACCOUNT_MAX, removed);
}

/* Removes batches until nothing is left to remove, or until the event has only kept_ms left. Adds
 * the number of removed items to *all. */
static rt_status forget_all(
	struct rt_ctx *ctx, struct eds_store *store, forget batch, int kept_ms, size_t *all)
{
	size_t removed;

	do {
		RT_TRY(batch(ctx, store, &removed));
		*all += removed;
	} while (removed > 0 && rt_remaining_ms(ctx) > kept_ms);
	return RT_OK;
}

static rt_status expire(struct rt_ctx *ctx, const struct rt_schedule_event *event, json_t **answer)
{
	enum { REPORTS, CHANGES, OTHERS, COUNTS };
	static const struct {
		forget batch;
		int counted;
	} steps[] = {
		{eds_store_reports_expire, REPORTS},
		{trim_reports, REPORTS},
		{eds_store_report_originals_expire, OTHERS},
		{eds_store_report_bodies_sweep, OTHERS},
		{eds_store_source_names_expire, OTHERS},
		{eds_store_posture_expire, CHANGES},
		{eds_store_audit_expire, OTHERS},
		{trim_audit, OTHERS},
		{eds_store_once_expire, OTHERS},
	};
	int kept_ms = rt_remaining_ms(ctx) / 4;
	size_t counts[COUNTS] = {0};
	struct eds_store *store;

	(void)event;
	RT_TRY(eds_store_open(ctx, &store));
	for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
		RT_TRY(forget_all(ctx, store, steps[i].batch, kept_ms, &counts[steps[i].counted]));
	*answer = json_object();
	rt_json_set(*answer, "reports", json_integer((json_int_t)counts[REPORTS]));
	rt_json_set(*answer, "changes", json_integer((json_int_t)counts[CHANGES]));
	return RT_OK;
}

int main(int argc, char **argv)
{
	return rt_main_schedule(argc, argv, expire);
}
