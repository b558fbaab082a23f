/* Counts messages by selector and day, from the rows of DMARC reports. The counts show how much of
 * the domain's mail each key signs, for example the old and the new key during a rotation. */
#ifndef REPORTS_SELECTORS_READ_H
#define REPORTS_SELECTORS_READ_H

#include <jansson.h>

#include "runtime/ctx.h"

enum {
	REPORT_SELECTORS_MAX = 100, /* maximum number of pairs of domain and selector; further pairs
				     * are left out */
	REPORT_SELECTOR_DAYS_MAX = 92,
};

struct report_selector_day {
	int64_t messages;
	int64_t passed; /* messages in which a signature of the selector passed */
};

struct report_selector {
	const char *domain; /* domain of the signature (d=), in lower case */
	const char *selector;
	int64_t messages; /* messages of all days */
	int64_t passed;
	struct report_selector_day *days;
};

/* Selectors with their messages on day_count days beginning with first_day; in the memory of ctx.
 */
struct report_selectors {
	struct rt_ctx *ctx;
	int64_t first_day; /* the first day, in days since 1970 */
	size_t day_count;
	struct report_selector *items;
	size_t count;
};

void report_selectors_init(struct report_selectors *selectors, struct rt_ctx *ctx,
	int64_t first_day, size_t day_count);

/* Adds the rows of a report, in the form that the API shows (row-json.h). day: the day on which the
 * report's period begins. */
void report_selectors_add(struct report_selectors *selectors, int64_t day, const json_t *rows);

/* Sorts the selectors; those with the most messages come first. */
void report_selectors_sort(struct report_selectors *selectors);

#endif
