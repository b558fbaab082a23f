#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "local/smtp/smtp-proxy.h"
#include "local/smtp/smtp-session-state.h"

static bool is_unavailable(const char *value)
{
	return strcasecmp(value, "[UNAVAILABLE]") == 0 || strcasecmp(value, "[TEMPUNAVAIL]") == 0;
}

static bool take_address(const char *value, struct smtp_client *client)
{
	struct rt_ip ip;

	client->has_ip = true;
	client->ip[0] = '\0';
	if (is_unavailable(value))
		return true;
	if (strncasecmp(value, "IPV6:", 5) == 0)
		value += 5;
	if (!rt_ip_parse(value, &ip))
		return false;
	rt_ip_format(&ip, client->ip);
	return true;
}

/* True for an attribute that this server accepts but does not use: a proxy sends every attribute
 * that the EHLO reply lists. */
static bool is_ignored(const char *name)
{
	static const char *const names[] = {
		"NAME", "PORT", "PROTO", "IDENT", "SOURCE", "LOGIN", "DESTADDR", "DESTPORT"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcasecmp(name, names[i]) == 0)
			return true;
	return false;
}

static bool take_attribute(struct smtp_parameter *attribute, struct smtp_client *client)
{
	if (attribute->odd || !smtp_xtext_decode(attribute->value))
		return false;
	if (strcasecmp(attribute->name, "ADDR") == 0)
		return take_address(attribute->value, client);
	if (strcasecmp(attribute->name, "HELO") != 0)
		return is_ignored(attribute->name);
	if (!is_unavailable(attribute->value))
		smtp_copy_name(client->helo, attribute->value);
	return true;
}

static bool take_attributes(const char *list, struct smtp_client *client)
{
	struct smtp_parameter attribute;
	size_t count = 0;

	for (; smtp_parameter_next(&list, &attribute); count++)
		if (!take_attribute(&attribute, client))
			return false;
	return count > 0;
}

static bool is_allowed(struct smtp_session *session)
{
	if (!session->settings.trusted)
		smtp_refuse(session, "550 5.7.0 only for trusted proxies");
	else if (session->has_mail)
		smtp_refuse(session, "503 5.5.1 a message is under way already");
	return session->settings.trusted && !session->has_mail;
}

void smtp_command_xclient(struct smtp_session *session, char *argument)
{
	struct smtp_client client = session->proxied;

	if (!is_allowed(session))
		return;
	if (!take_attributes(argument, &client)) {
		smtp_refuse(session, "501 5.5.4 an attribute is malformed or not known");
		return;
	}
	/* The session starts again for the named client, so all data of the previous client is
	 * removed. */
	smtp_reset_session(session);
	session->proxied = client;
	smtp_reply(session, "220 %s ESMTP", session->settings.host_name);
}

void smtp_command_xforward(struct smtp_session *session, char *argument)
{
	struct smtp_client client = session->forwarded;

	if (!is_allowed(session))
		return;
	if (!take_attributes(argument, &client)) {
		smtp_refuse(session, "501 5.5.4 an attribute is malformed or not known");
		return;
	}
	session->forwarded = client;
	smtp_reply(session, "250 2.0.0 noted");
}
