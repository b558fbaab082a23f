/* How the outbox and the audit log name an alert. Only the files of this folder include it. */
#ifndef EDS_STORE_ALERT_ORIGIN_H
#define EDS_STORE_ALERT_ORIGIN_H

#include "runtime/ctx.h"

#define EDS_ALERT_ORIGIN "alert "

/* The name under which the outbox has what is told to an alert, and the alert's id in it; NULL for
 * an origin of another kind. */
char *eds_alert_origin(struct rt_ctx *ctx, const char *alert_id);
const char *eds_alert_of_origin(const char *origin);

/* The host of an address that an alert tells: what is behind it may be a secret. */
char *eds_alert_receiver(struct rt_ctx *ctx, const char *url);

#endif
