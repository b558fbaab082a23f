#include "functions/domains/name-search.h"

#include <string.h>

#include "functions/lib/mail/domain.h"

static bool has_in_u_labels(struct rt_ctx *ctx, const char *name, const void *part)
{
	return strstr(eds_domain_unicode(ctx, name), part) != NULL;
}

/* True if a search in A-labels finds every domain whose name contains the text. An A-label keeps
 * the ASCII characters of its U-label in their order and drops the others (RFC 3492 section 3.1),
 * so the result is true for ASCII text without a dot. */
static bool shows_in_a_labels(const char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char)*text > 127 || *text == '.')
			return false;
	return true;
}

void domain_search(struct rt_ctx *ctx, const char *text, struct eds_domain_query *wanted)
{
	if (text[0] == '\0')
		return;
	wanted->part = rt_lower(ctx, text);
	if (shows_in_a_labels(text))
		return;
	wanted->also = has_in_u_labels;
	wanted->arg = eds_domain_part_unicode(ctx, text);
}
