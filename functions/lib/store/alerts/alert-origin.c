#include "functions/lib/store/alerts/alert-origin.h"

#include <string.h>

char *eds_alert_origin(struct rt_ctx *ctx, const char *alert_id)
{
	return rt_printf(ctx, EDS_ALERT_ORIGIN "%s", alert_id);
}

char *eds_alert_receiver(struct rt_ctx *ctx, const char *url)
{
	static const char scheme[] = "https://";

	if (strncmp(url, scheme, sizeof scheme - 1) != 0)
		return rt_strdup(ctx, url);
	url += sizeof scheme - 1;
	return rt_memdup(ctx, url, strcspn(url, "/?#"));
}

const char *eds_alert_of_origin(const char *origin)
{
	bool is_alert = strncmp(origin, EDS_ALERT_ORIGIN, sizeof EDS_ALERT_ORIGIN - 1) == 0;

	return is_alert ? origin + sizeof EDS_ALERT_ORIGIN - 1 : NULL;
}
