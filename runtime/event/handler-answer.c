#include "runtime/event/handler-answer.h"

#include <stdint.h>
#include <sys/uio.h>

#include "runtime/counts.h"
#include "runtime/io.h"

void rt_answer_init(struct rt_answer *answer, struct rt_ctx *ctx, const struct rt_line *event)
{
	*answer = (struct rt_answer){.event = event};
	rt_buffer_init(&answer->json, ctx, SIZE_MAX / 4);
}

bool rt_answer_is_framed(const struct rt_answer *answer)
{
	return answer->event != NULL && answer->event->wants_frame;
}

static void write_head(const struct rt_answer *answer, struct rt_buffer *head)
{
	rt_buffer_text(head, answer->event->tag);
	if (answer->body == NULL)
		return;
	rt_buffer_text(head, "@");
	rt_buffer_integer(head, (int64_t)(answer->json.length + 1 + answer->body_length));
	rt_buffer_text(head, " ");
}

bool rt_answer_write(const struct rt_answer *answer, int out)
{
	const struct rt_line *event = answer->event;
	bool apart = answer->body != NULL;
	struct rt_buffer head;
	struct rt_buffer tail;

	rt_buffer_init(&head, answer->json.ctx, SIZE_MAX / 4);
	rt_buffer_init(&tail, answer->json.ctx, SIZE_MAX / 4);
	if (event != NULL)
		write_head(answer, &head);
	if (event != NULL && event->wants_counts)
		rt_counts_take(&tail);
	rt_buffer_text(&tail, "\n");
	struct iovec parts[] = {
		{head.bytes, head.length},
		{answer->json.bytes, answer->json.length},
		{"\n", apart},
		{(void *)(uintptr_t)answer->body, answer->body_length},
		{tail.bytes, tail.length},
	};
	return rt_write_parts(out, parts, sizeof parts / sizeof parts[0]);
}
