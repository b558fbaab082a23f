#include "functions/lib/store/listing.h"

#include <string.h>

/* Makes a pattern for LIKE, in which ! escapes the characters %, _ and !. */
const char *eds_store_part_pattern(struct rt_ctx *ctx, const char *part)
{
	char *text;
	char *to;

	if (part == NULL)
		return "%";
	to = text = rt_alloc(ctx, 2 * strlen(part) + 3);
	*to++ = '%';
	for (; *part != '\0'; part++) {
		if (strchr("!%_", *part) != NULL)
			*to++ = '!';
		*to++ = *part;
	}
	*to++ = '%';
	*to = '\0';
	return text;
}
