#include "functions/lib/reports/sums.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

enum {
	ROW_SLOTS = 2048,
	SIGNATURE_SLOTS = 512,
	NOBODY = 0xffff, /* ends a chain */
};

#define SUM_MAX ((1ULL << 53) - 1)

/* Chained by index: a signature that is displaced leaves its chain. The tables are not cleared, so
 * that no more of them is touched than a report needs. */
struct eds_sums {
	struct rt_ctx *ctx;
	uint64_t records;
	uint64_t messages;
	uint64_t passed;
	uint64_t records_of_other_rows;
	uint64_t messages_of_other_rows;
	uint64_t other_signatures;
	size_t row_count;
	size_t signature_count;
	size_t next_displaced; /* signatures before it have passed */
	uint16_t row_slots[ROW_SLOTS];
	uint16_t row_next[EDS_REPORT_ROWS_MAX];
	uint16_t signature_slots[SIGNATURE_SLOTS];
	uint16_t signature_next[EDS_REPORT_SIGNATURES_MAX];
	struct eds_report_row rows[EDS_REPORT_ROWS_MAX];
	struct eds_report_signature signatures[EDS_REPORT_SIGNATURES_MAX];
};

uint64_t eds_sum(uint64_t a, uint64_t b)
{
	return a > SUM_MAX || b > SUM_MAX - a ? SUM_MAX : a + b;
}

struct eds_sums *eds_sums_new(struct rt_ctx *ctx)
{
	struct eds_sums *sums = rt_arena_alloc_raw(ctx->arena, sizeof *sums);

	memset(sums, 0, offsetof(struct eds_sums, row_slots));
	sums->ctx = ctx;
	memset(sums->row_slots, 0xff, sizeof sums->row_slots);
	memset(sums->signature_slots, 0xff, sizeof sums->signature_slots);
	return sums;
}

/* FNV-1a; only the order of a chain depends on it, and chains of a full table are short enough. */
static uint32_t hash(uint32_t seed, const void *bytes, size_t length)
{
	const uint8_t *octet = bytes;

	for (size_t i = 0; i < length; i++)
		seed = (seed ^ octet[i]) * 16777619U;
	return seed;
}

/* What makes a group stands in front of the count, without a gap. */
static_assert(offsetof(struct eds_report_row, messages) == sizeof(struct rt_ip) + 3 * sizeof(int),
	"a row can be compared octet by octet");

static bool same_row(const struct eds_report_row *a, const struct eds_report_row *b)
{
	return memcmp(a, b, offsetof(struct eds_report_row, messages)) == 0;
}

static uint16_t *row_slot(struct eds_sums *sums, const struct eds_report_row *row)
{
	uint32_t sum = hash(2166136261U, row, offsetof(struct eds_report_row, messages));

	return &sums->row_slots[sum % ROW_SLOTS];
}

static void count_other_row(struct eds_sums *sums, uint64_t messages)
{
	sums->records_of_other_rows++;
	sums->messages_of_other_rows = eds_sum(sums->messages_of_other_rows, messages);
}

static bool passes(const struct eds_report_row *row)
{
	return row->dkim == EDS_ALIGNMENT_PASS || row->spf == EDS_ALIGNMENT_PASS;
}

void eds_sums_row(struct eds_sums *sums, const struct eds_report_row *row)
{
	uint16_t *slot = row_slot(sums, row);
	uint64_t messages = row->messages;
	uint16_t i = *slot;

	if (messages > SUM_MAX - sums->messages)
		messages = SUM_MAX - sums->messages;
	sums->records++;
	sums->messages += messages;
	if (passes(row))
		sums->passed += messages;
	while (i != NOBODY && !same_row(&sums->rows[i], row))
		i = sums->row_next[i];
	if (i != NOBODY) {
		sums->rows[i].messages += messages;
		return;
	}
	if (sums->row_count == EDS_REPORT_ROWS_MAX) {
		count_other_row(sums, messages);
		return;
	}
	i = (uint16_t)sums->row_count++;
	sums->rows[i] = *row;
	sums->rows[i].messages = messages;
	sums->row_next[i] = *slot;
	*slot = i;
}

static uint16_t *signature_slot(struct eds_sums *sums, const char *domain, const char *selector)
{
	uint32_t seed = hash(2166136261U, domain, strlen(domain) + 1);

	return &sums->signature_slots[hash(seed, selector, strlen(selector)) % SIGNATURE_SLOTS];
}

static void take_off_chain(struct eds_sums *sums, uint16_t index)
{
	const struct eds_report_signature *signature = &sums->signatures[index];
	uint16_t *link = signature_slot(sums, signature->domain, signature->selector);

	while (*link != index)
		link = &sums->signature_next[*link];
	*link = sums->signature_next[index];
}

/* One that never passed so far makes room; what was counted of it goes to the others. Each place is
 * looked at once: what has passed stays so. NOBODY when all have. */
static uint16_t displaced(struct eds_sums *sums)
{
	while (sums->next_displaced < EDS_REPORT_SIGNATURES_MAX) {
		uint16_t index = (uint16_t)sums->next_displaced;
		const struct eds_report_signature *signature = &sums->signatures[index];

		sums->next_displaced++;
		if (signature->results[EDS_DKIM_RESULT_PASS] > 0)
			continue;
		for (size_t i = 0; i < EDS_DKIM_RESULTS; i++)
			sums->other_signatures += signature->results[i];
		take_off_chain(sums, index);
		return index;
	}
	return NOBODY;
}

/* A place for a new pair, or NOBODY. */
static uint16_t place(struct eds_sums *sums, enum eds_report_dkim_result result)
{
	if (sums->signature_count < EDS_REPORT_SIGNATURES_MAX)
		return (uint16_t)sums->signature_count++;
	return result == EDS_DKIM_RESULT_PASS ? displaced(sums) : NOBODY;
}

static uint16_t find_signature(
	struct eds_sums *sums, uint16_t slot, const char *domain, const char *selector)
{
	while (slot != NOBODY &&
		(strcmp(sums->signatures[slot].domain, domain) != 0 ||
			strcmp(sums->signatures[slot].selector, selector) != 0))
		slot = sums->signature_next[slot];
	return slot;
}

void eds_sums_signature(struct eds_sums *sums, const char *domain, const char *selector,
	enum eds_report_dkim_result result, uint64_t messages)
{
	uint16_t *slot = signature_slot(sums, domain, selector);
	uint16_t i = find_signature(sums, *slot, domain, selector);

	if (i == NOBODY) {
		i = place(sums, result);
		if (i == NOBODY) {
			sums->other_signatures++;
			return;
		}
		sums->signatures[i] = (struct eds_report_signature){
			.domain = rt_strdup(sums->ctx, domain),
			.selector = rt_strdup(sums->ctx, selector)};
		sums->signature_next[i] = *slot;
		*slot = i;
	}
	sums->signatures[i].results[result]++;
	sums->signatures[i].messages = eds_sum(sums->signatures[i].messages, messages);
	if (result == EDS_DKIM_RESULT_PASS)
		sums->signatures[i].passed = eds_sum(sums->signatures[i].passed, messages);
}

void eds_sums_give(const struct eds_sums *sums, struct eds_report *report)
{
	report->records = sums->records;
	report->messages = sums->messages;
	report->passed = sums->passed;
	report->rows = sums->rows;
	report->row_count = sums->row_count;
	report->records_of_other_rows = sums->records_of_other_rows;
	report->messages_of_other_rows = sums->messages_of_other_rows;
	report->signatures = sums->signatures;
	report->signature_count = sums->signature_count;
	report->other_signatures = sums->other_signatures;
}
