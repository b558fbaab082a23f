#include "functions/lib/sandbox/ahead.h"

#include <string.h>

#include "runtime/config/config.h"

static bool lies_under(const char *name, const char *zone)
{
	size_t length = strlen(name);
	size_t zone_length = zone == NULL ? 0 : strlen(zone);

	return zone_length > 0 && length >= zone_length &&
		strcmp(name + length - zone_length, zone) == 0;
}

static bool secret(const char *name)
{
	for (size_t i = 0; i < RT_DNSBL_KINDS; i++)
		if (lies_under(name, rt_config()->dnsbl[i].zone))
			return true;
	return false;
}

/* Leaves out an answer that does not fit; the child can ask for it. */
static bool put_if_it_fits(struct rt_buffer *out, const struct eds_dns_answer *answer)
{
	size_t before = out->length;

	eds_put_answer(out, answer);
	if (!out->overflow)
		return true;
	out->length = before;
	out->overflow = false;
	return false;
}

static uint32_t put_answers(struct eds_dns *dns, struct rt_buffer *out)
{
	const struct eds_dns_answer *answers[EDS_DNS_QUERIES_MAX];
	size_t count = eds_dns_answers(dns, answers, EDS_DNS_QUERIES_MAX);
	uint32_t sent = 0;

	for (size_t i = 0; i < count; i++)
		if (!secret(answers[i]->name) && put_if_it_fits(out, answers[i]))
			sent++;
	return sent;
}

void eds_put_ahead(struct rt_ctx *ctx, struct eds_dns *dns, const struct eds_verify_input *input,
	unsigned stages, struct rt_buffer *out)
{
	struct eds_verify_task task = {
		.stages = stages,
		.message_bytes = (int64_t)input->message_bytes,
		.received_at_ms = input->received_at_ms,
		.deadline_ms = ctx->deadline_ms,
		.client = input->client,
		.helo = input->helo,
		.mail_from = input->mail_from,
		.receiver = input->receiver,
	};
	struct rt_buffer answers;

	rt_buffer_init(&answers, ctx, EDS_AHEAD_BYTES_MAX);
	task.answers = put_answers(dns, &answers);
	rt_buffer_init(out, ctx, EDS_AHEAD_BYTES_MAX + EDS_FRAME_BYTES_MAX);
	eds_put_task(out, &task);
	rt_buffer_add(out, answers.bytes, answers.length);
}
