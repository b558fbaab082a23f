#include "functions/reports/sources/source-words.h"

#include <string.h>

enum { MECHANISM_LENGTH = 4 };

const char *report_word_from(struct rt_ctx *ctx, const char *auth)
{
	size_t length = strcspn(auth, " ");

	return strncmp(auth, "-", length) == 0 ? NULL : rt_memdup(ctx, auth, length);
}

const char *report_word_first(const char *auth)
{
	return auth + strcspn(auth, " ");
}

/* Reads "dkim+example.com" or "spf-example.com". */
bool report_word_read(struct rt_ctx *ctx, const char **at, struct report_word *word)
{
	const char *text = *at + strspn(*at, " ");
	size_t length = strcspn(text, " ");
	size_t sign = strcspn(text, "+-");

	*at = text + length;
	if (sign >= length || sign > MECHANISM_LENGTH)
		return false;
	word->is_spf = strncmp(text, "spf", sign) == 0;
	word->passed = text[sign] == '+';
	word->domain = rt_memdup(ctx, text + sign + 1, length - sign - 1);
	return true;
}
