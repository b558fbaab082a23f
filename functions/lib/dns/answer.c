#include "functions/lib/dns/answer.h"

#include <arpa/nameser.h>
#include <netinet/in.h>
#include <string.h>

#include "functions/lib/dns/extended-error.h"
#include "functions/lib/dns/name.h"

enum {
	HEADER_BYTES = 12,
	QUESTION_FIXED_BYTES = 4, /* octets of type and class, after the name of a question */
	RECORD_FIXED_BYTES = 10,  /* octets of type, class, TTL and length, after the owner of a
				   * record */
	SOA_BYTES_MIN = 22,       /* octets of the shortest SOA: two root names and five numbers */
	FLAG_QR = 0x8000,
	FLAG_AA = 0x0400,
	FLAG_TC = 0x0200,
	MASK_OPCODE = 0x7800,
	MASK_RCODE = 0x000f,
};

struct record {
	const uint8_t *owner; /* the owner's name on the wire, perhaps compressed */
	const uint8_t *data;
	uint32_t ttl_s;
	uint16_t type;
	uint16_t klass;
	uint16_t length; /* octets of data */
};

struct reading {
	struct rt_ctx *ctx;
	const uint8_t *bytes;
	const uint8_t *end;
	const uint8_t *at;
	struct record *records; /* records of the answer section */
	size_t count;
	uint8_t current[EDS_DNS_WIRE_MAX]; /* the current name of the CNAME chain */
	struct eds_dns_answer *answer;
};

static uint16_t read16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static uint32_t read32(const uint8_t *at)
{
	return (uint32_t)read16(at) << 16 | read16(at + 2);
}

static void temporary(
	struct eds_dns_answer *answer, enum eds_dns_failure failure, const char *reason)
{
	answer->state = EDS_DNS_TEMPORARY;
	answer->failure = failure;
	answer->reason = reason;
	answer->ttl_s = 0;
	answer->records = NULL;
	answer->count = 0;
}

static bool malformed(struct reading *reading)
{
	temporary(reading->answer, EDS_DNS_MALFORMED, "malformed answer");
	return false;
}

/* Lowers the answer's TTL to ttl_s. A TTL whose top bit is set counts as 0 (RFC 2181 section 8). */
static void bound_ttl(struct eds_dns_answer *answer, uint32_t ttl_s)
{
	if (ttl_s > INT32_MAX)
		ttl_s = 0;
	if (ttl_s < answer->ttl_s)
		answer->ttl_s = ttl_s;
}

/* Returns the number of octets that the name takes up at this place, or -1. glibc's ns_name_unpack
 * stops at pointer loops, so a hostile reply cannot hang us. */
static int unpack(const struct reading *reading, const uint8_t *at, uint8_t wire[EDS_DNS_WIRE_MAX])
{
	return ns_name_unpack(reading->bytes, reading->end, at, wire, EDS_DNS_WIRE_MAX);
}

static bool owned_by_current(const struct reading *reading, const struct record *record)
{
	uint8_t owner[EDS_DNS_WIRE_MAX];

	return unpack(reading, record->owner, owner) > 0 &&
		eds_dns_wire_equal(owner, reading->current);
}

/* Reads a name in the data of a record, from offset on; false unless the name ends where the data
 * end. */
static bool data_name(const struct reading *reading, const struct record *record, uint16_t offset,
	uint8_t wire[EDS_DNS_WIRE_MAX])
{
	return record->length > offset &&
		unpack(reading, record->data + offset, wire) == record->length - offset;
}

static void refused(struct eds_dns_answer *answer, unsigned rcode)
{
	switch (rcode) {
	case ns_r_formerr:
		temporary(answer, EDS_DNS_OTHER_FAILURE, "FORMERR");
		break;
	case ns_r_servfail:
		temporary(answer, EDS_DNS_SERVFAIL, "SERVFAIL");
		break;
	case ns_r_notimpl:
		temporary(answer, EDS_DNS_OTHER_FAILURE, "NOTIMP");
		break;
	case ns_r_refused:
		temporary(answer, EDS_DNS_REFUSED, "REFUSED");
		break;
	default:
		temporary(answer, EDS_DNS_OTHER_FAILURE, "unexpected response code");
	}
}

static bool read_header(struct reading *reading)
{
	uint16_t flags;

	if (reading->end - reading->bytes < HEADER_BYTES)
		return malformed(reading);
	flags = read16(reading->bytes + 2);
	if ((flags & FLAG_QR) == 0 || (flags & MASK_OPCODE) != 0)
		return malformed(reading);
	reading->answer->authoritative = (flags & FLAG_AA) != 0;
	if ((flags & MASK_RCODE) != ns_r_noerror && (flags & MASK_RCODE) != ns_r_nxdomain) {
		refused(reading->answer, flags & MASK_RCODE);
		reading->answer->bogus = (flags & MASK_RCODE) == ns_r_servfail &&
			eds_dns_says_bogus(reading->bytes, (size_t)(reading->end - reading->bytes));
		return false;
	}
	if ((flags & FLAG_TC) != 0) {
		temporary(reading->answer, EDS_DNS_MALFORMED, "truncated answer");
		return false;
	}
	reading->at = reading->bytes + HEADER_BYTES;
	return true;
}

