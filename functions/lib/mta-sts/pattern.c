#include "functions/lib/mta-sts/pattern.h"

#include <string.h>
#include <strings.h>

#include "functions/lib/mail/domain.h"
#include "functions/lib/mail/from.h"

#define DIGITS "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

enum {
	NAME_BYTES_MAX = 253,
	LABEL_BYTES_MAX = 63,
};

static const char *behind_wildcard(const char *pattern)
{
	return strncmp(pattern, "*.", 2) == 0 ? pattern + 2 : pattern;
}

static bool is_label(const char *label, size_t length)
{
	return length > 0 && length <= LABEL_BYTES_MAX &&
		strspn(label, LETTERS DIGITS "-") == length && label[0] != '-' &&
		label[length - 1] != '-';
}

bool eds_mta_sts_pattern_valid(const char *pattern)
{
	const char *label = behind_wildcard(pattern);

	if (strlen(label) > NAME_BYTES_MAX)
		return false;
	for (;;) {
		size_t length = strcspn(label, ".");

		if (!is_label(label, length))
			return false;
		/* a last label of digits only would be an IPv4 address */
		if (label[length] == '\0')
			return strspn(label, DIGITS) < length;
		label += length + 1;
	}
}

/* eds_domain_normalize accepts underscores, which a pattern must not have, so the result is checked
 * again. */
char *eds_mta_sts_pattern_normalize(struct rt_ctx *ctx, const char *text, size_t length)
{
	size_t wildcard = length >= 2 && memcmp(text, "*.", 2) == 0 ? 2 : 0;
	char *name = eds_domain_normalize(ctx, text + wildcard, length - wildcard);

	if (name == NULL || !eds_mta_sts_pattern_valid(name))
		return NULL;
	return wildcard > 0 ? rt_printf(ctx, "*.%s", name) : name;
}

/* The wildcard is exactly one label (RFC 8461 section 4.1), so only the host's first label is
 * removed. */
bool eds_mta_sts_pattern_matches(const char *pattern, const char *host)
{
	const char *name = behind_wildcard(pattern);
	const char *dot = strchr(host, '.');

	if (name == pattern)
		return strcasecmp(pattern, host) == 0;
	return dot != NULL && dot != host && strcasecmp(name, dot + 1) == 0;
}
