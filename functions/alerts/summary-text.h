/* The weekly summary (summary-json.h) as the text of a mail. */
#ifndef ALERTS_SUMMARY_TEXT_H
#define ALERTS_SUMMARY_TEXT_H

#include <jansson.h>

#include "runtime/buffer.h"

/* The subject: "Weekly summary: 12 domains, no errors", or "Weekly summary: errors at 2 of 12
 * domains". */
const char *alert_summary_subject(struct rt_ctx *ctx, const json_t *data);

/* Adds the summary to body as lines that end with LF. A missing number counts as 0. Without the
 * member "mail", the text says that no report has arrived. */
void alert_summary_write(struct rt_ctx *ctx, struct rt_buffer *body, const json_t *data);

#endif
