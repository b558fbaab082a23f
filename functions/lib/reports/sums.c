#include "functions/lib/reports/sums.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "functions/lib/reports/rows.h"
#include "runtime/keyed-hash.h"

enum {
	SIGNATURE_SLOTS = 512,
	NOBODY = 0xffff, /* the index that ends a chain */
};

#define SUM_MAX ((1ULL << 53) - 1)

/* The chains of the hash table link signatures by index, so that a displaced signature can leave
 * its chain. The tables are not cleared, so that a report touches only the memory that it needs. */
struct eds_sums {
	struct rt_ctx *ctx;
	struct rt_hash_key key;
	uint64_t records;
	uint64_t messages;
	uint64_t passed;
	uint64_t forwarded;
	uint64_t other_signatures;
	struct eds_rows *rows;
	size_t signature_count;
	size_t next_displaced; /* index of a signature; all signatures with a lower index have
				* passed */
	uint16_t signature_slots[SIGNATURE_SLOTS];
	uint16_t signature_next[EDS_REPORT_SIGNATURES_MAX];
	struct eds_report_signature signatures[EDS_REPORT_SIGNATURES_MAX];
};

uint64_t eds_sum(uint64_t a, uint64_t b)
{
	return a > SUM_MAX || b > SUM_MAX - a ? SUM_MAX : a + b;
}

struct eds_sums *eds_sums_new(struct rt_ctx *ctx)
{
	struct eds_sums *sums = rt_arena_alloc_raw(ctx->arena, sizeof *sums);

	memset(sums, 0, offsetof(struct eds_sums, signature_slots));
	sums->ctx = ctx;
	rt_hash_key_make(&sums->key);
	sums->rows = eds_rows_new(ctx, &sums->key);
	memset(sums->signature_slots, 0xff, sizeof sums->signature_slots);
	return sums;
}

void eds_sums_row(
	struct eds_sums *sums, const struct eds_report_row *row, const char *auth, size_t length)
{
	struct eds_report_row counted = *row;

	if (counted.messages > SUM_MAX - sums->messages)
		counted.messages = SUM_MAX - sums->messages;
	sums->records++;
	sums->messages += counted.messages;
	if (row->class == EDS_CLASS_PASSED)
		sums->passed += counted.messages;
	else if (row->class == EDS_CLASS_FORWARDED)
		sums->forwarded += counted.messages;
	eds_rows_add(sums->rows, &counted, auth, length);
}

static uint16_t *signature_slot(struct eds_sums *sums, const char *domain, const char *selector)
{
	char both[EDS_REPORT_DOMAIN_MAX + 1 + EDS_REPORT_SELECTOR_MAX];
	size_t length = strlen(domain) + 1;
	size_t more = strlen(selector);

	assert(length + more <= sizeof both);
	memcpy(both, domain, length);
	memcpy(both + length, selector, more);
	return &sums->signature_slots[rt_hash(&sums->key, both, length + more) % SIGNATURE_SLOTS];
}

static void take_off_chain(struct eds_sums *sums, uint16_t index)
{
	const struct eds_report_signature *signature = &sums->signatures[index];
	uint16_t *link = signature_slot(sums, signature->domain, signature->selector);

	while (*link != index)
		link = &sums->signature_next[*link];
	*link = sums->signature_next[index];
}

/* Makes room by displacing a signature that has never passed so far, and adds its elements to
 * other_signatures. Each place is examined once, since a signature that has passed keeps its place.
 * NOBODY when all have passed. */
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

/* The index for a new signature: a free one or, if the new signature passed, that of one that is
 * displaced; NOBODY if there is neither. */
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

bool eds_sums_has_records(const struct eds_sums *sums)
{
	return sums->records > 0;
}

void eds_sums_give(const struct eds_sums *sums, struct eds_report *report)
{
	report->records = sums->records;
	report->messages = sums->messages;
	report->passed = sums->passed;
	report->forwarded = sums->forwarded;
	eds_rows_give(sums->rows, report);
	report->signatures = sums->signatures;
	report->signature_count = sums->signature_count;
	report->other_signatures = sums->other_signatures;
}
