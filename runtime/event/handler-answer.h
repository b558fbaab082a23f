/* The answer of a handler: its line of JSON, or the frame in which a body comes apart from it
 * (runtime/process/process-lines.h). Internal to the handler loop. */
#ifndef RT_HANDLER_ANSWER_H
#define RT_HANDLER_ANSWER_H

#include "runtime/buffer.h"
#include "runtime/event/handler-lines.h"

struct rt_answer {
	const struct rt_line *event; /* its tag comes back; NULL: the only event, without tag */
	struct rt_buffer json;
	const char *body; /* NULL: the JSON has the body, if any */
	size_t body_length;
};

void rt_answer_init(struct rt_answer *answer, struct rt_ctx *ctx, const struct rt_line *event);

/* Whether the body may come apart from the JSON. */
bool rt_answer_is_framed(const struct rt_answer *answer);

/* Writes the whole answer to the descriptor. False when no reader is left. */
bool rt_answer_write(const struct rt_answer *answer, int out);

#endif
