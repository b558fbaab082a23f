#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "runtime/config/config-form.h"
#include "runtime/config/config-relay.h"
#include "runtime/config/config-url.h"

enum {
	RELAY_MAX = 512, /* maximum length of the setting, octets */
	/* maximum length of an address, octets (RFC 5321 section 4.5.3.1.3, without the < >) */
	ADDRESS_MAX = 254,
	LOCAL_PART_MAX = 64,
};

#define LETTERS_DIGITS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
/* characters of user and password, RFC 3986 section 3.2.1 */
#define USER_CHARACTERS LETTERS_DIGITS "-._~%!$&'()*+,;=:"
#define HOST_CHARACTERS LETTERS_DIGITS "-."
/* characters of a local part, RFC 5322 section 3.2.3 */
#define LOCAL_CHARACTERS LETTERS_DIGITS "!#$%&'*+-/=?^_`{|}~."

/* True for 127.0.0.0/8, [::1] and localhost, which always mean this machine. */
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
	size_t length, whole;

	*relay = (struct rt_relay){.url = ""};
	if (text[0] == '\0')
		return true;
	if ((!implicit && strncmp(text, "smtp://", 7) != 0) || strlen(text) > RELAY_MAX)
		return false;
	if (at != NULL && strspn(host, USER_CHARACTERS) != (size_t)(at - host))
		return false;
	host = at != NULL ? at + 1 : host;
	whole = rt_config_authority(host, &length);
	if (whole == 0 || host[whole] != '\0')
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
