/* How the outbox and the audit log name an alert. Only the files of this folder include this
 * header. */
#ifndef EDS_STORE_ALERT_ORIGIN_H
#define EDS_STORE_ALERT_ORIGIN_H

#include "runtime/ctx.h"

#define EDS_ALERT_ORIGIN "alert "

/* Converts an alert's id to the origin of its rows in the outbox, and back; NULL for an origin of
 * another kind. */
char *eds_alert_origin(struct rt_ctx *ctx, const char *alert_id);
const char *eds_alert_of_origin(const char *origin);

/* How the audit log names the receiver: by the host of a webhook's URL, since the rest of the URL
 * may contain a secret; by the whole URL of a mail alert. */
char *eds_alert_receiver(struct rt_ctx *ctx, const char *url);

#endif
