#include "functions/lib/posture/bimi.h"

#include <string.h>
#include <strings.h>

#include "runtime/text/ascii.h"

#define VERSION "v=BIMI1"

struct part {
	const char *text;
	size_t length;
};

static struct part trim(struct part part)
{
	while (part.length > 0 && rt_is_wsp(part.text[0])) {
		part.text++;
		part.length--;
	}
	while (part.length > 0 && rt_is_wsp(part.text[part.length - 1]))
		part.length--;
	return part;
}

/* Returns the part up to the next semicolon and consumes both. */
static struct part next_part(struct part *rest)
{
	const char *end = memchr(rest->text, ';', rest->length);
	struct part part = {rest->text, end ? (size_t)(end - rest->text) : rest->length};
	size_t used = part.length + (end != NULL);

	rest->text += used;
	rest->length -= used;
	return trim(part);
}

static bool is_version(struct part part)
{
	return part.length == strlen(VERSION) && memcmp(part.text, VERSION, part.length) == 0;
}

static bool is_https(struct part value)
{
	static const char scheme[] = "https://";

	if (value.length <= strlen(scheme) || strncasecmp(value.text, scheme, strlen(scheme)) != 0)
		return false;
	for (size_t i = 0; i < value.length; i++)
		if (value.text[i] <= ' ' || value.text[i] > '~')
			return false;
	return true;
}

static bool is_tag(struct part part, char tag, struct part *value)
{
	const char *equals = memchr(part.text, '=', part.length);
	struct part name;

	if (equals == NULL)
		return false;
	name = trim((struct part){part.text, (size_t)(equals - part.text)});
	*value = trim((struct part){equals + 1, part.length - (size_t)(equals + 1 - part.text)});
	return name.length == 1 && (name.text[0] | 0x20) == tag;
}

static enum eds_bimi read_tags(struct part rest)
{
	enum eds_bimi state = EDS_BIMI_SYNTAX; /* the result if the record has no l= */
	bool located = true;

	while (rest.length > 0) {
		struct part part = next_part(&rest);
		struct part value;

		if (part.length == 0)
			continue;
		if (memchr(part.text, '=', part.length) == NULL)
			return EDS_BIMI_SYNTAX;
		if (is_tag(part, 'l', &value)) {
			state = value.length == 0 ? EDS_BIMI_DECLINED : EDS_BIMI_LOGO;
			located = located && (value.length == 0 || is_https(value));
		} else if (is_tag(part, 'a', &value)) {
			located = located && (value.length == 0 || is_https(value));
		}
	}
	return located || state == EDS_BIMI_SYNTAX ? state : EDS_BIMI_LOCATION;
}

enum eds_bimi eds_bimi_read(
	const struct eds_dns_answer *answer, const struct eds_dns_record **record)
{
	enum eds_bimi state = EDS_BIMI_NONE;

	*record = NULL;
	for (size_t i = 0; i < answer->count; i++) {
		struct part rest = {answer->records[i].txt, answer->records[i].txt_length};

		if (!is_version(next_part(&rest)))
			continue;
		state = *record == NULL ? read_tags(rest) : EDS_BIMI_SEVERAL;
		*record = &answer->records[i];
	}
	return state;
}
