#include "functions/lib/reports/rows-wire.h"

#include <string.h>

#include "functions/lib/reports/row-auth.h"

enum {
	COUNT_BITS = 53, /* a number in a report has at most this many bits, so that JSON can
			  * represent it */
	/* octets of a row: version and octets of the source, four words, auth, messages */
	ROW_BYTES = 1 + sizeof((struct rt_ip *)0)->bytes + 4 + sizeof(uint32_t) + sizeof(int64_t),
};

void eds_put_count(struct rt_buffer *out, uint64_t count)
{
	eds_put_i64(out, (int64_t)count);
}

uint64_t eds_get_number(struct eds_wire *wire)
{
	int64_t count = eds_get_i64(wire);

	if (count >= 0 && count >> COUNT_BITS == 0)
		return (uint64_t)count;
	wire->bad = true;
	return 0;
}

/* Writes a decoded auth in the form that the child makes. */
static void put_auth(struct rt_buffer *out, const struct eds_report_auth *auth)
{
	struct eds_row_auth gathered;

	eds_row_auth_init(&gathered);
	eds_row_auth_text(&gathered, EDS_AUTH_HEADER_FROM, auth->header_from);
	eds_row_auth_text(&gathered, EDS_AUTH_ENVELOPE_FROM, auth->envelope_from);
	eds_row_auth_text(&gathered, EDS_AUTH_ENVELOPE_TO, auth->envelope_to);
	for (size_t i = 0; i < auth->reason_count; i++)
		eds_row_auth_item(&gathered, EDS_AUTH_REASON, &auth->reasons[i]);
	for (size_t i = 0; i < auth->dkim_count; i++)
		eds_row_auth_item(&gathered, EDS_AUTH_DKIM, &auth->dkim[i]);
	for (size_t i = 0; i < auth->spf_count; i++)
		eds_row_auth_item(&gathered, EDS_AUTH_SPF, &auth->spf[i]);
	gathered.left_out += auth->left_out;
	eds_row_auth_end(&gathered);
	eds_put_bytes(out, gathered.bytes, gathered.length);
}

static void put_auths(struct rt_buffer *out, const struct eds_report *report)
{
	eds_put_u32(out, (uint32_t)report->auth_count);
	for (size_t i = 0; i < report->auth_count && report->auths != NULL; i++)
		put_auth(out, &report->auths[i]);
	for (size_t i = 0; i < report->auth_count && report->auths == NULL; i++)
		eds_put_bytes(out, report->auth_bytes[i].bytes, report->auth_bytes[i].length);
}

static unsigned version_of(const struct rt_ip *source)
{
	if (source->family == AF_INET)
		return 4;
	return source->family == AF_INET6 ? 6 : 0;
}

/* Adds a row in one call, for speed: a report may have two thousand. */
static void put_row(struct rt_buffer *out, const struct eds_report_row *row)
{
	const uint8_t words[] = {(uint8_t)row->disposition, (uint8_t)row->dkim, (uint8_t)row->spf,
		(uint8_t)row->class};
	const int64_t messages = (int64_t)row->messages;
	char *room = rt_buffer_room(out, ROW_BYTES);

	if (room == NULL)
		return;
	*room++ = (char)version_of(&row->source);
	memcpy(room, row->source.bytes, sizeof row->source.bytes);
	room += sizeof row->source.bytes;
	memcpy(room, words, sizeof words);
	room += sizeof words;
	memcpy(room, &row->auth, sizeof row->auth);
	memcpy(room + sizeof row->auth, &messages, sizeof messages);
	rt_buffer_used(out, ROW_BYTES);
}

void eds_put_rows(struct rt_buffer *out, const struct eds_report *report)
{
	eds_put_count(out, report->records);
	eds_put_count(out, report->messages);
	eds_put_count(out, report->passed);
	eds_put_count(out, report->forwarded);
	eds_put_count(out, report->records_of_other_rows);
	eds_put_count(out, report->messages_of_other_rows);
	put_auths(out, report);
	eds_put_u32(out, (uint32_t)report->row_count);
	for (size_t i = 0; i < report->row_count; i++)
		put_row(out, &report->rows[i]);
}

static struct rt_ip get_source(struct eds_wire *wire)
{
	struct rt_ip ip = {.family = 0};
	unsigned version = eds_get_enum(wire, 6);

	if (version != 0 && version != 4 && version != 6)
		wire->bad = true;
	ip.family = version == 4 ? AF_INET : version == 6 ? AF_INET6 : 0;
	eds_get_octets(wire, ip.bytes, sizeof ip.bytes);
	return ip;
}

static void get_auths(struct rt_ctx *ctx, struct eds_wire *wire, struct eds_report *report)
{
	struct eds_report_auth *auths;

	report->auth_count = eds_get_count(wire, EDS_REPORT_ROWS_MAX);
	report->auths = auths = rt_alloc_array(ctx, report->auth_count, sizeof *auths);
	for (size_t i = 0; i < report->auth_count; i++) {
		uint32_t length = eds_get_count(wire, EDS_REPORT_AUTH_BYTES_MAX);
		struct eds_wire one;

		if (wire->bad || (size_t)(wire->end - wire->at) < length) {
			wire->bad = true;
			return;
		}
		one = (struct eds_wire){.at = wire->at, .end = wire->at + length};
		wire->at += length;
		eds_row_auth_get(ctx, &one, &auths[i]);
		wire->bad = one.bad;
	}
}

static void get_row(struct eds_wire *wire, struct eds_report_row *row, size_t auth_count)
{
	row->source = get_source(wire);
	row->disposition = (enum eds_report_disposition)eds_get_enum(wire, EDS_DISPOSITIONS - 1);
	row->dkim = (enum eds_report_alignment)eds_get_enum(wire, EDS_ALIGNMENTS - 1);
	row->spf = (enum eds_report_alignment)eds_get_enum(wire, EDS_ALIGNMENTS - 1);
	row->class = (enum eds_report_class)eds_get_enum(wire, EDS_CLASSES - 1);
	row->auth = eds_get_u32(wire);
	row->messages = eds_get_number(wire);
	if (row->auth >= auth_count)
		wire->bad = true;
}

/* The sums must agree, because the child may have been taken over by the mail. */
void eds_get_rows(struct rt_ctx *ctx, struct eds_wire *wire, struct eds_report *report)
{
	struct eds_report_row *rows;
	uint64_t messages;

	report->records = eds_get_number(wire);
	report->messages = eds_get_number(wire);
	report->passed = eds_get_number(wire);
	report->forwarded = eds_get_number(wire);
	report->records_of_other_rows = eds_get_number(wire);
	report->messages_of_other_rows = messages = eds_get_number(wire);
	get_auths(ctx, wire, report);
	report->row_count = eds_get_count(wire, EDS_REPORT_ROWS_MAX);
	report->rows = rows = rt_alloc_array(ctx, report->row_count, sizeof *rows);
	for (size_t i = 0; i < report->row_count; i++) {
		get_row(wire, &rows[i], report->auth_count);
		messages += rows[i].messages;
	}
	if (messages != report->messages || report->passed > report->messages ||
		report->forwarded > report->messages - report->passed ||
		report->row_count + report->records_of_other_rows > report->records)
		wire->bad = true;
}
