#include "functions/lib/reports/xml/xml-email.h"

#include <string.h>

/* The position after the first start tag of an email element, whose name may have a prefix; NULL
 * when there is no such tag. */
static const char *find_email(const char *block, size_t length)
{
	static const char name[] = "email>";
	const char *end = block + length;
	const char *at = block;

	while ((at = memmem(at, (size_t)(end - at), name, sizeof name - 1)) != NULL) {
		const char *before = at > block ? at - 1 : block;

		at += sizeof name - 1;
		if (*before == '<' || *before == ':')
			return at;
	}
	return NULL;
}

bool eds_xml_email_is_bare(const char *block, size_t length, size_t *begin, size_t *end)
{
	const char *text = find_email(block, length);
	const char *stop;
	const char *open;
	size_t look;

	if (text == NULL)
		return false;
	look = (size_t)(block + length - text);
	stop = memmem(text, look < EDS_XML_EMAIL_MAX ? look : EDS_XML_EMAIL_MAX, "</", 2);
	if (stop == NULL)
		return false;
	open = memchr(text, '<', (size_t)(stop - text));
	/* not a bare address: the text has no "<", or its first "<" begins a CDATA section or a
	 * comment ("<!"), or no at sign follows */
	if (open == NULL || open[1] == '!' || memchr(open, '@', (size_t)(stop - open)) == NULL)
		return false;
	*begin = (size_t)(text - block);
	*end = (size_t)(stop - block);
	return true;
}

void eds_xml_email_escape(const char *text, size_t octets, char *escaped, size_t *length)
{
	*length = 0;
	for (size_t i = 0; i < octets; i++) {
		const char *as = text[i] == '<' ? "&lt;" : text[i] == '>' ? "&gt;" : NULL;

		if (as == NULL) {
			escaped[(*length)++] = text[i];
			continue;
		}
		memcpy(escaped + *length, as, 4);
		*length += 4;
	}
}
