#include "runtime/host/http/http-host.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#include "runtime/config/config.h"
#include "runtime/event/forwarded.h"
#include "runtime/text/ascii.h"

enum {
	PORT_DIGITS_MAX = 5,
	PORT_MAX = 65535,
};

static bool is_of_name(char c)
{
	return rt_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
		c == '.' || c == '_';
}

/* True for an empty text, or a colon and a port; RFC 3986 section 3.2.3 allows the digits to be
 * missing. */
static bool is_port(const char *text, size_t length)
{
	int port = 0;

	if (length == 0)
		return true;
	if (text[0] != ':' || length - 1 > PORT_DIGITS_MAX)
		return false;
	for (size_t i = 1; i < length; i++) {
		if (!rt_is_digit(text[i]))
			return false;
		port = port * 10 + (text[i] - '0');
	}
	return port <= PORT_MAX;
}

/* True for an IPv6 address. Addresses of a future IP version (IPvFuture of RFC 3986) are refused,
 * as they are not in use. */
static bool is_ipv6(const char *text, size_t length)
{
	char address[INET6_ADDRSTRLEN];
	struct in6_addr parsed;

	if (length >= sizeof address)
		return false;
	memcpy(address, text, length);
	address[length] = '\0';
	return inet_pton(AF_INET6, address, &parsed) == 1;
}

static bool split_literal(const struct http_span *host, struct http_span *name)
{
	const char *close = memchr(host->text, ']', host->length);
	const char *end = host->text + host->length;

	if (close == NULL)
		return false;
	*name = (struct http_span){host->text + 1, (size_t)(close - host->text) - 1};
	return is_ipv6(name->text, name->length) && is_port(close + 1, (size_t)(end - close - 1));
}

bool http_host_split(const struct http_span *host, struct http_span *name)
{
	size_t length = 0;

	if (host->length > 0 && host->text[0] == '[')
		return split_literal(host, name);
	while (length < host->length && is_of_name(host->text[length]))
		length++;
	*name = (struct http_span){host->text, length};
	return length > 0 && length <= HTTP_HOST_NAME_MAX &&
		is_port(host->text + length, host->length - length);
}

static bool is_address(const struct http_span *name)
{
	char text[RT_IP_TEXT_MAX];
	struct rt_ip ip;

	if (name->length >= sizeof text)
		return false;
	memcpy(text, name->text, name->length);
	text[name->length] = '\0';
	return rt_ip_parse(text, &ip);
}

static bool ends_with(const struct http_span *name, const char *ending)
{
	size_t length = strlen(ending);

	return name->length > length &&
		strncasecmp(name->text + name->length - length, ending, length) == 0;
}

/* The host of a URL like "https://eds.example:8443". */
static struct http_span host_of_url(const char *url)
{
	const char *start = strstr(url, "//");
	struct http_span host = {.text = start == NULL ? url : start + 2};
	struct http_span name;

	host.length = strcspn(host.text, "/");
	return http_host_split(&host, &name) ? name : (struct http_span){.text = ""};
}

static bool is_known(struct http_span name)
{
	struct http_span base = host_of_url(rt_config()->base_url);

	if (name.length > 0 && name.text[name.length - 1] == '.')
		name.length--;
	/* Names under localhost always mean this machine (RFC 6761 section 6.3). */
	return is_address(&name) || http_span_is(&name, "localhost") ||
		ends_with(&name, ".localhost") || http_span_is(&name, rt_config()->policy_host) ||
		(base.length == name.length && strncasecmp(base.text, name.text, name.length) == 0);
}

bool http_host_is_ours(const struct http_request *request)
{
	struct http_span name;

	/* No browser sends HTTP/1.0 without Host, so such a request is not DNS rebinding. */
	if (!request->on_loopback || request->head->host.length == 0 || rt_is_proxy(request->peer))
		return true;
	return http_host_split(&request->head->host, &name) && is_known(name);
}
