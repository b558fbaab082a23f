#include "runtime/config/config-port.h"
#include "runtime/config/config-form.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/ip.h"

static bool is_port(const char *text)
{
	char *end;
	long port;

	if (text[0] < '0' || text[0] > '9')
		return false;
	port = strtol(text, &end, 10);
	return *end == '\0' && port <= 65535;
}

/* True for IP:PORT or [IP]:PORT. */
bool rt_config_is_endpoint(const char *text)
{
	const char *colon = strrchr(text, ':');
	char address[RT_IP_TEXT_MAX];
	struct rt_ip ip;
	size_t length;

	if (colon == NULL || !is_port(colon + 1))
		return false;
	length = (size_t)(colon - text);
	if (text[0] == '[' && length >= 2 && text[length - 1] == ']') {
		text++;
		length -= 2;
	}
	if (length >= sizeof address)
		return false;
	memcpy(address, text, length);
	address[length] = '\0';
	return rt_ip_parse(address, &ip);
}

const char *rt_config_form_endpoint(const char *text, void *field)
{
	*(const char **)field = rt_config_keep(text);
	return rt_config_is_endpoint(text)
		? NULL
		: "an address and a port like 127.0.0.1:8080 or [::1]:8080";
}

const char *rt_config_form_endpoint_or_none(const char *text, void *field)
{
	*(const char **)field = "";
	return text[0] == '\0' ? NULL : rt_config_form_endpoint(text, field);
}

const char *rt_config_form_port(const char *text, void *field)
{
	if (!is_port(text) || strtol(text, NULL, 10) == 0)
		return "a port from 1 to 65535";
	*(int *)field = (int)strtol(text, NULL, 10);
	return NULL;
}

const char *rt_config_form_port_or_none(const char *text, void *field)
{
	if (!is_port(text))
		return "a port from 1 to 65535, or 0 for none";
	*(int *)field = (int)strtol(text, NULL, 10);
	return NULL;
}
