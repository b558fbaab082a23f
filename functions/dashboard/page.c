/* dashboard-page: GET / and GET /assets/{file}
 *
 * out   200 with the page, or a file that it consists of; 304 to If-None-Match
 * err   404 asset-not-found
 *
 * The page shows what strangers wrote, so it may run and load nothing but its own files, and
 * scripts cannot turn text into markup at all.
 */
#include <string.h>

#include "functions/dashboard/assets.h"
#include "runtime/handler.h"

static const char policy[] =
	"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
	"require-trusted-types-for 'script'; trusted-types 'none'";

static const struct dashboard_asset *find_asset(const char *name)
{
	for (size_t i = 0; i < dashboard_asset_count; i++)
		if (strcmp(dashboard_assets[i].name, name) == 0)
			return &dashboard_assets[i];
	return NULL;
}

/* A page kept by a cache is asked about each time, which costs a 304: after an update of the
 * service nobody sees files of two versions. */
static void add_headers(struct rt_response *res, const struct dashboard_asset *asset)
{
	rt_response_header(res, "etag", asset->etag);
	rt_response_header(res, "cache-control", "no-cache");
	rt_response_header(res, "content-security-policy", policy);
	rt_response_header(res, "x-content-type-options", "nosniff");
	rt_response_header(res, "referrer-policy", "no-referrer");
	rt_response_header(res, "cross-origin-opener-policy", "same-origin");
	rt_response_header(res, "cross-origin-resource-policy", "same-origin");
	rt_response_header(res, "permissions-policy", "camera=(), geolocation=(), microphone=()");
}

static rt_status serve_page(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	const char *file = rt_request_param(req, "file");
	const struct dashboard_asset *asset = find_asset(file != NULL ? file : "index.html");

	if (asset == NULL)
		return rt_fail(
			ctx, RT_NOT_FOUND, "asset-not-found", "the dashboard has no such file");
	add_headers(res, asset);
	if (rt_request_has_tag(req, asset->etag)) {
		res->status = 304;
		return RT_OK;
	}
	return rt_respond_bytes(ctx, res, 200, asset->type, asset->bytes, asset->length, false);
}

int main(int argc, char **argv)
{
	return rt_main_http(argc, argv, serve_page);
}
