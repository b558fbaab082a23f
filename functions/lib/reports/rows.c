#include "functions/lib/reports/rows.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "functions/lib/reports/sums.h"

enum {
	HELD = 2 * EDS_REPORT_ROWS_MAX, /* maximum number of rows in memory: more than a report
					 * keeps, so that rows that come late can still gather many
					 * messages */
	SLOTS = 2048,
	NOBODY = 0xffff, /* the index that ends a chain */
};

/* The rows while a report is read. The arrays after auth_slots are not initialized, so that
 * a report touches only the memory that it needs. */
struct eds_rows {
	const struct rt_hash_key *key;
	uint64_t records_of_others;
	uint64_t messages_of_others;
	size_t count;
	size_t auth_count;
	size_t auth_bytes; /* octets of the distinct auths, which are in `pool` */
	size_t said_bytes; /* octets of the auths of all rows; an auth is counted once for each row
			    * that has it */
	uint16_t slots[SLOTS];
	uint16_t auth_slots[SLOTS];
	uint16_t next[HELD];
	uint16_t auth_next[HELD];
	uint32_t records[HELD]; /* number of records in each row */
	struct eds_report_row rows[HELD];
	struct eds_report_auth_bytes auths[HELD];
	uint16_t order[HELD]; /* row indexes, those with the most messages first */
	char pool[EDS_REPORT_AUTHS_BYTES_MAX];
};

static void clear_chains(struct eds_rows *rows)
{
	memset(rows->slots, 0xff, sizeof rows->slots);
	memset(rows->auth_slots, 0xff, sizeof rows->auth_slots);
}

struct eds_rows *eds_rows_new(struct rt_ctx *ctx, const struct rt_hash_key *key)
{
	struct eds_rows *rows = rt_arena_alloc_raw(ctx->arena, sizeof *rows);

	memset(rows, 0, offsetof(struct eds_rows, slots));
	clear_chains(rows);
	rows->key = key;
	return rows;
}

/* The members that identify a row come before `messages`, without padding between them, so that
 * they can be compared as octets. */
static_assert(offsetof(struct eds_report_row, messages) ==
		sizeof(struct rt_ip) + 4 * sizeof(int) + sizeof(uint32_t),
	"a row can be compared octet by octet");

static bool same_row(const struct eds_report_row *a, const struct eds_report_row *b)
{
	return memcmp(a, b, offsetof(struct eds_report_row, messages)) == 0;
}

static uint16_t *row_slot(struct eds_rows *rows, const struct eds_report_row *row)
{
	uint64_t hash = rt_hash(rows->key, row, offsetof(struct eds_report_row, messages));

	return &rows->slots[hash % SLOTS];
}

static uint16_t *auth_slot(struct eds_rows *rows, const char *bytes, size_t length)
{
	return &rows->auth_slots[rt_hash(rows->key, bytes, length) % SLOTS];
}

static void count_other(struct eds_rows *rows, uint64_t records, uint64_t messages)
{
	rows->records_of_others += records;
	rows->messages_of_others = eds_sum(rows->messages_of_others, messages);
}

/* True when row a comes before row b: the row with more messages first, then the earlier one. */
static bool goes_before(const struct eds_rows *rows, uint16_t a, uint16_t b)
{
	if (rows->rows[a].messages != rows->rows[b].messages)
		return rows->rows[a].messages > rows->rows[b].messages;
	return a < b;
}

static void merge(struct eds_rows *rows, const uint16_t *from, uint16_t *to, size_t begin,
	size_t middle, size_t end)
{
	size_t left = begin;
	size_t right = middle;

	for (size_t at = begin; at < end; at++) {
		bool takes_left = left < middle &&
			(right >= end || goes_before(rows, from[left], from[right]));

		to[at] = takes_left ? from[left++] : from[right++];
	}
}

/* Sorts the row indexes by number of messages into `order`. The C library's qsort asks the kernel
 * how much memory there is, which the sandbox forbids. */
static void sort(struct eds_rows *rows)
{
	uint16_t other[HELD];
	uint16_t *from = rows->order;
	uint16_t *to = other;

	for (size_t i = 0; i < rows->count; i++)
		rows->order[i] = (uint16_t)i;
	for (size_t run = 1; run < rows->count; run *= 2) {
		uint16_t *sorted = to;

		for (size_t begin = 0; begin < rows->count; begin += 2 * run) {
			size_t middle = begin + run < rows->count ? begin + run : rows->count;
			size_t end = middle + run < rows->count ? middle + run : rows->count;

			merge(rows, from, to, begin, middle, end);
		}
		to = from;
		from = sorted;
	}
	if (from != rows->order)
		memcpy(rows->order, from, rows->count * sizeof *from);
}

static void link_row(struct eds_rows *rows, uint16_t *slot, uint16_t index)
{
	rows->next[index] = *slot;
	*slot = index;
}

static uint16_t add_auth(struct eds_rows *rows, uint16_t *slot, const char *bytes, size_t length)
{
	uint16_t index = (uint16_t)rows->auth_count++;
	char *at = rows->pool + rows->auth_bytes;

	memmove(at, bytes, length);
	rows->auths[index] = (struct eds_report_auth_bytes){at, (uint32_t)length};
	rows->auth_bytes += length;
	rows->auth_next[index] = *slot;
	*slot = index;
	return index;
}

static uint16_t add_auth_again(struct eds_rows *rows, size_t index)
{
	const struct eds_report_auth_bytes auth = rows->auths[index];

	return add_auth(rows, auth_slot(rows, auth.bytes, auth.length), auth.bytes, auth.length);
}

