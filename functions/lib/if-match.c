#include "functions/lib/if-match.h"
#include "runtime/event/event-http.h"

#include "runtime/event/etag.h"

struct condition {
	const char *list;
	eds_version version;
	void *arg;
};

static rt_status check(struct rt_ctx *ctx, struct eds_store *store, void *arg)
{
	const struct condition *condition = arg;
	const char *etag;

	RT_TRY(condition->version(ctx, store, condition->arg, &etag));
	switch (rt_etag_find(ctx, condition->list, etag, false, NULL)) {
	case RT_ETAG_LISTED:
		return RT_OK;
	case RT_ETAG_INVALID:
		return rt_fail(ctx, RT_BAD_INPUT, "if-match-invalid",
			"If-Match must be *, or a list of ETags with their quotes");
	case RT_ETAG_OTHER:
		break;
	}
	return rt_fail(ctx, RT_CONFLICT, "version-changed",
		"the resource has changed since the version that If-Match names; read it again");
}

/* Checks the version twice. The check here, outside a transaction, refuses most outdated requests;
 * the check within the transaction of the change decides. */
rt_status eds_if_match(struct rt_ctx *ctx, const struct rt_request *req, struct eds_store *store,
	eds_version version, void *arg)
{
	const char *list = rt_request_header(req, "if-match");
	struct condition *condition = rt_alloc(ctx, sizeof *condition);

	if (list == NULL)
		return RT_OK;
	*condition = (struct condition){.list = list, .version = version, .arg = arg};
	RT_TRY(check(ctx, store, condition));
	eds_store_check_first(store, check, condition);
	return RT_OK;
}
