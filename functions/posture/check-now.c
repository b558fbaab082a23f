/* posture-check-now: POST /api/v1/domains/{id}/posture/check
 *
 * out   200 {"data": {domain, checkedAt, changedAt, state, items, records}}
 * err   401; 403 token-read-only; 404 domain-not-found; 429 too-many-checks
 *
 * Checks now what DNS says about the domain's mail. `records` in the answer are the records with
 * which DMARC and TLS reports about the domain come here: the published records with the report
 * address added, or new records where none is published. No policy is weakened. The outcome is
 * stored like that of a scheduled check; a scheduled check of the domain that is in progress can no
 * longer write its outcome.
 */
#include "functions/lib/address-uses.h"
#include "functions/lib/auth/auth.h"
#include "functions/lib/posture/look-now.h"
#include "functions/lib/store/accounts/account-use.h"
#include "functions/lib/store/posture/posture-due.h"
#include "functions/posture/kept-json.h"
#include "functions/posture/outcome.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"

static rt_status look(struct rt_ctx *ctx, struct eds_store *store, struct eds_posture_due *due)
{
	struct eds_posture *posture = rt_alloc(ctx, sizeof *posture);
	struct eds_posture_question question = posture_question(
		ctx, due, eds_address_uses(ctx, store));

	RT_TRY(eds_posture_look_now(ctx, &question, posture));
	posture_settle(ctx, due, posture);
	return RT_OK;
}

static rt_status check_now(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	struct eds_posture_due *none;
	struct eds_posture_due due;
	struct eds_domain domain;
	struct eds_store *store;
	size_t written;
	size_t claimed;

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_auth_domain(ctx, req, store, &domain));
	RT_TRY(eds_store_use(ctx, store, domain.account_id, domain.plan, EDS_USE_CHECK));
	RT_TRY(eds_store_posture_claim(ctx, store, &domain, &due));
	RT_TRY(look(ctx, store, &due));
	RT_TRY(eds_store_posture_turn(ctx, store, &due, 1, &written, 0, &none, &claimed));
	return rt_respond_data(ctx, res, 200, posture_json(ctx, domain.name, &due.after));
}

int main(int argc, char **argv)
{
	return rt_main_http(argc, argv, check_now);
}
