#include "functions/lib/store/reports/report-pack.h"

#include <string.h>

#include "functions/lib/store/transaction.h"
#include "runtime/buffer.h"
#include "runtime/text/decimal.h"

/* The numbers of dispositions and classes are those of functions/lib/reports. A class that this
 * release does not know, or a disposition above OUTCOMES_MAX, is treated as damage. */
enum {
	OUTCOMES_MAX = 9,
	CLASSES = 3,
	/* room for a row's numbers, each with a space */
	NUMBERS_BYTES_MAX = 4 * (RT_DECIMAL_MAX + 1),
};

/* What identifies a sum: rows that agree in these members are added up. */
struct cell {
	uint32_t source;
	uint32_t auth;
	uint32_t disposition;
	uint32_t class;
};

int64_t eds_pack_plus(int64_t sum, int64_t messages)
{
	return sum > INT64_MAX - messages ? INT64_MAX : sum + messages;
}

void eds_pack_open(struct rt_ctx *ctx, struct eds_pack *pack, const char *text)
{
	size_t room = 0;

	*pack = (struct eds_pack){.at = text};
	while (*pack->at != '\0' && *pack->at != '\n') {
		size_t length = strcspn(pack->at, "\n");

		pack->auths = rt_grow(
			ctx, pack->auths, pack->auth_count, &room, sizeof *pack->auths);
		pack->auths[pack->auth_count++] = (struct eds_tally_name){pack->at, length};
		pack->at += length;
		pack->at += *pack->at == '\n';
	}
	pack->at += *pack->at == '\n';
}

/* Reads a number and the space after it. */
static bool read_number(const char **at, int64_t max, int64_t *number)
{
	const char *start = *at;

	for (*number = 0; **at >= '0' && **at <= '9'; (*at)++) {
		int digit = **at - '0';

		if (digit > max || *number > (max - digit) / 10)
			return false;
		*number = *number * 10 + digit;
	}
	return *at > start && *(*at)++ == ' ';
}

bool eds_pack_next(struct eds_pack *pack, struct eds_pack_row *row)
{
	const char *at = pack->at;
	int64_t disposition;
	int64_t class;
	int64_t auth;

	if (pack->auths == NULL)
		return false;
	if (!read_number(&at, OUTCOMES_MAX, &disposition) ||
		!read_number(&at, CLASSES - 1, &class) ||
		!read_number(&at, (int64_t)pack->auth_count - 1, &auth) ||
		!read_number(&at, INT64_MAX, &row->messages))
		return false;
	row->disposition = (int)disposition;
	row->class = (int)class;
	row->auth = (size_t)auth;
	row->source = at;
	row->source_length = strcspn(at, "\n");
	pack->at = at + row->source_length;
	pack->at += *pack->at == '\n';
	return true;
}

void eds_pack_sums_init(struct rt_ctx *ctx, struct eds_pack_sums *sums)
{
	memset(sums, 0, sizeof *sums);
	sums->ctx = ctx;
	eds_tally_init(&sums->sources, ctx);
	eds_tally_init(&sums->auths, ctx);
	eds_tally_init(&sums->cells, ctx);
}

/* The number of an auth (a combination of signing and sending domains) in sums->auths. The rows of
 * a text share the octets of a few auths, so most auths are found by the pointer to their
 * octets. */
static uint32_t auth_number(struct eds_pack_sums *sums, const struct eds_tally_name *auth)
{
	struct eds_pack_recent *recent =
		&sums->recent[((uintptr_t)auth->bytes >> 4) % EDS_PACK_RECENT];

	if (recent->auth.bytes != auth->bytes || recent->auth.length != auth->length) {
		recent->auth = *auth;
		recent->number = (uint32_t)eds_tally_add(&sums->auths, auth->bytes, auth->length);
	}
	return recent->number;
}

void eds_pack_sums_add(struct eds_pack_sums *sums, const struct eds_pack_row *row,
	const struct eds_tally_name *auth)
{
	const struct cell cell = {
		.source = (uint32_t)eds_tally_add(&sums->sources, row->source, row->source_length),
		.auth = auth_number(sums, auth),
		.disposition = (uint32_t)row->disposition,
		.class = (uint32_t)row->class,
	};
	size_t count = sums->cells.count;
	size_t number = eds_tally_add(&sums->cells, &cell, sizeof cell);

	if (number == count)
		sums->messages = rt_grow(
			sums->ctx, sums->messages, count, &sums->room, sizeof *sums->messages);
	sums->messages[number] = number == count
		? row->messages
		: eds_pack_plus(sums->messages[number], row->messages);
}

void eds_pack_sums_add_all(struct rt_ctx *ctx, struct eds_pack_sums *sums, const char *text)
{
	struct eds_pack pack;
	struct eds_pack_row row;

	eds_pack_open(ctx, &pack, text);
	while (eds_pack_next(&pack, &row))
		eds_pack_sums_add(sums, &row, &pack.auths[row.auth]);
}

static char *put_number(char *at, int64_t number)
{
	char digits[RT_DECIMAL_MAX];
	const char *start = rt_decimal_signed(digits + sizeof digits, number);
	size_t length = (size_t)(digits + sizeof digits - start);

	memcpy(at, start, length);
	at[length] = ' ';
	return at + length + 1;
}

/* Adds a row to the buffer in one piece. This is faster than adding its parts, and a day has many
 * rows. */
static void put_row(struct rt_buffer *out, const struct cell *cell, int64_t messages,
	const struct eds_tally_name *source)
{
	char *room = rt_buffer_room(out, NUMBERS_BYTES_MAX + source->length + 1);
	char *at = room;

	if (room == NULL)
		return;
	at = put_number(at, cell->disposition);
	at = put_number(at, cell->class);
	at = put_number(at, cell->auth);
	at = put_number(at, messages);
	memcpy(at, source->bytes, source->length);
	at[source->length] = '\n';
	rt_buffer_used(out, (size_t)(at - room) + source->length + 1);
}

const char *eds_pack_sums_text(struct eds_pack_sums *sums)
{
	struct rt_buffer out;

	rt_buffer_init(&out, sums->ctx, EDS_PACK_BYTES_MAX);
	for (size_t i = 0; i < sums->auths.count; i++) {
		rt_buffer_add(&out, sums->auths.names[i].bytes, sums->auths.names[i].length);
		rt_buffer_add(&out, "\n", 1);
	}
	rt_buffer_add(&out, "\n", 1);
	for (size_t i = 0; i < sums->cells.count; i++) {
		struct cell cell;

		memcpy(&cell, sums->cells.names[i].bytes, sizeof cell);
		put_row(&out, &cell, sums->messages[i], &sums->sources.names[cell.source]);
	}
	return out.bytes;
}
