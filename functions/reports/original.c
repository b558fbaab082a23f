/* reports-original: GET /api/v1/domains/{id}/reports/{reportId}/original
 *
 * out   200 message/rfc822, the mail that brought the report, unchanged, to be saved as a file
 * err   401; 404 domain-not-found, original-not-found
 *
 * The mail is kept for 30 days. Its content is untrusted, so no browser may show it or guess its
 * type.
 */
#include "functions/lib/auth/auth.h"
#include "functions/lib/store/reports/report-original.h"
#include "runtime/event/event-http.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"

static rt_status get_original(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	const char *id = rt_request_param(req, "reportId");
	struct eds_domain domain;
	struct eds_store *store;
	const char *bytes;
	size_t length;

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_auth_domain(ctx, req, store, &domain));
	id = rt_lower(ctx, id != NULL ? id : "");
	RT_TRY(eds_store_report_original_get(ctx, store, &domain, id, &bytes, &length));
	rt_response_header(
		res, "content-disposition", rt_printf(ctx, "attachment; filename=\"%s.eml\"", id));
	rt_response_header(res, "x-content-type-options", "nosniff");
	return rt_respond_bytes(ctx, res, 200, "message/rfc822", bytes, length, true);
}

int main(int argc, char **argv)
{
	return rt_main_http(argc, argv, get_original);
}
