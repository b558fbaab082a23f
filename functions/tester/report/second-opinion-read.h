/* Reads the answer of rspamd, and shows it in the result. */
#ifndef TESTER_SECOND_OPINION_READ_H
#define TESTER_SECOND_OPINION_READ_H

#include "functions/tester/report/second-opinion.h"

/* Reads an answer's body; false when it does not have the form of rspamd's answers. */
bool second_opinion_read(
	struct rt_ctx *ctx, const char *body, size_t length, struct second_opinion *opinion);

/* The opinion as JSON; null when rspamd was not asked. */
json_t *second_opinion_json(struct rt_ctx *ctx, const struct second_opinion *opinion);

#endif