static bool read_question(struct reading *reading)
{
	uint8_t asked[EDS_DNS_WIRE_MAX];
	int used;

	if (read16(reading->bytes + 4) != 1)
		return malformed(reading);
	used = unpack(reading, reading->at, asked);
	if (used < 0 || reading->end - reading->at - used < QUESTION_FIXED_BYTES)
		return malformed(reading);
	reading->at += used;
	if (!eds_dns_wire_equal(asked, reading->current) ||
		read16(reading->at) != reading->answer->type ||
		read16(reading->at + 2) != ns_c_in) {
		temporary(reading->answer, EDS_DNS_MALFORMED, "answer to another question");
		return false;
	}
	reading->at += QUESTION_FIXED_BYTES;
	return true;
}

static bool read_record(struct reading *reading, struct record *record)
{
	const uint8_t *at = reading->at;

	record->owner = at;
	if (ns_name_skip(&at, reading->end) != 0 || reading->end - at < RECORD_FIXED_BYTES)
		return malformed(reading);
	record->type = read16(at);
	record->klass = read16(at + 2);
	record->ttl_s = read32(at + 4);
	record->length = read16(at + 8);
	record->data = at + RECORD_FIXED_BYTES;
	if (reading->end - record->data < record->length)
		return malformed(reading);
	reading->at = record->data + record->length;
	return true;
}

static bool read_answer_section(struct reading *reading)
{
	size_t total = read16(reading->bytes + 6);
	size_t kept = total < EDS_DNS_RECORDS_MAX ? total : EDS_DNS_RECORDS_MAX;
	struct record record;

	reading->records = rt_alloc_array(reading->ctx, kept, sizeof record);
	for (size_t i = 0; i < total; i++) {
		if (!read_record(reading, &record))
			return false;
		if (record.klass == ns_c_in && reading->count < kept)
			reading->records[reading->count++] = record;
	}
	return true;
}

static const struct record *alias_of_current(const struct reading *reading)
{
	for (size_t i = 0; i < reading->count; i++)
		if (reading->records[i].type == EDS_DNS_CNAME &&
			owned_by_current(reading, &reading->records[i]))
			return &reading->records[i];
	return NULL;
}

static bool follow_chain(struct reading *reading)
{
	if (reading->answer->type == EDS_DNS_CNAME)
		return true;
	for (int hops = 0; hops <= EDS_DNS_CHAIN_MAX; hops++) {
		const struct record *alias = alias_of_current(reading);
		char text[EDS_DNS_NAME_MAX + 1];

		if (alias == NULL)
			return true;
		if (!data_name(reading, alias, 0, reading->current))
			return malformed(reading);
		bound_ttl(reading->answer, alias->ttl_s);
		eds_dns_name_from_wire(reading->current, text);
		reading->answer->canonical = rt_strdup(reading->ctx, text);
		reading->answer->aliased = true;
		if (reading->answer->own_name == NULL && !eds_dns_name_is_public(text))
			reading->answer->own_name = reading->answer->canonical;
	}
	temporary(reading->answer, EDS_DNS_MALFORMED, "CNAME chain too long");
	return false;
}

static bool read_address(const struct record *record, struct rt_ip *ip)
{
	struct sockaddr_in6 six = {.sin6_family = AF_INET6};

	if (record->type == EDS_DNS_A && record->length == 4) {
		ip->family = AF_INET;
		memcpy(ip->bytes, record->data, 4);
		return true;
	}
	if (record->type != EDS_DNS_AAAA || record->length != sizeof six.sin6_addr)
		return false;
	memcpy(&six.sin6_addr, record->data, sizeof six.sin6_addr);
	return rt_ip_from_sockaddr((const struct sockaddr *)(const void *)&six, ip);
}

static bool read_target(
	const struct reading *reading, const struct record *record, struct eds_dns_record *out)
{
	uint16_t offset = record->type == EDS_DNS_MX ? sizeof out->preference : 0;
	uint8_t wire[EDS_DNS_WIRE_MAX];
	char text[EDS_DNS_NAME_MAX + 1];

	if (!data_name(reading, record, offset, wire))
		return false;
	if (offset > 0)
		out->preference = read16(record->data);
	eds_dns_name_from_wire(wire, text);
	out->name = rt_strdup(reading->ctx, text);
	return true;
}

/* Joins the one or more character-strings of a TXT record, each preceded by its length (RFC 1035
 * section 3.3.14). */
static bool read_txt(
	const struct reading *reading, const struct record *record, struct eds_dns_record *out)
{
	const uint8_t *at = record->data;
	const uint8_t *end = at + record->length;
	char *joined = rt_alloc(reading->ctx, (size_t)record->length + 1);

	while (at < end) {
		uint8_t length = *at++;

		if (end - at < length)
			return false;
		memcpy(joined + out->txt_length, at, length);
		out->txt_length += length;
		at += length;
	}
	out->txt = joined;
	return record->length > 0;
}

