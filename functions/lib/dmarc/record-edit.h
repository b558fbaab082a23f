/* Returns a published record with one change made to it. */
#ifndef EDS_DMARC_RECORD_EDIT_H
#define EDS_DMARC_RECORD_EDIT_H

#include "functions/lib/dmarc/discover.h"
#include "functions/lib/dmarc/dmarc.h"

/* The value of a tag as written in a printable record; NULL without the tag. */
const char *eds_dmarc_tag_value(const char *record, const char *tag, size_t *length);

/* The record with the value of one tag replaced, ready to publish: "…; aspf=s" with tag aspf and
 * value r becomes "…; aspf=r". NULL when the tag is missing or the text is not all printable
 * ASCII. */
const char *eds_dmarc_record_with(
	struct rt_ctx *ctx, const char *record, const char *tag, const char *value);

/* The record without the tags in names, a list that ends with NULL. Returns NULL when the text is
 * not all printable ASCII. */
const char *eds_dmarc_record_without(
	struct rt_ctx *ctx, const char *record, const char *const *names);

/* The record with the address added to rua=, otherwise unchanged; NULL when the text is not all
 * printable ASCII. */
const char *eds_dmarc_record_add_rua(struct rt_ctx *ctx, const char *record, const char *address);

#endif
