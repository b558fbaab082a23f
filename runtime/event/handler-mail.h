/* The mails of one event, each given to the function by itself.
 *
 * In a batch of SQS each message fails alone, and the answer names those that failed:
 *
 *     {"batchItemFailures": [{"itemIdentifier": "059f36b4-87a3-44ab-83d2-661975830a7d"}]}
 *
 * A later message of a batch is begun while half of the event's time is left for it: judged in a
 * hurry it would get a result without the answers of DNS. It fails as RT_TEMPORARY and comes again.
 * Outside SQS a failure is the whole event's.
 */
#ifndef RT_HANDLER_MAIL_H
#define RT_HANDLER_MAIL_H

#include "runtime/event/handler.h"

RT_MUST_USE rt_status rt_handle_mail(struct rt_ctx *ctx, rt_mail_handler handler, int timeout_ms,
	const json_t *event, json_t **answer);

#endif
