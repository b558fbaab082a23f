#include "functions/tester/display-name.h"

#include <ctype.h>
#include <string.h>

#include "functions/lib/mail/domain.h"
#include "functions/lib/shape/encoded-words.h"

static bool is_of_domain(char c)
{
	return isalnum((unsigned char)c) || c == '.' || c == '-';
}

/* The display name: all text of From before the last angle bracket. */
static const char *display_name(struct rt_ctx *ctx, const struct eds_header *header)
{
	const struct eds_field *field = eds_header_find(header, "From", 0);
	char *text = field == NULL ? NULL : eds_field_text(ctx, field);
	char *open = text == NULL ? NULL : strrchr(text, '<');

	if (open == NULL)
		return NULL;
	*open = '\0';
	return eds_encoded_words(ctx, text);
}

const char *display_name_domain(struct rt_ctx *ctx, const struct eds_header *header)
{
	const char *name = display_name(ctx, header);

	for (const char *at = name; at != NULL && (at = strchr(at, '@')) != NULL; at++) {
		size_t length = 0;
		const char *domain;

		while (is_of_domain(at[1 + length]))
			length++;
		/* a dot at the end belongs to the sentence, not to the domain */
		while (length > 0 && at[length] == '.')
			length--;
		domain = eds_domain_normalize(ctx, at + 1, length);
		if (at > name && isgraph((unsigned char)at[-1]) && domain != NULL &&
			strchr(domain, '.') != NULL)
			return domain;
	}
	return NULL;
}
