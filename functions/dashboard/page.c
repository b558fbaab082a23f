/* dashboard-page: GET /, GET /assets/{file}, GET /docs, GET /problems, GET /openapi.yaml,
 * GET /robots.txt and GET /.well-known/security.txt
 *
 * out   200 with the page, one of its files, the documentation of the API, robots.txt (RFC 9309) or
 *       security.txt (RFC 9116); 304 to If-None-Match. The embedded files are compressed if the
 *       client asks for it
 * err   404 asset-not-found
 *
 * The page shows untrusted text, for example from mail and DNS. Its content security policy
 * therefore lets it load and run only its own files, and images in data: URLs; its scripts cannot
 * turn text into markup at all.
 */
#include <string.h>

#include "functions/dashboard/operator.h"
#include "runtime/event/coding.h"
#include "runtime/event/etag.h"
#include "runtime/event/event-http.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"

enum {
	/* length of the digest in the names that functions/dashboard/embed makes */
	DIGEST_LENGTH = 16,
};

static const char policy[] =
	"default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; "
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
	"require-trusted-types-for 'script'; trusted-types 'none'";

/* The name of the requested file: the parameter of /assets/{file}, else the file that belongs to
 * the path. */
static const char *file_name(const struct rt_request *req)
{
	const char *file = rt_request_param(req, "file");

	if (file != NULL)
		return file;
	if (strcmp(req->path, "/docs") == 0)
		return "docs.html";
	if (strcmp(req->path, "/problems") == 0)
		return "problems.html";
	return strcmp(req->path, "/") == 0 ? "index.html" : req->path + 1;
}

/* True if `file` differs from `lasting` only in its digest. `file` then names the same file of
 * another release: "style-2c26b46b68ffc68f.css" when `lasting` is "style-5feceb66ffc86f38.css". */
static bool is_of_another_release(const char *file, const char *lasting)
{
	const char *digest;
	size_t before;

	if (lasting == NULL || strlen(file) != strlen(lasting))
		return false;
	before = (size_t)(strrchr(lasting, '-') + 1 - lasting);
	digest = file + before;
	return strncmp(file, lasting, before) == 0 &&
		strspn(digest, "0123456789abcdef") == DIGEST_LENGTH &&
		strcmp(digest + DIGEST_LENGTH, lasting + before + DIGEST_LENGTH) == 0;
}

/* Finds a file. During an update, instances of two releases serve the page, and a browser may ask
 * one release for a file of the other. The browser then gets this release's file, since without a
 * file the page would stay empty. */
static const struct dashboard_asset *find_asset(const char *file, bool *lasts)
{
	for (size_t i = 0; i < dashboard_asset_count; i++) {
		const struct dashboard_asset *asset = &dashboard_assets[i];

		*lasts = asset->lasting != NULL && strcmp(asset->lasting, file) == 0;
		if (*lasts || strcmp(asset->name, file) == 0 ||
			is_of_another_release(file, asset->lasting))
			return asset;
	}
	return NULL;
}

static bool asks_for_gzip(const struct rt_request *req)
{
	const char *field = rt_request_header(req, "accept-encoding");

	return field != NULL && rt_coding_gzip_asked(field, strlen(field));
}

/* Sets ETag, caching and the fields that protect the page. Browsers cache a file for good only
 * under a name with its digest. Under any other name they ask each time, and get a 304 if the file
 * is the same, so that after an update no page mixes files of two versions. */
static void add_headers(struct rt_response *res, const char *etag, bool lasts)
{
	rt_response_header(res, "etag", etag);
	rt_response_header(
		res, "cache-control", lasts ? "public, max-age=31536000, immutable" : "no-cache");
	rt_response_header(res, "vary", "Accept-Encoding");
	rt_response_header(res, "content-security-policy", policy);
	rt_response_header(res, "x-content-type-options", "nosniff");
	rt_response_header(res, "referrer-policy", "no-referrer");
	rt_response_header(res, "cross-origin-opener-policy", "same-origin");
	rt_response_header(res, "cross-origin-resource-policy", "same-origin");
	rt_response_header(res, "permissions-policy", "camera=(), geolocation=(), microphone=()");
}

/* Answers with a text made for this request; it is small, so it is not compressed. */
static rt_status respond_made(struct rt_ctx *ctx, const struct rt_request *req,
	struct rt_response *res, const char *type, const char *text, size_t length)
{
	const char *etag = rt_etag(ctx, text, length);

	add_headers(res, etag, false);
	if (!rt_request_has_tag(ctx, req, &etag))
		return rt_respond_bytes(ctx, res, 200, type, text, length, false);
	res->status = 304;
	return RT_OK;
}

static rt_status respond_asset(struct rt_ctx *ctx, const struct rt_request *req,
	struct rt_response *res, const struct dashboard_asset *asset, bool lasts)
{
	bool gzip = asks_for_gzip(req);
	const char *etag = gzip ? asset->gzip_etag : asset->etag;

	add_headers(res, etag, lasts);
	if (rt_request_has_tag(ctx, req, &etag)) {
		res->status = 304;
		return RT_OK;
	}
	if (!gzip)
		return rt_respond_bytes(
			ctx, res, 200, asset->type, asset->bytes, asset->length, false);
	rt_response_header(res, "content-encoding", "gzip");
	return rt_respond_bytes(ctx, res, 200, asset->type, asset->gzip, asset->gzip_length, true);
}

static rt_status serve_page(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	const char *file = file_name(req);
	const char *security = strcmp(file, ".well-known/security.txt") == 0
		? operator_security_txt(ctx)
		: NULL;
	const struct dashboard_asset *asset;
	const char *page;
	size_t length;
	bool lasts;

	if (security != NULL)
		return respond_made(
			ctx, req, res, "text/plain; charset=utf-8", security, strlen(security));
	asset = find_asset(file, &lasts);
	if (asset == NULL)
		return rt_fail(
			ctx, RT_NOT_FOUND, "asset-not-found", "the dashboard has no such file");
	if (strcmp(file, "index.html") != 0 || !operator_changes_page())
		return respond_asset(ctx, req, res, asset, lasts);
	page = operator_page(ctx, asset, &length);
	return respond_made(ctx, req, res, asset->type, page, length);
}

int main(int argc, char **argv)
{
	rt_takes_any_query();
	return rt_main_http(argc, argv, serve_page);
}
