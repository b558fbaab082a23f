/* Cuts and converts the texts of a report to the form that the members of struct eds_report have.
 * The maximum lengths are in report.h. */
#ifndef EDS_REPORTS_TEXT_H
#define EDS_REPORTS_TEXT_H

#include "functions/lib/reports/report.h"
#include "runtime/ctx.h"

/* Returns the text without the white space around it, and sets *length to its new length. */
const char *eds_text_trim(const char *text, size_t *length);
/* True when both texts are equal without regard to the case of ASCII letters. */
bool eds_text_is(const char *text, const char *word);

/* Copies a text into the memory of ctx, cut at EDS_REPORT_TEXT_MAX after a whole character. */
const char *eds_text_cut(struct rt_ctx *ctx, const char *text, size_t length);
/* Copies a report id; one that is too long is cut, and ends with "…" and a digest of the whole. */
const char *eds_text_id(struct rt_ctx *ctx, const char *text, size_t length);
/* Copies a word in lower case; "" when it is longer than EDS_REPORT_WORD_MAX. */
const char *eds_text_word(struct rt_ctx *ctx, const char *text, size_t length);

/* Copies the whole text, or "" when it is longer than max. target has max + 1 octets. */
void eds_text_whole(const char *text, size_t length, char *target, size_t max);
/* Copies the whole text in lower case, or "" when it is longer than max. target has max + 1
 * octets. */
void eds_text_lower(const char *text, size_t length, char *target, size_t max);
/* Copies the text; one longer than max is cut after a whole character. target has max + 1
 * octets. */
void eds_text_begin(const char *text, size_t length, char *target, size_t max);
/* Copies a domain in lower case, without a final dot; "" when it is too long. */
void eds_text_domain(const char *text, size_t length, char target[EDS_REPORT_DOMAIN_MAX + 1]);

/* The value of a text of digits, at most 2^53 - 1; 0 for any other text. */
uint64_t eds_text_number(const char *text);
/* Seconds since 1970, up to the year 9999; 0 for any other text. */
int64_t eds_text_epoch(const char *text);
/* A percentage from 0 to 100; -1 when the text does not begin with a digit or the number is over
 * 100. Digits with other characters after them give 0. */
int eds_text_percent(const char *text);

#endif
