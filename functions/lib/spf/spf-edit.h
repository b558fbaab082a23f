/* Makes changes to suggest for published SPF records; with none of them does a server lose its
 * pass. */
#ifndef EDS_SPF_EDIT_H
#define EDS_SPF_EDIT_H

#include "functions/lib/spf/spf.h"

/* The record with ~all at its end, in place of ?all or of no such term; NULL when it ends
 * otherwise, has redirect, cannot be parsed or is not printable ASCII. A server that no term names
 * then gets softfail instead of neutral, so no server loses a pass. */
const char *eds_spf_record_end(struct rt_ctx *ctx, const char *record);

/* Joins several SPF records of an answer, which are an error, into one with all terms, each once.
 * NULL when the result is not certain: they end differently, one cannot be parsed or has modifiers,
 * or the whole is too long. */
const char *eds_spf_records_join(struct rt_ctx *ctx, const struct eds_dns_answer *answer);

#endif
