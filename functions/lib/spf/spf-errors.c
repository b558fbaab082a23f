#include "functions/lib/spf/spf-errors.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "runtime/ip.h"

const char *eds_spf_way_out(const char *reason_code)
{
	static const char *const ways[][2] = {
		{"too-many-lookups",
			" Remove the includes of services that no longer send for you, replace "
			"the terms a and mx by ip4 and ip6, or give a service a subdomain of its "
			"own as envelope sender."},
		{"too-many-void-lookups", " Remove the terms whose names no longer exist."},
		{"several-records",
			" Join them in one record, with v=spf1 once at the beginning, the terms "
			"of each record, and the term all once at the end."},
		{"syntax", " Correct the quoted text, or remove it."},
		{"macro-too-long", " Shorten the macro, or remove it."},
		{"too-many-mx", " Name the servers by ip4 and ip6 in place of that mx."},
		{"record-too-long", " Put networks in place of single addresses."},
		{"redirect-without-record",
			" Correct the name after redirect=, or end the record with the term all."},
		{"include-without-record",
			" Remove the include, or ask the service for its current name."},
	};

	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		if (reason_code != NULL && strcmp(reason_code, ways[i][0]) == 0)
			return ways[i][1];
	return "";
}

/* True for an IP address, with or without a prefix length. */
static bool is_address(const char *term)
{
	char text[RT_IP_TEXT_MAX];
	size_t length = strcspn(term, "/");
	struct rt_ip ip;

	if (length >= sizeof text)
		return false;
	memcpy(text, term, length);
	text[length] = '\0';
	return rt_ip_parse(text, &ip);
}

static bool has_second_term(const char *term)
{
	static const char *const starts[] = {"ip4:", "ip6:", "include:", "v=spf1"};

	for (size_t i = 0; term[0] != '\0' && i < sizeof starts / sizeof *starts; i++)
		if (strcasestr(term + 1, starts[i]) != NULL)
			return true;
	return false;
}

static bool is_ascii(const char *term)
{
	for (; *term != '\0'; term++)
		if ((unsigned char)*term > 126)
			return false;
	return true;
}

const char *eds_spf_mistake(const char *term)
{
	size_t length = strlen(term);

	if (is_address(term))
		return ": an address needs ip4: or ip6: before it";
	if (length > 0 && term[length - 1] == ':')
		return ": a space or the end of the record follows the colon";
	if (has_second_term(term))
		return ": a space is missing between two terms; receivers join the strings of a "
		       "TXT record without adding spaces";
	if (!is_ascii(term))
		return ": a character is not ASCII, such as a long dash in place of a hyphen";
	return "";
}
