#include "functions/lib/recipient.h"

#include <string.h>
#include <strings.h>

#include "runtime/config/config.h"

enum {
	UUID_LENGTH = 36,
};

static bool looks_like_uuid(const char *text)
{
	return strlen(text) == UUID_LENGTH && text[8] == '-' && text[13] == '-';
}

enum eds_recipient_kind eds_recipient_read(struct rt_ctx *ctx, const char *address, const char **id)
{
	const char *at = strrchr(address, '@');
	bool tester;
	bool reports;

	*id = NULL;
	if (at == NULL)
		return EDS_RECIPIENT_FOREIGN;
	tester = strcasecmp(at + 1, rt_config()->tester_domain) == 0;
	reports = strcasecmp(at + 1, rt_config()->report_domain) == 0;
	*id = rt_lower(ctx, rt_memdup(ctx, address, (size_t)(at - address)));
	if (reports && (!tester || looks_like_uuid(*id)))
		return EDS_RECIPIENT_REPORTS;
	return tester ? EDS_RECIPIENT_TESTER : EDS_RECIPIENT_FOREIGN;
}
