#include "functions/lib/sandbox/protocol.h"

#include <string.h>

/* True for the types of records that verification asks for; a question for another type shows a
 * dishonest child. */
static bool type_known(unsigned type)
{
	switch (type) {
	case EDS_DNS_A:
	case EDS_DNS_NS:
	case EDS_DNS_CNAME:
	case EDS_DNS_PTR:
	case EDS_DNS_MX:
	case EDS_DNS_TXT:
	case EDS_DNS_AAAA:
		return true;
	default:
		return false;
	}
}

static enum eds_dns_type get_type(struct eds_wire *wire)
{
	unsigned type = eds_get_u16(wire);

	if (type_known(type))
		return (enum eds_dns_type)type;
	wire->bad = true;
	return EDS_DNS_TXT;
}

static size_t ip_bytes(int family)
{
	return family == AF_INET ? 4 : family == AF_INET6 ? 16 : 0;
}

/* Writes an address: the number of its octets, then the octets. */
static void put_ip(struct rt_buffer *out, const struct rt_ip *ip)
{
	eds_put_u8(out, (unsigned)ip_bytes(ip->family));
	rt_buffer_add(out, ip->bytes, ip_bytes(ip->family));
}

static struct rt_ip get_ip(struct eds_wire *wire)
{
	struct rt_ip ip = {.family = 0};
	unsigned bytes = eds_get_enum(wire, 16);

	if (bytes != 0 && bytes != 4 && bytes != 16)
		wire->bad = true;
	for (unsigned i = 0; i < bytes; i++)
		ip.bytes[i] = eds_get_u8(wire);
	ip.family = bytes == 0 ? 0 : bytes == 4 ? AF_INET : AF_INET6;
	return ip;
}

void eds_put_task(struct rt_buffer *out, const struct eds_verify_task *task)
{
	size_t begin = eds_frame_begin(out, EDS_FRAME_INPUT);

	eds_put_u8(out, task->stages);
	eds_put_u32(out, task->answers);
	eds_put_i64(out, task->message_bytes);
	eds_put_i64(out, task->received_at_ms);
	eds_put_i64(out, task->deadline_ms);
	put_ip(out, &task->client);
	eds_put_text(out, task->helo, EDS_ENVELOPE_TEXT_MAX);
	eds_put_text(out, task->mail_from, EDS_ENVELOPE_TEXT_MAX);
	eds_put_text(out, task->receiver, EDS_ENVELOPE_TEXT_MAX);
	eds_frame_end(out, begin);
}

bool eds_get_task(struct rt_ctx *ctx, struct eds_wire *wire, struct eds_verify_task *task)
{
	task->stages = eds_get_enum(wire, EDS_STAGES);
	task->answers = eds_get_count(wire, EDS_DNS_QUERIES_MAX);
	task->message_bytes = eds_get_i64(wire);
	task->received_at_ms = eds_get_i64(wire);
	task->deadline_ms = eds_get_i64(wire);
	task->client = get_ip(wire);
	task->helo = eds_get_text(ctx, wire, EDS_ENVELOPE_TEXT_MAX);
	task->mail_from = eds_get_text(ctx, wire, EDS_ENVELOPE_TEXT_MAX);
	task->receiver = eds_get_text(ctx, wire, EDS_ENVELOPE_TEXT_MAX);
	return eds_wire_finished(wire) && task->message_bytes >= 0;
}

static void put_record(struct rt_buffer *out, const struct eds_dns_record *record)
{
	put_ip(out, &record->ip);
	eds_put_text(out, record->name, EDS_DNS_NAME_MAX);
	eds_put_u16(out, record->preference);
	eds_put_bytes(out, record->txt, record->txt == NULL ? 0 : record->txt_length);
}

static void get_record(struct rt_ctx *ctx, struct eds_wire *wire, struct eds_dns_record *record)
{
	record->ip = get_ip(wire);
	record->name = eds_get_text(ctx, wire, EDS_DNS_NAME_MAX);
	record->preference = eds_get_u16(wire);
	record->txt = eds_get_bytes(ctx, wire, EDS_DNS_ANSWER_BYTES_MAX, &record->txt_length);
}

void eds_put_answer(struct rt_buffer *out, const struct eds_dns_answer *answer)
{
	size_t begin = eds_frame_begin(out, EDS_FRAME_ANSWER);

	eds_put_text(out, answer->name, EDS_RESULT_TEXT_MAX);
	eds_put_u16(out, answer->type);
	eds_put_u8(out, answer->state);
	eds_put_text(out, answer->reason, EDS_RESULT_TEXT_MAX);
	eds_put_u32(out, answer->ttl_s);
	eds_put_text(out, answer->canonical, EDS_RESULT_TEXT_MAX);
	eds_put_u8(out, answer->aliased);
	eds_put_u32(out, (uint32_t)answer->count);
	for (size_t i = 0; i < answer->count; i++)
		put_record(out, &answer->records[i]);
	eds_frame_end(out, begin);
}

bool eds_get_answer(struct rt_ctx *ctx, struct eds_wire *wire, struct eds_dns_answer *answer)
{
	answer->name = eds_get_text(ctx, wire, EDS_RESULT_TEXT_MAX);
	answer->type = get_type(wire);
	answer->state = (enum eds_dns_state)eds_get_enum(wire, EDS_DNS_TEMPORARY);
	answer->reason = eds_get_text(ctx, wire, EDS_RESULT_TEXT_MAX);
	answer->ttl_s = eds_get_u32(wire);
	answer->canonical = eds_get_text(ctx, wire, EDS_RESULT_TEXT_MAX);
	answer->aliased = eds_get_bool(wire);
	answer->count = eds_get_count(wire, EDS_DNS_RECORDS_MAX);
	answer->records = rt_alloc_array(ctx, answer->count, sizeof *answer->records);
	for (size_t i = 0; i < answer->count && !wire->bad; i++)
		get_record(ctx, wire, &answer->records[i]);
	return eds_wire_finished(wire);
}

void eds_put_question(struct rt_buffer *out, const char *name, enum eds_dns_type type)
{
	size_t begin = eds_frame_begin(out, EDS_FRAME_QUESTION);

	eds_put_u16(out, type);
	eds_put_text(out, name, EDS_DNS_NAME_MAX);
	eds_frame_end(out, begin);
}

bool eds_get_question(struct rt_ctx *ctx, struct eds_wire *wire, struct eds_question *question)
{
	question->type = get_type(wire);
	question->name = eds_get_text(ctx, wire, EDS_DNS_NAME_MAX);
	return eds_wire_finished(wire);
}

void eds_put_done(struct rt_buffer *out)
{
	eds_frame_end(out, eds_frame_begin(out, EDS_FRAME_DONE));
}
