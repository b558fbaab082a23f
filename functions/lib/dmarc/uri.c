#include <string.h>
#include <strings.h>

#include "functions/lib/dmarc/discover.h"
#include "functions/lib/dmarc/uri.h"
#include "functions/lib/mail/domain.h"
#include "runtime/text/ascii.h"

static const char MAILTO[] = "mailto:";

/* True for a scheme, a colon and at least one URI character (RFC 3986 section 3). */
static bool is_uri(const char *text, size_t length)
{
	size_t scheme = 0;

	while (scheme < length &&
		(rt_is_alpha(text[scheme]) ||
			(scheme > 0 &&
				(rt_is_digit(text[scheme]) || text[scheme] == '+' ||
					text[scheme] == '-' || text[scheme] == '.'))))
		scheme++;
	if (scheme == 0 || scheme + 1 >= length || text[scheme] != ':')
		return false;
	for (size_t i = scheme; i < length; i++)
		if (text[i] <= ' ' || text[i] > '~' || strchr("<>\"\\^`{|}", text[i]))
			return false;
	return true;
}

static bool is_mailto(const char *text, size_t length)
{
	return length > strlen(MAILTO) && strncasecmp(text, MAILTO, strlen(MAILTO)) == 0;
}

/* True for local@domain, perhaps with a query after it (RFC 6068). */
static bool has_address(struct rt_ctx *ctx, const char *text, size_t length)
{
	const char *query = memchr(text, '?', length);
	const char *at;

	if (query)
		length = (size_t)(query - text);
	at = memrchr(text, '@', length);
	return at && at > text &&
		eds_domain_normalize(ctx, at + 1, length - (size_t)(at + 1 - text));
}

/* The length of a URI without its size limit, such as "!10m". RFC 9989 has removed the limits of
 * RFC 7489; this reader skips them, as most receivers do. */
static size_t without_size(
	struct rt_ctx *ctx, const char *text, size_t length, struct eds_findings *warnings)
{
	const char *mark = memchr(text, '!', length);

	if (mark == NULL)
		return length;
	eds_finding_add(ctx, warnings, "dmarc-uri-size",
		"The size limit after \"!\" in a report address is no longer part of DMARC; remove "
		"it.");
	return (size_t)(mark - text);
}

static bool check_uri(
	struct rt_ctx *ctx, const char *text, size_t length, struct eds_findings *warnings)
{
	length = without_size(ctx, text, length, warnings);
	if (!is_uri(text, length)) {
		eds_finding_add(ctx, warnings, "dmarc-uri-invalid",
			"A report address is not a URI; it must begin with mailto:.");
		return false;
	}
	if (!is_mailto(text, length)) {
		eds_finding_add(ctx, warnings, "dmarc-uri-scheme",
			"A report address is not a mailto: URI; name a mailbox, as reports are only sent by mail.");
		return true;
	}
	if (has_address(ctx, text + strlen(MAILTO), length - strlen(MAILTO)))
		return true;
	eds_finding_add(ctx, warnings, "dmarc-uri-invalid",
		"A report address has no valid mail address after mailto:; correct it.");
	return false;
}

bool eds_dmarc_uris_check(
	struct rt_ctx *ctx, const char *value, size_t length, struct eds_findings *warnings)
{
	const char *end = value + length;
	bool any = false;

	while (value < end) {
		const char *comma = memchr(value, ',', (size_t)(end - value));
		const char *next = comma ? comma + 1 : end;
		const char *last = comma ? comma : end;

		while (value < last && rt_is_wsp(*value))
			value++;
		while (last > value && rt_is_wsp(last[-1]))
			last--;
		any = check_uri(ctx, value, (size_t)(last - value), warnings) || any;
		value = next;
	}
	return any;
}
