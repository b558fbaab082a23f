#include "functions/lib/auth/action.h"

#include <string.h>

/* In a path, * matches any one segment. A test requires a row for each operation of openapi.yaml
 * under /api/v1 whose method is not GET. */
static const struct {
	const char *method;
	const char *path;
	const char *name;
} ACTIONS[] = {
	{"POST", "/api/v1/domains", "createDomain"},
	{"DELETE", "/api/v1/domains/*", "deleteDomain"},
	{"POST", "/api/v1/domains/*/dkim/selectors", "registerSelector"},
	{"DELETE", "/api/v1/domains/*/dkim/selectors/*", "deleteSelector"},
	{"POST", "/api/v1/domains/*/dkim/selectors/*/check", "checkSelector"},
	{"POST", "/api/v1/domains/*/posture/check", "checkPosture"},
	{"PATCH", "/api/v1/domains/*/mta-sts", "updateMtaSts"},
	{"POST", "/api/v1/domains/*/mta-sts/check", "checkMtaSts"},
	{"POST", "/api/v1/domains/*/reports", "uploadReports"},
	{"PATCH", "/api/v1/domains/*/reporters/*", "decideReporter"},
	{"POST", "/api/v1/domains/*/alerts", "createDomainAlert"},
	{"PATCH", "/api/v1/domains/*/alerts/*", "updateDomainAlert"},
	{"DELETE", "/api/v1/domains/*/alerts/*", "deleteDomainAlert"},
	{"POST", "/api/v1/domains/*/alerts/*/test", "testDomainAlert"},
	{"POST", "/api/v1/domains/*/alerts/*/deliveries/*/send", "sendDomainAlertDelivery"},
	{"POST", "/api/v1/alerts", "createAccountAlert"},
	{"PATCH", "/api/v1/alerts/*", "updateAccountAlert"},
	{"DELETE", "/api/v1/alerts/*", "deleteAccountAlert"},
	{"POST", "/api/v1/alerts/*/test", "testAccountAlert"},
	{"POST", "/api/v1/alerts/*/deliveries/*/send", "sendAccountAlertDelivery"},
	{"POST", "/api/v1/tokens", "createToken"},
	{"DELETE", "/api/v1/tokens/*", "deleteToken"},
};

static bool matches(const char *pattern, const char *path)
{
	while (*pattern != '\0') {
		if (*pattern == '*') {
			pattern++;
			path += strcspn(path, "/");
		} else if (*pattern++ != *path++) {
			return false;
		}
	}
	return *path == '\0';
}

const char *eds_action_name(struct rt_ctx *ctx, const struct rt_request *req)
{
	for (size_t i = 0; i < sizeof ACTIONS / sizeof ACTIONS[0]; i++)
		if (strcmp(ACTIONS[i].method, req->method) == 0 &&
			matches(ACTIONS[i].path, req->path))
			return ACTIONS[i].name;
	return rt_printf(ctx, "%s %s", req->method, req->path);
}
