/* Reads who signed and who sent, as store/reports/report-rows.h writes it. */
#ifndef EDS_REPORTS_SOURCE_WORDS_H
#define EDS_REPORTS_SOURCE_WORDS_H

#include "runtime/ctx.h"

struct report_word {
	bool is_spf; /* else DKIM */
	bool passed;
	const char *domain;
};

/* The domain in From; NULL when it is not known. */
const char *report_word_from(struct rt_ctx *ctx, const char *auth);

/* Where the words behind it begin, and the next of them; false past the last. */
const char *report_word_first(const char *auth);
bool report_word_read(struct rt_ctx *ctx, const char **at, struct report_word *word);

#endif
