/* Parses the forms of an inbound mail event: SES's own record, and S3's notice of a stored message,
 * which names no recipients. Both may be inside SNS or SQS. S3 and SES also send a notice when
 * somebody sets up notifications (rt_mail_item.is_setup). */
#ifndef RT_EVENT_MAIL_H
#define RT_EVENT_MAIL_H

#include "runtime/event/event.h"

RT_MUST_USE rt_status rt_event_mail(
	struct rt_ctx *ctx, const json_t *event, struct rt_mail_item **items, size_t *count);

#endif
