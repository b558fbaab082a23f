/* MAIL, RCPT and DATA: one transaction of a session (RFC 5321 section 3.3). */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "local/smtp-session-state.h"

/* What a trusted proxy said of its client counts before what this connection shows. */
static void fill_envelope(const struct smtp_session *session, struct smtp_mail *mail)
{
	const char *ip = session->peer_ip;
	const char *helo = session->helo;

	if (session->proxied.has_ip)
		ip = session->proxied.ip;
	if (session->forwarded.has_ip)
		ip = session->forwarded.ip;
	if (session->proxied.helo[0] != '\0')
		helo = session->proxied.helo;
	if (session->forwarded.helo[0] != '\0')
		helo = session->forwarded.helo;
	snprintf(mail->client_ip, sizeof mail->client_ip, "%s", ip);
	snprintf(mail->helo, sizeof mail->helo, "%s", helo);
	snprintf(mail->mail_from, sizeof mail->mail_from, "%s", session->mail_from);
	snprintf(mail->tls, sizeof mail->tls, "%s", session->tls);
}

/* A refusal that is counted. An error is one of the SMTP_ERRORS_MAX. */
static void refuse(struct smtp_session *session, bool error, const char *format, ...)
	RT_PRINTF(3, 4);

static void refuse(struct smtp_session *session, bool error, const char *format, ...)
{
	struct smtp_mail envelope = {0};
	char reply[SMTP_REPLY_MAX];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reply, sizeof reply, format, arguments);
	va_end(arguments);
	fill_envelope(session, &envelope);
	session->host.refused(session->arg, &envelope, reply);
	(error ? smtp_refuse : smtp_reply)(session, "%s", reply);
}

/* RFC 1870: the declared size; anything but digits is refused. */
static bool too_big(const struct smtp_session *session, const char *value, bool *odd)
{
	size_t digits = strspn(value, "0123456789");

	*odd = digits == 0 || digits > 20 || value[digits] != '\0';
	return !*odd &&
		(digits > 9 || strtoul(value, NULL, 10) > session->settings.budget->message_max);
}

/* False after the refusal was sent. */
static bool check_mail_parameters(struct smtp_session *session, const char *list)
{
	struct smtp_parameter parameter;
	bool odd;

	while (smtp_parameter_next(&list, &parameter)) {
		odd = parameter.odd;
		if (!odd && strcasecmp(parameter.name, "SIZE") == 0) {
			if (too_big(session, parameter.value, &odd)) {
				refuse(session, true, "552 5.3.4 a message has %zu octets at most",
					session->settings.budget->message_max);
				return false;
			}
		} else if (!odd && strcasecmp(parameter.name, "BODY") == 0) {
			odd = strcasecmp(parameter.value, "7BIT") != 0 &&
				strcasecmp(parameter.value, "8BITMIME") != 0;
		} else if (!odd) {
			smtp_refuse(session, "555 5.5.4 a parameter of MAIL is not known");
			return false;
		}
		if (odd) {
			smtp_refuse(session, "501 5.5.4 a parameter of MAIL is malformed");
			return false;
		}
	}
	return true;
}

void smtp_command_mail(struct smtp_session *session, char *argument)
{
	struct smtp_path path;
	const char *parameters;

	if (session->helo[0] == '\0')
		smtp_refuse(session, "503 5.5.1 say EHLO first");
	else if (session->has_mail)
		smtp_refuse(session, "503 5.5.1 a message is under way already");
	else if (!smtp_path_parse(argument, "FROM", &path, &parameters))
		smtp_refuse(session, "501 5.1.7 write MAIL FROM:<user@example.com>");
	else if (path.utf8) /* RFC 6531 section 3.5: SMTPUTF8 is not offered */
		smtp_refuse(session, "553 5.6.7 addresses are ASCII here");
	else if (path.source_route)
		smtp_refuse(session, "550 5.1.7 no source routes");
	else if (check_mail_parameters(session, parameters)) {
		session->has_mail = true;
		memcpy(session->mail_from, path.address, sizeof session->mail_from);
		smtp_reply(session, "250 2.1.0 sender noted");
	}
}

static bool known_already(const struct smtp_session *session, const char *address)
{
	for (size_t i = 0; i < session->recipient_count; i++)
		if (strcmp(session->recipients[i].address, address) == 0)
			return true;
	return false;
}

static void ask(struct smtp_session *session, const struct smtp_path *path)
{
	for (size_t i = 0; i <= strlen(path->address); i++)
		session->asked[i] = (char)tolower((unsigned char)path->address[i]);
	if (known_already(session, session->asked)) {
		smtp_reply(session, "250 2.1.5 recipient noted already");
	} else if (session->recipient_count == SMTP_RECIPIENTS_MAX) {
		/* RFC 5321 section 4.5.3.1.10: the client sends the rest in another transaction. */
		refuse(session, false, "452 4.5.3 a message has %d recipients at most",
			SMTP_RECIPIENTS_MAX);
	} else {
		session->wait = SMTP_WAIT_RECIPIENT;
		session->host.ask_recipient(session->arg, session->asked);
	}
}

