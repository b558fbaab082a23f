/* Cuts and converts the texts of a report for a result: see the maxima in report.h. */
#ifndef EDS_REPORTS_TEXT_H
#define EDS_REPORTS_TEXT_H

#include "functions/lib/reports/report.h"
#include "runtime/ctx.h"

/* The text without the white space around it; *length shrinks. */
const char *eds_text_trim(const char *text, size_t *length);
/* Equal without regard to case (ASCII). */
bool eds_text_is(const char *text, const char *word);

/* Copies into the memory of ctx, cut after a whole character. */
const char *eds_text_cut(struct rt_ctx *ctx, const char *text, size_t length);
/* A report id: one too long ends with "…" and a digest of the whole. */
const char *eds_text_id(struct rt_ctx *ctx, const char *text, size_t length);
/* Lower case; "" when it is longer than EDS_REPORT_WORD_MAX. */
const char *eds_text_word(struct rt_ctx *ctx, const char *text, size_t length);

/* Copies the whole text, or "" when it is longer than max. target has max + 1 octets. */
void eds_text_whole(const char *text, size_t length, char *target, size_t max);
/* The same in lower case. */
void eds_text_lower(const char *text, size_t length, char *target, size_t max);
/* The same, but cuts a longer text after a whole character. */
void eds_text_begin(const char *text, size_t length, char *target, size_t max);
/* Lower case and without the trailing dot, or "". */
void eds_text_domain(const char *text, size_t length, char target[EDS_REPORT_DOMAIN_MAX + 1]);

/* Only digits, 2^53 - 1 at most; else 0. */
uint64_t eds_text_number(const char *text);
/* Seconds up to the year 9999, else 0. */
int64_t eds_text_epoch(const char *text);
/* 0 to 100, else -1. */
int eds_text_percent(const char *text);

#endif
