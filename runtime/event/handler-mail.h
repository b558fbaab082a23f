/* Gives the mails of one event to the function one by one.
 *
 * In an SQS batch each message fails separately, and the answer names the failed ones:
 *
 *     {"batchItemFailures": [{"itemIdentifier": "059f36b4-87a3-44ab-83d2-661975830a7d"}]}
 *
 * The second and later messages of a batch are started only while at least half of the event's time
 * is left: with less time their results would lack DNS answers. Messages that are not started fail
 * with RT_TEMPORARY, and SQS sends them again. Outside SQS a failure fails the whole event.
 */
#ifndef RT_HANDLER_MAIL_H
#define RT_HANDLER_MAIL_H

#include "runtime/event/handler.h"

RT_MUST_USE rt_status rt_handle_mail(struct rt_ctx *ctx, rt_mail_handler handler, int timeout_ms,
	const json_t *event, json_t **answer);

#endif
