/* Reads signing and sending domains in the form of store/reports/report-rows.h. */
#ifndef EDS_REPORTS_SOURCE_WORDS_H
#define EDS_REPORTS_SOURCE_WORDS_H

#include "runtime/ctx.h"

struct report_word {
	bool is_spf; /* else DKIM */
	bool passed;
	const char *domain;
};

/* The domain in From; NULL if unknown. */
const char *report_word_from(struct rt_ctx *ctx, const char *auth);

/* Give the position of the first word after From, and read the next word; false past the last. */
const char *report_word_first(const char *auth);
bool report_word_read(struct rt_ctx *ctx, const char **at, struct report_word *word);

#endif
