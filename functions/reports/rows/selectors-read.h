/* Messages by selector and day, from the rows of DMARC reports: which key signs how much of the
 * domain's mail, such as the old and the new one while keys are rotated. */
#ifndef REPORTS_SELECTORS_READ_H
#define REPORTS_SELECTORS_READ_H

#include <jansson.h>

#include "runtime/ctx.h"

enum {
	REPORT_SELECTORS_MAX =
		100, /* pairs of domain and selector; rows of further ones are left out */
	REPORT_SELECTOR_DAYS_MAX = 92,
};

struct report_selector_day {
	int64_t messages;
	int64_t passed; /* of these, with a signature of the selector that passed */
};

struct report_selector {
	const char *domain; /* d=, lower case */
	const char *selector;
	int64_t messages; /* of all days */
	int64_t passed;
	struct report_selector_day *days;
};

/* day_count days from first_day on; the lists are in the memory of ctx. */
struct report_selectors {
	struct rt_ctx *ctx;
	int64_t first_day; /* days since 1970 */
	size_t day_count;
	struct report_selector *items;
	size_t count;
};

void report_selectors_init(struct report_selectors *selectors, struct rt_ctx *ctx,
	int64_t first_day, size_t day_count);

/* Adds the rows (row-json.h) of a report whose period begins on the day. */
void report_selectors_add(struct report_selectors *selectors, int64_t day, const json_t *rows);

/* Those with the most messages first. */
void report_selectors_sort(struct report_selectors *selectors);

#endif
