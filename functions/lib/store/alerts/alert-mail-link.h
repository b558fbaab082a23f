/* The links in alert mails: one confirms an address, the other switches an alert off. */
#ifndef EDS_STORE_ALERT_MAIL_LINK_H
#define EDS_STORE_ALERT_MAIL_LINK_H

#include "functions/lib/store/alerts/alert-mail.h"

/* Both functions follow a link. RT_NOT_FOUND "link-not-valid" for a link that is unknown, or to a
 * confirmation that was used or has expired. The link that switches an alert off works any number
 * of times, until the address changes. If `look` is true, they only check the link and change
 * nothing. */
RT_MUST_USE rt_status eds_store_alert_mail_confirm(struct rt_ctx *ctx, struct eds_store *store,
	const char *alert_id, const char *token, bool look);
RT_MUST_USE rt_status eds_store_alert_mail_leave(struct rt_ctx *ctx, struct eds_store *store,
	const char *alert_id, const char *secret, bool look);

#endif
