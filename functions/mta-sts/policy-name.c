#include "functions/mta-sts/policy-name.h"
#include "functions/lib/store/mta-sts/mta-sts-served.h"

#include <string.h>
#include <strings.h>

#include "functions/lib/mail/domain.h"

#define POLICY_LABEL "mta-sts."

rt_status policy_find(struct rt_ctx *ctx, struct eds_store *store, const char *host,
	struct eds_mta_sts_served *served)
{
	size_t length = strlen(POLICY_LABEL);
	const char *name = "";

	if (strncasecmp(host, POLICY_LABEL, length) == 0)
		name = eds_domain_normalize(ctx, host + length, strlen(host + length));
	return eds_store_mta_sts_served(ctx, store, name != NULL ? name : "", served);
}