static bool read_data(
	const struct reading *reading, const struct record *record, struct eds_dns_record *out)
{
	switch (reading->answer->type) {
	case EDS_DNS_A:
	case EDS_DNS_AAAA:
		return read_address(record, &out->ip);
	case EDS_DNS_TXT:
		return read_txt(reading, record, out);
	case EDS_DNS_TLSA:
	case EDS_DNS_CAA:
		out->txt = rt_memdup(reading->ctx, record->data, record->length);
		out->txt_length = record->length;
		return true;
	case EDS_DNS_NS:
	case EDS_DNS_CNAME:
	case EDS_DNS_PTR:
	case EDS_DNS_MX:
		return read_target(reading, record, out);
	}
	return false;
}

/* Collects the records of the type asked whose owner is the last name of the CNAME chain. */
static bool collect(struct reading *reading)
{
	struct eds_dns_answer *answer = reading->answer;

	answer->records = rt_alloc_array(reading->ctx, reading->count, sizeof *answer->records);
	for (size_t i = 0; i < reading->count; i++) {
		const struct record *record = &reading->records[i];

		if (record->type != answer->type || !owned_by_current(reading, record))
			continue;
		if (!read_data(reading, record, &answer->records[answer->count]))
			return malformed(reading);
		bound_ttl(answer, record->ttl_s);
		answer->count++;
	}
	return true;
}

/* Reads the authority section of a negative answer. A SOA gives the TTL (RFC 2308 section 5);
 * without one the TTL is 0. NS records without a SOA are a referral (section 2.2), which is not an
 * answer.
 */
static bool read_authority(struct reading *reading)
{
	struct record record;
	bool referred = false;
	bool has_soa = false;

	for (uint16_t left = read16(reading->bytes + 8); left > 0; left--) {
		if (!read_record(reading, &record))
			return false;
		referred = referred || record.type == ns_t_ns;
		if (record.type != ns_t_soa || record.length < SOA_BYTES_MIN)
			continue;
		has_soa = true;
		bound_ttl(reading->answer, record.ttl_s);
		bound_ttl(reading->answer, read32(record.data + record.length - 4)); /* the field
										      * MINIMUM of
										      * the SOA */
	}
	if (!has_soa)
		reading->answer->ttl_s = 0;
	if (referred && !has_soa)
		temporary(reading->answer, EDS_DNS_REFERRAL, "referral");
	return !referred || has_soa;
}

/* The upper bits of the response code are in the OPT record (RFC 6891 section 6.1.3). */
static void read_additional(struct reading *reading)
{
	struct record record;

	for (uint16_t left = read16(reading->bytes + 10); left > 0; left--) {
		if (!read_record(reading, &record))
			return;
		if (record.type == ns_t_opt && record.ttl_s >> 24 != 0) {
			refused(reading->answer, UINT16_MAX);
			return;
		}
	}
}

/* NXDOMAIN is about the name at the end of the chain (RFC 6604 section 3). A server that was asked
 * for a CNAME record may have followed this record; NXDOMAIN is then about the target, and the
 * CNAME record counts as found. */
static void conclude(struct reading *reading)
{
	struct eds_dns_answer *answer = reading->answer;
	bool no_name = (read16(reading->bytes + 2) & MASK_RCODE) == ns_r_nxdomain;

	if (answer->count > 0 && (!no_name || answer->type == EDS_DNS_CNAME)) {
		answer->state = EDS_DNS_FOUND;
		return;
	}
	answer->count = 0;
	answer->state = no_name ? EDS_DNS_NO_NAME : EDS_DNS_NO_DATA;
	if (read_authority(reading))
		read_additional(reading);
}

void eds_dns_answer_read(struct rt_ctx *ctx, const uint8_t *bytes, size_t length, const char *name,
	enum eds_dns_type type, struct eds_dns_answer *answer)
{
	struct reading reading = {
		.ctx = ctx, .bytes = bytes, .end = bytes + length, .answer = answer};

	*answer = (struct eds_dns_answer){
		.name = name, .canonical = name, .type = type, .reason = "", .ttl_s = INT32_MAX};
	if (length > EDS_DNS_ANSWER_BYTES_MAX) {
		malformed(&reading);
		return;
	}
	eds_dns_name_to_wire(name, reading.current);
	if (read_header(&reading) && read_question(&reading) && read_answer_section(&reading) &&
		follow_chain(&reading) && collect(&reading))
		conclude(&reading);
}

size_t eds_dns_answer_memory(const uint8_t *bytes, size_t length, enum eds_dns_type type)
{
	size_t count = length >= HEADER_BYTES ? read16(bytes + 6) : 0;
	size_t each = sizeof(struct record) + sizeof(struct eds_dns_record);

	if (type == EDS_DNS_NS || type == EDS_DNS_PTR || type == EDS_DNS_MX)
		each += EDS_DNS_NAME_MAX + 1;
	if (count > EDS_DNS_RECORDS_MAX)
		count = EDS_DNS_RECORDS_MAX;
	return length + count * each;
}
