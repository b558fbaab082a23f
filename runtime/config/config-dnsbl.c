#include "runtime/config/config-dnsbl.h"
#include "runtime/config/config-form.h"

#include <stdlib.h>
#include <string.h>

enum {
	CODE_FIRST = 2, /* lists answer 127.0.0.1 to refuse a question */
	CODE_LAST = 255,
};

static bool parse_code(char **text, long *code)
{
	if (**text < '0' || **text > '9')
		return false;
	*code = strtol(*text, text, 10);
	return *code >= CODE_FIRST && *code <= CODE_LAST;
}

/* Parses a code such as "30" or a range such as "2-11", and sets these codes in dnsbl->codes. */
static bool parse_range(char *text, struct rt_dnsbl *dnsbl)
{
	long first;
	long last;

	if (!parse_code(&text, &first))
		return false;
	last = first;
	if (*text == '-') {
		text++;
		if (!parse_code(&text, &last) || last < first)
			return false;
	}
	for (long code = first; code <= last; code++)
		dnsbl->codes[code] = true;
	return *text == '\0';
}

static bool parse_options(char *text, struct rt_dnsbl *dnsbl)
{
	bool any_code = false;
	char *option;

	while ((option = strsep(&text, ",")) != NULL) {
		if (strcmp(option, "v6") == 0) {
			dnsbl->ipv6 = true;
			continue;
		}
		if (!parse_range(option, dnsbl))
			return false;
		any_code = true;
	}
	return any_code;
}

static bool lower_zone(char *zone)
{
	size_t length = strlen(zone);

	if (length > 0 && zone[length - 1] == '.')
		zone[--length] = '\0';
	for (char *c = zone; *c != '\0'; c++) {
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c - 'A' + 'a');
		else if (strchr("abcdefghijklmnopqrstuvwxyz0123456789-_.", *c) == NULL)
			return false;
	}
	/* leaves room for an IPv6 address before the zone, 32 nibbles with a dot after each, within
	 * the 253 octets of a name */
	return length > 0 && length <= 180;
}

bool rt_dnsbl_parse(const char *text, struct rt_dnsbl *dnsbl)
{
	char *copy = rt_config_keep(text);
	char *options = copy;
	char *zone;

	memset(dnsbl, 0, sizeof *dnsbl);
	dnsbl->zone = copy;
	if (text[0] == '\0')
		return true;
	zone = strsep(&options, "=");
	if (!lower_zone(zone))
		return false;
	if (options != NULL)
		return parse_options(options, dnsbl);
	for (int code = CODE_FIRST; code <= CODE_LAST; code++)
		dnsbl->codes[code] = true;
	return true;
}
