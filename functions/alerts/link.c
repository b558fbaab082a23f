/* alerts-link: the pages to which the links in alert mails lead
 *
 * GET   /alerts/{alertId}/confirm?key=…, /alerts/{alertId}/off?key=…
 *       out   200, a page with a button, or {"data": {alertId, does: "confirm" or "off"}}.
 *             GET changes nothing, because programs that scan mail follow links too
 * POST  the same paths
 *       in    no body, or the body of RFC 8058 section 3.2
 *       out   200, a page that reports the change, or {"data": {alertId, confirmed: true}} or
 *             {"data": {alertId, active: false}}
 *
 * A client whose Accept field shows that it is a browser gets the page; any other client gets the
 * JSON. No account token is needed: only somebody who reads the mail knows the key.
 *
 * The key is in the query of the URL, because the service's logs do not contain queries.
 *
 * err   404 link-not-valid
 */
#include <string.h>

#include "functions/lib/store/alerts/alert-mail-link.h"
#include "functions/lib/store/alerts/alert-mail.h"
#include "runtime/event/event-http.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"
#include "runtime/json-format.h"

static const char policy[] = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
			     "form-action 'self'; frame-ancestors 'none'";

#define PAGE                                                                                       \
	"<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">"                                \
	"<meta name=\"viewport\" content=\"width=device-width\"><title>%s</title>"                 \
	"<style>body{font:1rem/1.5 sans-serif;margin:3rem auto;max-width:34rem;padding:0 1rem}"    \
	"button{font:inherit;padding:.5rem 1rem}@media(prefers-color-scheme:dark){body{"           \
	"background:#111;color:#eee}}</style><main><h1>%s</h1><p>%s</p>%s</main></html>\n"

struct page {
	const char *title;
	const char *text;
	const char *button; /* label of the button; NULL: the page has none */
};

static const struct page PAGES[2][2] = {
	{{"Alerts by mail",
		 "Someone asked this service to send alerts to your address when the mail setup of "
		 "a domain changes. Confirm if you want them; otherwise, close this page.",
		 "Send alerts to my address"},
		{"Your address is confirmed",
			"From now on, alerts are sent to your address. Each mail has a link that "
			"stops them.",
			NULL}},
	{{"Stop these alerts?", "You will get no more mail from this alert.", "Stop these alerts"},
		{"These alerts have stopped",
			"The alert is switched off. To get these alerts again, ask the owner "
			"of the alert to switch it on, then confirm your address again.",
			NULL}},
};
static const struct page NOT_VALID = {"This link is not valid",
	"The link was used already, is too old, or is incomplete. The owner of the alert can send "
	"a new link.",
	NULL};

struct call {
	const char *alert_id;
	const char *token;
	bool off;
	bool look;
};

static bool wants_page(const struct rt_request *req)
{
	const char *accept = rt_request_header(req, "accept");

	return accept != NULL && strstr(accept, "text/html") != NULL;
}

static rt_status answer_page(
	struct rt_ctx *ctx, int status, const struct page *page, struct rt_response *res)
{
	const char *form = page->button != NULL
		? rt_printf(ctx, "<form method=\"post\"><button>%s</button></form>", page->button)
		: "";
	const char *text = rt_printf(ctx, PAGE, page->title, page->title, page->text, form);

	rt_response_header(res, "content-security-policy", policy);
	return rt_respond_bytes(
		ctx, res, status, "text/html; charset=utf-8", text, strlen(text), false);
}

static rt_status answer_json(struct rt_ctx *ctx, const struct call *call, struct rt_response *res)
{
	json_t *json = json_object();

	rt_json_set_text(ctx, json, "alertId", call->alert_id);
	if (call->look)
		rt_json_set_text(ctx, json, "does", call->off ? "off" : "confirm");
	else if (call->off)
		rt_json_set(json, "active", json_false());
	else
		rt_json_set(json, "confirmed", json_true());
	return rt_respond_data(ctx, res, 200, json);
}

static rt_status follow(struct rt_ctx *ctx, const struct call *call)
{
	struct eds_store *store;

	RT_TRY(eds_store_open(ctx, &store));
	if (call->off)
		return eds_store_alert_mail_leave(
			ctx, store, call->alert_id, call->token, call->look);
	return eds_store_alert_mail_confirm(ctx, store, call->alert_id, call->token, call->look);
}

/* The URL of the page contains a secret, so it must not be cached or sent on as a referrer. */
static void add_headers(struct rt_response *res)
{
	rt_response_header(res, "cache-control", "no-store");
	rt_response_header(res, "referrer-policy", "no-referrer");
	rt_response_header(res, "x-content-type-options", "nosniff");
	rt_response_header(res, "x-robots-tag", "noindex");
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text);

	return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

static rt_status serve(struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	const char *alert_id = rt_request_param(req, "alertId");
	const char *token = rt_request_query(req, "key");
	const struct call call = {
		.alert_id = alert_id != NULL ? rt_lower(ctx, alert_id) : "",
		.token = token != NULL ? token : "",
		.off = ends_with(req->path, "/off"),
		.look = strcmp(req->method, "POST") != 0,
	};
	rt_status status;

	add_headers(res);
	status = follow(ctx, &call);
	if (!wants_page(req))
		return status == RT_OK ? answer_json(ctx, &call, res) : status;
	if (status == RT_NOT_FOUND) {
		rt_fail_clear(ctx);
		return answer_page(ctx, 404, &NOT_VALID, res);
	}
	RT_TRY(status);
	return answer_page(ctx, 200, &PAGES[call.off][!call.look], res);
}

int main(int argc, char **argv)
{
	rt_takes_any_query();
	return rt_main_http(argc, argv, serve);
}
