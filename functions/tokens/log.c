/* tokens-log: GET /api/v1/audit-log
 *
 * in    ?limit=, ?cursor=
 * out   200 {"data": [{entryId, at, tokenId, tokenName, action, domain, subject}, …]}: the
 *       changes of the account's data in the last 180 days, newest first, each with the token that
 *       made it; Link to the next page
 * err   400 limit-invalid, cursor-invalid; 401; 403 token-domains
 */
#include "functions/lib/auth/auth.h"
#include "functions/lib/page.h"
#include "functions/lib/store/accounts/audit.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"
#include "runtime/json-format.h"
#include "runtime/time.h"

static json_t *entry_json(struct rt_ctx *ctx, const struct eds_audit_entry *entry)
{
	json_t *json = json_object();

	rt_json_set_text(ctx, json, "entryId", entry->id);
	rt_json_set_text(ctx, json, "at", rt_time_format(ctx, entry->at_ms));
	rt_json_set_text(ctx, json, "tokenId", entry->token_id);
	rt_json_set_text(ctx, json, "tokenName", entry->token_name);
	rt_json_set_text(ctx, json, "action", entry->action);
	rt_json_set_text(ctx, json, "domain", entry->domain);
	rt_json_set_text(ctx, json, "subject", entry->subject);
	return json;
}

static rt_status list_log(struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	struct eds_audit_entry *entries;
	struct eds_account account;
	struct eds_store *store;
	struct eds_page page;
	json_t *list = json_array();
	size_t count;

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_auth_account(ctx, req, store, &account));
	RT_TRY(eds_page_read(ctx, req, &page));
	rt_response_header(res, "cache-control", "no-store");
	RT_TRY(eds_store_audit_list(ctx, store, &account, page.after, page.rows, &entries, &count));
	if (eds_page_cut(&page, &count))
		eds_page_next(ctx, req, &page, entries[count - 1].id, res);
	for (size_t i = 0; i < count; i++)
		rt_json_append(list, entry_json(ctx, &entries[i]));
	return rt_respond_data(ctx, res, 200, list);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"limit", "cursor", NULL};

	rt_takes_query("GET", names);
	return rt_main_http(argc, argv, list_log);
}
