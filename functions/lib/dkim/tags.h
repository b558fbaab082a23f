/* A tag=value list (RFC 6376 section 3.2), read strictly: DKIM-Signature fields and key records.
 *
 *     v=1; a=rsa-sha256; d=example.com; s=s1; h=from:to; bh=…; b=…
 */
#ifndef EDS_DKIM_TAGS_H
#define EDS_DKIM_TAGS_H

#include "runtime/ctx.h"

enum {
	EDS_TAGS_MAX = 64, /* maximum number of tags in one list */
};

struct eds_tag { /* points into the text: name and value have no NUL at their end */
	const char *name;
	size_t name_length;
	const char *value; /* the value without white space around it; it may contain white space
			    * and folding */
	size_t value_length;
};

enum eds_tags_state {
	EDS_TAGS_OK,
	EDS_TAGS_SYNTAX,    /* the text is malformed; `at` is the place of the fault */
	EDS_TAGS_DUPLICATE, /* a tag occurs twice, so the whole list is invalid (section 3.2); `at`
			     * is the second one */
	EDS_TAGS_TOO_MANY,
};

struct eds_tags {
	struct eds_tag items[EDS_TAGS_MAX];
	size_t count; /* tags read before the fault, if there is one */
	size_t at;    /* offset of the fault in the text */
};

RT_MUST_USE enum eds_tags_state eds_tags_read(
	const char *text, size_t length, struct eds_tags *tags);

/* The tag with this name; NULL when there is none. Names are case-sensitive (section 3.2). */
const struct eds_tag *eds_tags_find(const struct eds_tags *tags, const char *name);

/* True when the value is exactly this text. */
bool eds_tag_is(const struct eds_tag *tag, const char *text);

/* A copy of the value as a string; NULL for a NULL tag. */
char *eds_tag_text(struct rt_ctx *ctx, const struct eds_tag *tag);

/* The value without any white space, since base64 and lists may be folded anywhere. */
char *eds_tag_packed(struct rt_ctx *ctx, const struct eds_tag *tag);

/* True when the list ("a:b:c", white space around each) names the item. */
bool eds_tag_lists(struct rt_ctx *ctx, const struct eds_tag *tag, const char *item);

#endif
