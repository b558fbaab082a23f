/* The answer of a handler: a line of JSON, or a frame in which the body of an HTTP answer follows
 * the JSON separately (runtime/process/process-lines.h). Internal to the handler loop. */
#ifndef RT_HANDLER_ANSWER_H
#define RT_HANDLER_ANSWER_H

#include "runtime/buffer.h"
#include "runtime/event/handler-lines.h"

struct rt_answer {
	/* the event that is answered; its tag is put before the answer. NULL: a single event
	 * without a tag */
	const struct rt_line *event;
	struct rt_buffer json;
	const char *body; /* the separate body; NULL: the body, if any, is in the JSON */
	size_t body_length;
};

void rt_answer_init(struct rt_answer *answer, struct rt_ctx *ctx, const struct rt_line *event);

/* True if the body may be separate from the JSON. */
bool rt_answer_is_framed(const struct rt_answer *answer);

/* Writes the whole answer to the descriptor. False when the pipe has no reader any more. */
bool rt_answer_write(const struct rt_answer *answer, int out);

#endif
