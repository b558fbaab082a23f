#include "tests/support/dnsd-reply.h"

#include <stdio.h>
#include <string.h>

enum {
	HEADER_BYTES = 12,
	UDP_BYTES_DEFAULT = 512,
	OPT_BYTES = 11,
	QNAME_POINTER = 0xc000 | HEADER_BYTES,
	RCODE_FORMERR = 1, /* answered without OPT, as by a server that does not know EDNS */
	RCODE_NXDOMAIN = 3,
	GARBAGE_BYTES = 40,
};

static uint16_t read16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static void write16(uint8_t *at, size_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static bool read_name(const uint8_t *message, size_t length, size_t *at, uint8_t name[])
{
	size_t used = 0;

	while (*at < length && message[*at] != 0 && message[*at] <= 63) {
		size_t label = message[*at] + 1U;

		if (*at + label > length || used + label > ZONE_NAME_MAX - 1)
			return false;
		for (size_t i = 0; i < label; i++) {
			uint8_t c = message[*at + i];

			name[used++] = c >= 'A' && c <= 'Z' ? (uint8_t)(c | 0x20) : c;
		}
		*at += label;
	}
	name[used] = 0;
	return *at < length && message[(*at)++] == 0;
}

bool query_read(const uint8_t *message, size_t length, struct query *query)
{
	size_t at = HEADER_BYTES;

	if (length < HEADER_BYTES || (message[2] & 0x80) != 0 || read16(message + 4) != 1)
		return false;
	if (!read_name(message, length, &at, query->name) || at + 4 > length)
		return false;
	query->type = read16(message + at);
	query->question_end = at + 4;
	at = query->question_end;
	query->edns = read16(message + 10) > 0 && at + OPT_BYTES <= length && message[at] == 0 &&
		read16(message + at + 1) == TYPE_OPT;
	query->udp_bytes = query->edns ? read16(message + at + 3) : UDP_BYTES_DEFAULT;
	if (query->udp_bytes < UDP_BYTES_DEFAULT)
		query->udp_bytes = UDP_BYTES_DEFAULT;
	return true;
}

static void put(struct reply *reply, const void *bytes, size_t length)
{
	if (length > MESSAGE_MAX - OPT_BYTES - reply->length)
		return; /* the script asks for more than a message can hold */
	memcpy(reply->bytes + reply->length, bytes, length);
	reply->length += length;
}

static void put16(struct reply *reply, size_t value)
{
	uint8_t bytes[2];

	write16(bytes, value);
	put(reply, bytes, sizeof bytes);
}

static void count_up(struct reply *reply, size_t section_offset)
{
	write16(reply->bytes + section_offset, read16(reply->bytes + section_offset) + 1U);
}

/* Writes the part of a record after the owner's name; returns the offset of the data. */
static size_t put_record(struct reply *reply, const struct zone_record *record)
{
	put16(reply, record->type);
	put16(reply, 1);
	put16(reply, record->ttl_s >> 16);
	put16(reply, record->ttl_s & 0xffff);
	put16(reply, record->length);
	put(reply, record->data, record->length);
	return reply->length - record->length;
}

static const struct zone_record *first_of(const struct zone_node *node, uint16_t type)
{
	const struct zone_record *record = node->records;

	while (record != NULL && record->type != type)
		record = record->next;
	return record;
}

/* The records at the end of the CNAME chain, with the chain. Sets name to its end; false when there
 * is no such name. A name that has the asked type beside a CNAME, as zones must not, is that of a
 * server that answers each type as it likes. */
static bool put_answer(
	struct zone *zone, const struct query *query, uint8_t name[], struct reply *reply)
{
	struct zone_node *node = zone_find(zone, name);
	size_t owner = QNAME_POINTER;

	for (int hops = 0; node != NULL && hops < REPLY_CHAIN_MAX; hops++) {
		const struct zone_record *alias = first_of(node, TYPE_CNAME);

		if (alias == NULL || first_of(node, query->type) != NULL)
			break;
		put16(reply, owner);
		owner = 0xc000 | put_record(reply, alias);
		count_up(reply, 6);
		memcpy(name, alias->data, alias->length);
		for (size_t i = 0; i < alias->length; i++)
			if (name[i] >= 'A' && name[i] <= 'Z')
				name[i] |= 0x20;
		node = zone_find(zone, name);
	}
	for (const struct zone_record *r = node != NULL ? node->records : NULL; r != NULL;
		r = r->next)
		if (r->type == query->type) {
			put16(reply, owner);
			put_record(reply, r);
			count_up(reply, 6);
		}
	return node != NULL;
}

static void put_soa(struct zone *zone, const uint8_t *name, struct reply *reply)
{
	const uint8_t *apex;
	const struct zone_record *soa = zone_soa(zone, name, &apex);

	if (soa == NULL)
		return;
	put(reply, apex, wire_length(apex));
	put_record(reply, soa);
	count_up(reply, 8);
}

static void put_opt(struct reply *reply)
{
	static const uint8_t opt[OPT_BYTES] = {0, 0, TYPE_OPT, 0x04, 0xd0}; /* 1232 */

	memcpy(reply->bytes + reply->length, opt, sizeof opt);
	reply->length += sizeof opt;
	count_up(reply, 10);
}

static void put_header(const uint8_t *message, const struct query *query, struct reply *reply)
{
	put(reply, message, query->question_end);
	/* sets QR, and RD as in the question */
	reply->bytes[2] = (uint8_t)(0x80 | (message[2] & 0x01));
	reply->bytes[3] = 0x80; /* RA */
	memset(reply->bytes + 6, 0, 6);
}

/* Announces three answers, followed by octets that are not answers. */
static void put_garbage(struct reply *reply)
{
	uint8_t garbage[GARBAGE_BYTES];

	for (size_t i = 0; i < sizeof garbage; i++)
		garbage[i] = (uint8_t)(0xff - i * 7);
	put(reply, garbage, sizeof garbage);
	write16(reply->bytes + 6, 3);
}

static void put_data(
	struct zone *zone, const struct query *query, bool no_data, struct reply *reply)
{
	uint8_t name[ZONE_NAME_MAX];

	memcpy(name, query->name, sizeof name);
	if (!no_data && !put_answer(zone, query, name, reply))
		reply->bytes[3] |= RCODE_NXDOMAIN;
	if (no_data || zone_find(zone, name) == NULL ||
		first_of(zone_find(zone, name), query->type) == NULL)
		put_soa(zone, name, reply);
}

/* The response code for this answer: that of !once= if it was not used yet, else the permanent
 * one. */
static int play_rcode(struct zone_behavior *behavior)
{
	int rcode = behavior->rcode;

	if (behavior->once_rcode != ZONE_RCODE_NONE) {
		rcode = behavior->once_rcode;
		behavior->once_rcode = ZONE_RCODE_NONE;
	}
	return rcode;
}

/* Cuts a reply that is too long down to its question, and sets TC. */
static void truncate_for_udp(const struct query *query, bool forced, struct reply *reply)
{
	size_t room = query->udp_bytes - (query->edns ? OPT_BYTES : 0);

	if (!forced && reply->length <= room)
		return;
	reply->length = query->question_end;
	memset(reply->bytes + 6, 0, 6);
	reply->bytes[2] |= 0x02;
}

void reply_write(struct zone *zone, const uint8_t *message, const struct query *query, bool tcp,
	struct reply *reply)
{
	static struct zone_behavior none = {
		.rcode = ZONE_RCODE_NONE, .once_rcode = ZONE_RCODE_NONE};
	struct zone_behavior *behavior = zone_behavior(
		zone, zone_find(zone, query->name), query->type);
	int rcode;

	if (behavior == NULL)
		behavior = &none;
	reply->length = 0;
	reply->delay_ms = behavior->delay_ms;
	if (behavior->drop)
		return;
	put_header(message, query, reply);
	rcode = play_rcode(behavior);
	if (behavior->garbage)
		put_garbage(reply);
	else if (rcode != ZONE_RCODE_NONE)
		reply->bytes[3] |= (uint8_t)rcode;
	else
		put_data(zone, query, behavior->no_data, reply);
	if (!tcp)
		truncate_for_udp(query, behavior->truncate, reply);
	if (query->edns && !behavior->garbage && rcode != RCODE_FORMERR)
		put_opt(reply);
	if (behavior->wrong_id)
		reply->bytes[0] ^= 0xff;
}

size_t query_format(const struct query *query, char text[ZONE_NAME_MAX + 32])
{
	const char *type = zone_type_name(query->type);
	char *at = text;

	for (const uint8_t *label = query->name; *label != 0; label += *label + 1) {
		if (at != text)
			*at++ = '.';
		for (size_t i = 1; i <= *label; i++)
			*at++ = label[i] > ' ' && label[i] < 0x7f ? (char)label[i] : '?';
	}
	if (type != NULL)
		at += sprintf(at, " %s\n", type);
	else
		at += sprintf(at, " TYPE%u\n", query->type);
	return (size_t)(at - text);
}
