#include "functions/lib/dns/name.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "runtime/text/ascii.h"

bool eds_dns_name_normalize(const char *name, char text[EDS_DNS_NAME_MAX + 1])
{
	size_t length = strnlen(name, EDS_DNS_NAME_MAX + 2);
	size_t label = 0;

	if (length > 0 && name[length - 1] == '.')
		length--;
	if (length == 0 || length > EDS_DNS_NAME_MAX)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (name[i] == '.' && label == 0)
			return false;
		label = name[i] == '.' ? 0 : label + 1;
		if (label > EDS_DNS_LABEL_MAX)
			return false;
		text[i] = rt_to_lower(name[i]);
	}
	text[length] = '\0';
	return label > 0;
}

bool eds_dns_name_is_public(const char *name)
{
	static const char *const others[] = {"alt", "corp", "home", "home.arpa", "internal",
		"intranet", "lan", "local", "localhost", "onion", "private"};

	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (eds_dns_name_covers(others[i], name))
			return false;
	return strchr(name, '.') != NULL;
}

bool eds_dns_name_covers(const char *domain, const char *name)
{
	size_t length = strlen(domain);
	size_t size = strlen(name);

	if (size < length || strcasecmp(name + size - length, domain) != 0)
		return false;
	return size == length || name[size - length - 1] == '.';
}

void eds_dns_name_to_wire(const char *text, uint8_t wire[EDS_DNS_WIRE_MAX])
{
	uint8_t *length = wire;
	uint8_t *at = wire + 1;

	for (const char *c = text; *c != '\0'; c++) {
		if (*c != '.') {
			*at++ = (uint8_t)*c;
			continue;
		}
		*length = (uint8_t)(at - length - 1);
		length = at++;
	}
	*length = (uint8_t)(at - length - 1);
	*at = 0;
}

void eds_dns_name_from_wire(const uint8_t *wire, char text[EDS_DNS_NAME_MAX + 1])
{
	char *at = text;

	while (*wire != 0) {
		if (at != text)
			*at++ = '.';
		for (uint8_t left = *wire++; left > 0; left--, wire++) {
			bool plain = *wire > ' ' && *wire < 0x7f && *wire != '.';

			*at++ = plain ? rt_to_lower((char)*wire) : '?';
		}
	}
	*at = '\0';
}

/* Length octets are at most 63, less than the code of any letter, so folding case does not change
 * them. */
bool eds_dns_wire_equal(const uint8_t *a, const uint8_t *b)
{
	size_t left = 0; /* number of octets of the current label that are still to be compared */

	for (;; a++, b++) {
		if (rt_to_lower((char)*a) != rt_to_lower((char)*b))
			return false;
		if (left > 0)
			left--;
		else if (*a == 0)
			return true;
		else
			left = *a;
	}
}

char *eds_dns_reverse_name(struct rt_ctx *ctx, const struct rt_ip *ip, const char *suffix)
{
	const uint8_t *b = ip->bytes;
	char nibbles[4 * 16 + 1];

	if (ip->family == AF_INET)
		return rt_printf(ctx, "%u.%u.%u.%u.%s", b[3], b[2], b[1], b[0], suffix);
	for (size_t i = 0; i < 16; i++)
		snprintf(nibbles + 4 * i, 5, "%x.%x.", b[15 - i] & 0xfU, b[15 - i] >> 4);
	return rt_printf(ctx, "%s%s", nibbles, suffix);
}

char *eds_dns_ptr_name(struct rt_ctx *ctx, const struct rt_ip *ip)
{
	return eds_dns_reverse_name(ctx, ip, ip->family == AF_INET ? "in-addr.arpa" : "ip6.arpa");
}
