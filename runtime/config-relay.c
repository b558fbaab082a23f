/* EDS_ALERT_RELAY and EDS_ALERT_FROM. */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "runtime/config-form.h"

enum {
	RELAY_MAX = 512, /* octets */
	HOST_MAX = 253,
	ADDRESS_MAX = 254, /* RFC 5321 section 4.5.3.1.3, without the < > */
	LOCAL_PART_MAX = 64,
	PORT_MAX = 65535,
};

#define LETTERS_DIGITS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
#define USER_CHARACTERS LETTERS_DIGITS "-._~%!$&'()*+,;=:" /* RFC 3986 section 3.2.1 */
#define HOST_CHARACTERS LETTERS_DIGITS "-."
#define LOCAL_CHARACTERS LETTERS_DIGITS "!#$%&'*+-/=?^_`{|}~." /* RFC 5322 section 3.2.3 */

static bool is_port(const char *text)
{
	char *end;
	long port;

	if (text[0] < '0' || text[0] > '9')
		return false;
	port = strtol(text, &end, 10);
	return *end == '\0' && port > 0 && port <= PORT_MAX;
}

/* What is between [ and ]. */
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

/* The length of the host at the beginning, with its brackets; 0 when it is none. */
static size_t host_length(const char *text)
{
	size_t length = strspn(text, HOST_CHARACTERS);

	if (text[0] == '[') {
		length = strcspn(text, "]");
		return text[length] == ']' && is_ipv6(text + 1, length - 1) ? length + 1 : 0;
	}
	return length <= HOST_MAX && text[0] != '.' && text[0] != '-' ? length : 0;
}

/* 127.0.0.0/8, ::1 and localhost, of which no other machine is. */
static bool is_loopback(const char *host, size_t length)
{
	char address[RT_IP_TEXT_MAX];
	struct rt_ip ip;

	if (length == strlen("localhost") && strncmp(host, "localhost", length) == 0)
		return true;
	if (length == strlen("[::1]") && strncmp(host, "[::1]", length) == 0)
		return true;
	if (length >= sizeof address)
		return false;
	memcpy(address, host, length);
	address[length] = '\0';
	return rt_ip_parse(address, &ip) && strncmp(address, "127.", 4) == 0;
}

bool rt_relay_parse(const char *text, struct rt_relay *relay)
{
	bool implicit = strncmp(text, "smtps://", 8) == 0;
	const char *host = text + (implicit ? 8 : 7);
	const char *at = strrchr(text, '@');
	size_t length;

	*relay = (struct rt_relay){.url = ""};
	if (text[0] == '\0')
		return true;
	if ((!implicit && strncmp(text, "smtp://", 7) != 0) || strlen(text) > RELAY_MAX)
		return false;
	if (at != NULL && strspn(host, USER_CHARACTERS) != (size_t)(at - host))
		return false;
	host = at != NULL ? at + 1 : host;
	length = host_length(host);
	if (length == 0 ||
		(host[length] != '\0' && (host[length] != ':' || !is_port(host + length + 1))))
		return false;
	relay->url = rt_config_keep(text);
	relay->needs_no_tls = !implicit && is_loopback(host, length);
	return true;
}

bool rt_config_is_address(const char *text)
{
	size_t local = strspn(text, LOCAL_CHARACTERS);
	const char *domain = text + local + 1;

	if (local == 0 || local > LOCAL_PART_MAX || text[local] != '@' ||
		strlen(text) > ADDRESS_MAX)
		return false;
	if (text[0] == '.' || text[local - 1] == '.' || strstr(text, "..") != NULL)
		return false;
	return domain[0] != '\0' && domain[0] != '.' && domain[strlen(domain) - 1] != '.' &&
		strspn(domain, HOST_CHARACTERS) == strlen(domain);
}
