/* mta-sts-check-now: POST /api/v1/domains/{id}/mta-sts/check
 *
 * out   200 {"data": {the configuration as GET gives it}}, after a check that probes every mail
 *       server
 * err   401; 403 token-read-only; 404 domain-not-found; 429 too-many-checks
 *
 * When DNS fails temporarily, an earlier outcome that is less than an hour old is kept. When the
 * account has made eds fetch many policies from an IP address of the domain's policy host within
 * the last hour, the policy is not fetched, and the answer is 429.
 */
#include "functions/lib/address-uses.h"
#include "functions/lib/auth/auth.h"
#include "functions/lib/store/accounts/account-use.h"
#include "functions/lib/store/mta-sts/mta-sts-claim.h"
#include "functions/lib/store/mta-sts/mta-sts-due.h"
#include "functions/mta-sts/mta-sts-json.h"
#include "functions/mta-sts/outcome.h"
#include "runtime/event/handler.h"
#include "runtime/time.h"

enum {
	WRITE_MS = 2000, /* time reserved for writing the outcome */
};

struct progress {
	bool looked; /* the TXT answer has come; the check waits until the answer has been stored */
	bool done;
};

static void take_look(void *arg, struct eds_check *check)
{
	(void)check;
	((struct progress *)arg)->looked = true;
}

static void take(void *arg, struct eds_check *check)
{
	(void)check;
	((struct progress *)arg)->done = true;
}

static rt_status write_look(struct rt_ctx *ctx, struct eds_store *store, struct progress *progress,
	struct eds_check *check)
{
	struct eds_mta_sts_look look = {.name = check->config->name, .id = check->seen.dns_id};

	if (!progress->looked)
		return RT_OK;
	progress->looked = false;
	RT_TRY(eds_store_mta_sts_look(ctx, store, &look, 1));
	eds_checks_go_on(check);
	return RT_OK;
}

/* Runs the check until it is done. When its time is over, the check is canceled, and the outcome is
 * made from what the check has learnt so far (mta_sts_settle()). */
static rt_status check(struct rt_ctx *ctx, struct eds_store *store, struct eds_mta_sts_due *due,
	struct eds_check *one)
{
	struct eds_checks *checks;
	struct progress *progress = rt_alloc(ctx, sizeof *progress);
	bool in_time;
	int left_ms;

	RT_TRY(eds_checks_new(ctx, eds_address_uses(ctx, store), &checks));
	mta_sts_prepare(ctx, due, one);
	one->probe = true;
	one->done = take;
	one->looked = take_look;
	one->arg = progress;
	eds_checks_start(checks, one);
	while (!progress->done && (left_ms = rt_remaining_ms(ctx) - WRITE_MS) > 0) {
		eds_checks_turn(checks, left_ms);
		RT_TRY(write_look(ctx, store, progress, one));
	}
	in_time = progress->done;
	eds_checks_cancel(checks);
	mta_sts_settle(due, one, !in_time);
	return RT_OK;
}

static rt_status postponed(struct rt_ctx *ctx, const struct eds_check *one)
{
	ctx->failure.retry_after_s = (int)(one->seen.postponed_ms / 1000);
	return rt_fail(ctx, RT_LIMIT, "too-many-checks",
		"many policies of the account were fetched from the same address within the last "
		"hour; this policy will be fetched later");
}

static rt_status check_now(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	struct eds_check *one = rt_alloc(ctx, sizeof *one);
	struct eds_mta_sts_due *none;
	struct eds_mta_sts config;
	struct eds_mta_sts_due due;
	struct eds_domain domain;
	struct eds_store *store;
	size_t written;
	size_t claimed;

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_auth_domain(ctx, req, store, &domain));
	RT_TRY(eds_store_use(ctx, store, domain.account_id, domain.plan, EDS_USE_CHECK));
	/* creates the row if it is missing, so that it can be claimed */
	RT_TRY(eds_store_mta_sts_get(ctx, store, &domain, &config));
	RT_TRY(eds_store_mta_sts_claim(ctx, store, &domain, &due));
	RT_TRY(check(ctx, store, &due, one));
	RT_TRY(eds_store_mta_sts_turn(ctx, store, &due, 1, &written, 0, &none, &claimed));
	if (one->seen.postponed_ms > 0)
		return postponed(ctx, one);
	RT_TRY(eds_store_mta_sts_get(ctx, store, &domain, &config));
	return mta_sts_respond(ctx, store, &config, res);
}

int main(int argc, char **argv)
{
	return rt_main_http(argc, argv, check_now);
}