/* Removes the auths that no row uses any more: the others move down and get new indexes. */
static void compact_auths(struct eds_rows *rows)
{
	uint16_t moved[HELD];
	size_t count = rows->auth_count;

	memset(moved, 0xff, count * sizeof *moved);
	for (size_t i = 0; i < rows->count; i++)
		moved[rows->rows[i].auth] = 0;
	rows->auth_count = rows->auth_bytes = 0;
	for (size_t i = 0; i < count; i++)
		if (moved[i] != NOBODY)
			moved[i] = add_auth_again(rows, i);
	for (size_t i = 0; i < rows->count; i++)
		rows->rows[i].auth = moved[rows->rows[i].auth];
}

/* Keeps the rows with the most messages, at most `count` of them and at most bytes_max octets of
 * their auths, in the order in which they came. */
static void keep_heaviest(struct eds_rows *rows, size_t count, size_t bytes_max)
{
	bool kept[HELD] = {false};
	size_t said = 0;
	size_t to = 0;

	sort(rows);
	for (size_t i = 0; i < count && i < rows->count; i++) {
		said += rows->auths[rows->rows[rows->order[i]].auth].length;
		if (said > bytes_max)
			break;
		kept[rows->order[i]] = true;
	}
	rows->said_bytes = 0;
	for (size_t i = 0; i < rows->count; i++) {
		if (!kept[i]) {
			count_other(rows, rows->records[i], rows->rows[i].messages);
			continue;
		}
		rows->said_bytes += rows->auths[rows->rows[i].auth].length;
		rows->records[to] = rows->records[i];
		rows->rows[to++] = rows->rows[i];
	}
	rows->count = to;
	clear_chains(rows);
	compact_auths(rows);
	for (size_t i = 0; i < rows->count; i++)
		link_row(rows, row_slot(rows, &rows->rows[i]), (uint16_t)i);
}

static bool is_auth(const struct eds_rows *rows, uint16_t index, const char *bytes, size_t length)
{
	return rows->auths[index].length == length &&
		memcmp(rows->auths[index].bytes, bytes, length) == 0;
}

static uint16_t find_auth(
	const struct eds_rows *rows, uint16_t index, const char *bytes, size_t length)
{
	while (index != NOBODY && !is_auth(rows, index, bytes, length))
		index = rows->auth_next[index];
	return index;
}

/* The index of an auth (row-auth.h) with these octets; NOBODY if there is none. Compares first with
 * the auth of the last row, which most rows share. */
static uint16_t known_auth(struct eds_rows *rows, const char *bytes, size_t length)
{
	uint16_t last = rows->count > 0 ? (uint16_t)rows->rows[rows->count - 1].auth : NOBODY;

	if (last != NOBODY && is_auth(rows, last, bytes, length))
		return last;
	return find_auth(rows, *auth_slot(rows, bytes, length), bytes, length);
}

static uint16_t find_row(
	const struct eds_rows *rows, uint16_t index, const struct eds_report_row *row)
{
	while (index != NOBODY && !same_row(&rows->rows[index], row))
		index = rows->next[index];
	return index;
}

/* Counts one more record in the row that is equal to it; false when there is no such row. */
static bool count_again(
	struct eds_rows *rows, const uint16_t *slot, const struct eds_report_row *row)
{
	uint16_t i = find_row(rows, *slot, row);

	if (i == NOBODY)
		return false;
	rows->rows[i].messages += row->messages;
	rows->records[i]++;
	return true;
}

static void add_row(struct eds_rows *rows, uint16_t *slot, const struct eds_report_row *row)
{
	rows->records[rows->count] = 1;
	rows->rows[rows->count] = *row;
	link_row(rows, slot, (uint16_t)rows->count++);
}

void eds_rows_add(
	struct eds_rows *rows, const struct eds_report_row *row, const char *auth, size_t length)
{
	struct eds_report_row new = *row;
	uint16_t known = known_auth(rows, auth, length);
	uint16_t *slot = NULL;

	new.auth = known;
	if (known != NOBODY) {
		slot = row_slot(rows, &new);
		if (count_again(rows, slot, &new))
			return;
	}
	if (rows->count == HELD || length > EDS_REPORT_AUTHS_BYTES_MAX - rows->said_bytes) {
		keep_heaviest(rows, HELD / 2, EDS_REPORT_AUTHS_BYTES_MAX / 2);
		known = known_auth(rows, auth, length);
		slot = NULL;
	}
	if (known == NOBODY)
		known = add_auth(rows, auth_slot(rows, auth, length), auth, length);
	new.auth = known;
	rows->said_bytes += length;
	add_row(rows, slot != NULL ? slot : row_slot(rows, &new), &new);
}

/* Puts the rows into their order, in place: a row moves to its position, the row there moves to its
 * own, and so on, so that no second table of rows is needed. */
static void arrange(struct eds_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		struct eds_report_row first = rows->rows[i];
		size_t at = i;

		while (rows->order[at] != NOBODY) {
			size_t from = rows->order[at];

			rows->order[at] = NOBODY;
			rows->rows[at] = from == i ? first : rows->rows[from];
			at = from;
		}
	}
}

void eds_rows_give(struct eds_rows *rows, struct eds_report *report)
{
	if (rows->count > EDS_REPORT_ROWS_MAX)
		keep_heaviest(rows, EDS_REPORT_ROWS_MAX, EDS_REPORT_AUTHS_BYTES_MAX);
	sort(rows);
	arrange(rows);
	report->rows = rows->rows;
	report->row_count = rows->count;
	report->auth_bytes = rows->auths;
	report->auth_count = rows->auth_count;
	report->records_of_other_rows = rows->records_of_others;
	report->messages_of_other_rows = rows->messages_of_others;
}
