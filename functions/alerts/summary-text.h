/* The weekly summary (summary-json.h) as the text of a mail. */
#ifndef ALERTS_SUMMARY_TEXT_H
#define ALERTS_SUMMARY_TEXT_H

#include <jansson.h>

#include "runtime/buffer.h"

/* "12 domains: the week", or "example.com: the week" for a single domain. */
const char *alert_summary_subject(struct rt_ctx *ctx, const json_t *data);

/* Writes lines, each with LF. Leaves out what is missing in data. */
void alert_summary_write(struct rt_ctx *ctx, struct rt_buffer *body, const json_t *data);

#endif
