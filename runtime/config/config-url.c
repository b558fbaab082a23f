#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "runtime/config/config-form.h"
#include "runtime/config/config-relay.h"
#include "runtime/config/config-url.h"

enum {
	HOST_MAX = 253,
	PORT_MAX = 65535,
	LINK_MAX = 1024, /* maximum length of a link, octets */
};

#define DIGITS "0123456789"
#define LETTERS_DIGITS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" DIGITS
#define HOST_CHARACTERS LETTERS_DIGITS "-."
/* Characters of path and query (RFC 3986 sections 3.3 and 3.4). The apostrophe is left out, so that
 * only & needs escaping in an HTML attribute. */
#define PATH_CHARACTERS LETTERS_DIGITS "-._~%!$&()*+,;=:@/?"

/* True if the text between [ and ] is an IPv6 address. */
static bool is_ipv6(const char *text, size_t length)
{
	char address[RT_IP_TEXT_MAX];
	struct rt_ip ip;

	if (length >= sizeof address)
		return false;
	memcpy(address, text, length);
	address[length] = '\0';
	return rt_ip_parse(address, &ip) && ip.family == AF_INET6;
}

/* The length of the host at the start, with its brackets; 0 when there is none. */
static size_t host_length(const char *text)
{
	size_t length = strspn(text, HOST_CHARACTERS);

	if (text[0] == '[') {
		length = strcspn(text, "]");
		return text[length] == ']' && is_ipv6(text + 1, length - 1) ? length + 1 : 0;
	}
	return length <= HOST_MAX && text[0] != '.' && text[0] != '-' ? length : 0;
}

size_t rt_config_authority(const char *text, size_t *host)
{
	size_t digits;
	long port;

	*host = host_length(text);
	if (*host == 0 || text[*host] != ':')
		return *host;
	digits = strspn(text + *host + 1, DIGITS);
	port = strtol(text + *host + 1, NULL, 10);
	return port > 0 && port <= PORT_MAX ? *host + 1 + digits : 0;
}

/* The part after scheme and authority; NULL when the text does not begin with these. */
static const char *after_authority(const char *text)
{
	const char *authority = strstr(text, "://");
	size_t host, length;

	if (strncmp(text, "http://", 7) != 0 && strncmp(text, "https://", 8) != 0)
		return NULL;
	authority += strlen("://");
	length = rt_config_authority(authority, &host);
	return length > 0 ? authority + length : NULL;
}

static bool is_link(const char *text)
{
	const char *path = after_authority(text);

	return path != NULL && (path[0] == '\0' || path[0] == '/') && strlen(text) <= LINK_MAX &&
		path[strspn(path, PATH_CHARACTERS)] == '\0';
}

static bool is_origin(const char *text)
{
	const char *path = after_authority(text);

	return path != NULL && path[strspn(path, "/")] == '\0';
}

static void keep_without_slashes(const char *text, void *field)
{
	size_t length = strlen(text);
	char *url = rt_config_keep(text);

	while (length > 0 && url[length - 1] == '/')
		url[--length] = '\0';
	*(const char **)field = url;
}

const char *rt_form_origin(const char *text, void *field)
{
	keep_without_slashes(text, field);
	return is_origin(text) ? NULL
			       : "an address like https://mail-check.example.com, without a path";
}

/* Refuses a query, because requests to rspamd pass their parameters in header fields. */
const char *rt_form_rspamd(const char *text, void *field)
{
	keep_without_slashes(text, field);
	return text[0] == '\0' || (is_link(text) && strchr(text, '?') == NULL)
		? NULL
		: "an address like http://127.0.0.1:11333, or empty for none";
}

const char *rt_form_link(const char *text, void *field)
{
	*(const char **)field = rt_config_keep(text);
	return text[0] == '\0' || is_link(text)
		? NULL
		: "an address like https://example.com/imprint, or empty for none";
}

const char *rt_form_contact(const char *text, void *field)
{
	const char *wanted = "a mail address, or a link like https://example.com/contact";

	if (rt_form_link(text, field) == NULL || rt_config_is_address(text))
		return NULL;
	return wanted;
}
