#include <string.h>

#include "runtime/config/config-form.h"
#include "runtime/config/config-title.h"
#include "runtime/text/utf8.h"

enum {
	TITLE_MAX = 60, /* maximum length of a title, octets */
	DEL = 0x7f,
};

static bool is_printable(const char *text, size_t length)
{
	size_t octets;

	for (size_t at = 0; at < length; at += octets) {
		octets = rt_utf8_length(text + at, length - at);
		if (octets == 0 || (unsigned char)text[at] < ' ' || text[at] == DEL)
			return false;
	}
	return true;
}

const char *rt_form_title(const char *text, void *field)
{
	size_t length = strlen(text);

	if (length == 0 || length > TITLE_MAX || strpbrk(text, "<>&\"") != NULL ||
		!is_printable(text, length))
		return "a name of at most 60 octets in UTF-8, without < > & \"";
	*(const char **)field = rt_config_keep(text);
	return NULL;
}
