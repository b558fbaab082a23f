/* Reads the domains that DKIM and SPF checked for the messages of a sum. They are stored as a text
 * of words such as "dkim+example.com" (passed) and "spf-example.com" (failed;
 * functions/lib/store/reports/report-rows.h). */
#ifndef EDS_REPORTS_SOURCE_WORDS_H
#define EDS_REPORTS_SOURCE_WORDS_H

#include "runtime/ctx.h"

struct report_word {
	bool is_spf; /* false: DKIM */
	bool passed;
	const char *domain;
};

/* The domain in From, with which the text begins; NULL if unknown. */
const char *report_word_from(struct rt_ctx *ctx, const char *auth);

/* report_word_first() gives the position of the first word after the domain in From.
 * report_word_read() reads the word at *at and moves *at past it; false after the last word. */
const char *report_word_first(const char *auth);
bool report_word_read(struct rt_ctx *ctx, const char **at, struct report_word *word);

#endif
