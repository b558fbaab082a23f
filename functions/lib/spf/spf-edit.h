/* Corrects SPF records. The corrected records are suggested to the owner of the domain; a server
 * that passes before the correction also passes after it. */
#ifndef EDS_SPF_EDIT_H
#define EDS_SPF_EDIT_H

#include "functions/lib/spf/spf.h"

/* The record with ~all in place of ?all, or with ~all added when it has no term "all". With the new
 * record, a server that no other term names gets softfail instead of neutral, and no server loses a
 * pass. Returns NULL when "all" has another qualifier, when redirect takes the place of "all", or
 * when the record cannot be parsed or is not printable ASCII. */
const char *eds_spf_record_end(struct rt_ctx *ctx, const char *record);

/* Joins several SPF records of one domain, which are an error, into one record that has each of
 * their terms once. NULL when the right result is not certain, because the records end differently,
 * or because one record cannot be parsed or has modifiers. NULL also when the joined record is too
 * long, or when there is no SPF record. */
const char *eds_spf_records_join(struct rt_ctx *ctx, const struct eds_dns_answer *answer);

#endif
