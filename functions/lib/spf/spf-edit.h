/* Published SPF records with a change in them that takes nothing from anybody. */
#ifndef EDS_SPF_EDIT_H
#define EDS_SPF_EDIT_H

#include "functions/lib/spf/spf.h"

/* The record with ~all at its end, in place of ?all or of no all; NULL when it ends otherwise, goes
 * on by redirect, cannot be read or is not printable ASCII. A server that no term names then
 * softfails where it was neutral: neither is a pass. */
const char *eds_spf_record_end(struct rt_ctx *ctx, const char *record);

/* The SPF records of an answer as one, since several count as an error: all terms, each once. NULL
 * when that is not certain: they end differently, one cannot be read or has modifiers, or the
 * whole is too long. */
const char *eds_spf_records_join(struct rt_ctx *ctx, const struct eds_dns_answer *answer);

#endif
