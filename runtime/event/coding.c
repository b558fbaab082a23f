#include "runtime/event/coding.h"

#include <string.h>
#include <strings.h>

struct span {
	const char *text;
	size_t length;
};

static struct span trimmed(struct span span)
{
	while (span.length > 0 && strchr(" \t", span.text[0]) != NULL) {
		span.text++;
		span.length--;
	}
	while (span.length > 0 && strchr(" \t", span.text[span.length - 1]) != NULL)
		span.length--;
	return span;
}

/* Removes the text before the mark, and the mark itself, from *rest; all of *rest if it has no
 * mark. Returns the text before the mark without the spaces around it. */
static struct span cut(struct span *rest, char mark)
{
	const char *end = memchr(rest->text, mark, rest->length);
	struct span part = {rest->text, end != NULL ? (size_t)(end - rest->text) : rest->length};
	size_t taken = part.length + (end != NULL ? 1 : 0);

	rest->text += taken;
	rest->length -= taken;
	return trimmed(part);
}

static bool is(struct span span, const char *word)
{
	return span.length == strlen(word) && strncasecmp(span.text, word, span.length) == 0;
}

/* True if the parameters have no weight, or have a weight that accepts the coding. A weight of 0
 * refuses the coding (RFC 9110 section 12.4.2), and so does an invalid weight. */
static bool has_weight(struct span parameters)
{
	struct span weight = cut(&parameters, ';');
	bool some = false;

	if (weight.length == 0)
		return true;
	if (weight.length < 3 || strncasecmp(weight.text, "q=", 2) != 0)
		return false;
	for (size_t i = 2; i < weight.length; i++) {
		char c = weight.text[i];

		if (i == 3 ? c != '.' : c < '0' || c > '9')
			return false;
		some = some || (i != 3 && c != '0');
	}
	return some;
}

bool rt_coding_gzip_asked(const char *field, size_t length)
{
	struct span rest = {field, length};
	bool any = false;

	while (rest.length > 0) {
		struct span element = cut(&rest, ',');
		struct span name = cut(&element, ';');

		/* "x-gzip" means "gzip" (RFC 9110 section 8.4.1.3); a coding that is named
		 * overrides "*". */
		if (is(name, "gzip") || is(name, "x-gzip"))
			return has_weight(element);
		if (is(name, "*"))
			any = has_weight(element);
	}
	return any;
}