void smtp_command_rcpt(struct smtp_session *session, char *argument)
{
	struct smtp_path path;
	const char *parameters;

	if (!session->has_mail)
		smtp_refuse(session, "503 5.5.1 say MAIL first");
	else if (!smtp_path_parse(argument, "TO", &path, &parameters) || path.address[0] == '\0')
		refuse(session, true, "501 5.1.3 write RCPT TO:<user@example.com>");
	else if (path.utf8)
		refuse(session, true, "553 5.6.7 addresses are ASCII here");
	else if (path.source_route || path.quoted || path.rerouted)
		refuse(session, true, "550 5.1.3 addresses of this form lead nowhere");
	else if (parameters[strspn(parameters, " ")] != '\0')
		refuse(session, true, "555 5.5.4 RCPT takes no parameters");
	else
		ask(session, &path);
}

static bool add_recipient(struct smtp_session *session, const char *function)
{
	struct smtp_recipient *recipient;

	if (session->recipients == NULL)
		session->recipients = calloc(SMTP_RECIPIENTS_MAX, sizeof *session->recipients);
	if (session->recipients == NULL || strlen(function) > SMTP_FUNCTION_MAX)
		return false;
	recipient = &session->recipients[session->recipient_count++];
	memcpy(recipient->address, session->asked, sizeof recipient->address);
	snprintf(recipient->function, sizeof recipient->function, "%s", function);
	return true;
}

/* A reason comes from a function: it must not break out of the reply's line. */
static void reply_refused(struct smtp_session *session, const char *reason)
{
	char text[SMTP_REPLY_MAX / 4];
	size_t length = 0;

	if (reason == NULL || *reason == '\0')
		reason = "no such recipient here";
	for (; length < sizeof text - 1 && reason[length] != '\0'; length++)
		text[length] = reason[length] >= ' ' && reason[length] < 127 ? reason[length] : '?';
	text[length] = '\0';
	refuse(session, true, "550 5.1.1 %s", text);
}

void smtp_session_recipient(struct smtp_session *session, enum smtp_verdict verdict,
	const char *function, const char *reason)
{
	session->wait = SMTP_WAIT_NONE;
	if (session->closed)
		return;
	if (verdict == SMTP_RECIPIENT_TAKEN && add_recipient(session, function)) {
		smtp_reply(session, "250 2.1.5 recipient noted");
		return;
	}
	if (verdict == SMTP_RECIPIENT_REFUSED)
		reply_refused(session, reason);
	else
		refuse(session, false,
			"451 4.3.0 the recipient cannot be looked up now, try again");
}

void smtp_command_data(struct smtp_session *session, char *argument)
{
	if (*argument != '\0') {
		smtp_refuse(session, "501 5.5.4 DATA takes no argument");
	} else if (!session->has_mail) {
		smtp_refuse(session, "503 5.5.1 say MAIL first");
	} else if (session->recipient_count == 0) {
		smtp_refuse(session, "554 5.5.1 no valid recipients");
	} else {
		smtp_data_init(&session->data, session->settings.budget);
		session->in_data = true;
		smtp_reply(session, "354 end with <CR><LF>.<CR><LF>");
	}
}

static void refuse_message(struct smtp_session *session, enum smtp_data_fault fault)
{
	static const char *const replies[] = {
		[SMTP_DATA_BAD_OCTETS] = "550 5.6.0 a bare CR, LF or NUL: lines end with CR LF",
		[SMTP_DATA_LONG_LINE] = "500 5.6.0 the message holds a line over 8192 octets",
		[SMTP_DATA_TOO_BIG] = "552 5.3.4 the message is too big",
		[SMTP_DATA_LOOP] = "554 5.4.6 the message went through over 50 servers: a loop",
		[SMTP_DATA_NO_ROOM] = "452 4.3.1 no room for the message now, try again",
	};

	refuse(session, fault != SMTP_DATA_NO_ROOM, "%s", replies[fault]);
	smtp_reset_transaction(session);
}

void smtp_finish_data(struct smtp_session *session)
{
	struct smtp_mail mail = {0};

	if (session->data.fault != SMTP_DATA_GOOD) {
		refuse_message(session, session->data.fault);
		return;
	}
	fill_envelope(session, &mail);
	mail.protocol = "SMTP";
	if (session->extended)
		mail.protocol = "ESMTP";
	if (session->tls[0] != '\0')
		mail.protocol = "ESMTPS";
	mail.recipients = session->recipients;
	mail.recipient_count = session->recipient_count;
	mail.held_bytes = session->data.capacity;
	mail.message = smtp_data_release(&session->data, &mail.length);
	session->in_data = false;
	session->wait = SMTP_WAIT_STORED;
	session->host.store(session->arg, &mail);
}

void smtp_session_stored(struct smtp_session *session, enum smtp_stored stored, const char *id)
{
	session->wait = SMTP_WAIT_NONE;
	if (session->closed) {
		smtp_reset_transaction(session);
		return;
	}
	if (stored == SMTP_STORED)
		smtp_reply(session, "250 2.0.0 taken as %s", id);
	else if (stored == SMTP_NOT_STORED)
		refuse(session, false, "451 4.3.1 the message cannot be stored now, try again");
	else
		refuse(session, false, "452 4.3.1 too much mail is waiting, try again");
	smtp_reset_transaction(session);
}
