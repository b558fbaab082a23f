/* The weekly summary as a mail shows it (summary-json.h). */
#ifndef ALERTS_SUMMARY_TEXT_H
#define ALERTS_SUMMARY_TEXT_H

#include <jansson.h>

#include "runtime/buffer.h"

/* "12 domains: the week", or "example.com: the week" of one alone. */
const char *alert_summary_subject(struct rt_ctx *ctx, const json_t *data);

/* Lines, each with LF. What is missing in data is left out. */
void alert_summary_write(struct rt_ctx *ctx, struct rt_buffer *body, const json_t *data);

#endif
