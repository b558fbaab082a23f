#include "local/smtp/smtp-session.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "local/smtp/smtp-bounds.h"
#include "local/smtp/smtp-proxy.h"
#include "local/smtp/smtp-session-state.h"
#include "local/smtp/smtp-transaction.h"

static void send_line(struct smtp_session *session, const char *format, va_list arguments)
{
	char line[SMTP_REPLY_MAX + 3];
	int length = vsnprintf(line, SMTP_REPLY_MAX, format, arguments);

	if (length > SMTP_REPLY_MAX - 1)
		length = SMTP_REPLY_MAX - 1;
	memcpy(line + length, "\r\n", 2);
	session->transport.on_reply(session->arg, line, (size_t)length + 2);
}

void smtp_reply(struct smtp_session *session, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	send_line(session, format, arguments);
	va_end(arguments);
}

void smtp_refuse(struct smtp_session *session, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	send_line(session, format, arguments);
	va_end(arguments);
	if (++session->errors >= SMTP_ERRORS_MAX)
		smtp_session_end(session, "4.7.0 too many errors");
}

void smtp_close(struct smtp_session *session)
{
	if (session->closed)
		return;
	session->closed = true;
	session->transport.on_close(session->arg);
}

void smtp_session_end(struct smtp_session *session, const char *reason)
{
	if (session->closed)
		return;
	smtp_reply(session, "421 %s", reason);
	smtp_close(session);
}

void smtp_forget_pieces(struct smtp_session *session)
{
	if (session->has_given)
		session->settings.intake.on_forget(session->settings.intake_arg, session->arg);
	session->has_given = false;
}

void smtp_reset_transaction(struct smtp_session *session)
{
	session->has_mail = false;
	session->recipient_count = 0;
	session->forwarded = (struct smtp_client){0};
	if (session->in_data)
		smtp_data_done(&session->data);
	session->in_data = false;
	smtp_forget_pieces(session);
	smtp_bounds_forget(session);
}

void smtp_reset_session(struct smtp_session *session)
{
	smtp_reset_transaction(session);
	session->helo[0] = '\0';
	session->extended = false;
	session->proxied = (struct smtp_client){0};
}

static void greet(struct smtp_session *session)
{
	smtp_reply(session, "220 %s ESMTP", session->settings.host_name);
}

struct smtp_session *smtp_session_new(const struct smtp_settings *settings,
	const struct smtp_transport *transport, void *arg, const char *client_ip)
{
	struct smtp_session *session = calloc(1, sizeof *session);

	if (session == NULL)
		return NULL;
	session->settings = *settings;
	session->transport = *transport;
	session->arg = arg;
	snprintf(session->peer_ip, sizeof session->peer_ip, "%s", client_ip);
	greet(session);
	return session;
}

void smtp_session_free(struct smtp_session *session)
{
	if (session == NULL)
		return;
	smtp_reset_transaction(session);
	free(session->recipients);
	free(session);
}

void smtp_copy_name(char name[SMTP_NAME_MAX + 1], const char *from)
{
	size_t length = 0;

	for (; length < SMTP_NAME_MAX && from[length] != '\0'; length++) {
		unsigned char c = (unsigned char)from[length];

		name[length] = c > ' ' && c < 127 && strchr("()<>\",;\\", c) == NULL ? (char)c
										     : '?';
	}
	name[length] = '\0';
}

static void reply_extensions(struct smtp_session *session)
{
	smtp_reply(session, "250-%s", session->settings.host_name);
	smtp_reply(session, "250-PIPELINING");
	smtp_reply(session, "250-SIZE %zu", session->settings.budget->message_max);
	smtp_reply(session, "250-8BITMIME");
	smtp_reply(session, "250-SMTPUTF8");
	if (session->settings.tls_offered && session->tls[0] == '\0')
		smtp_reply(session, "250-STARTTLS");
	if (session->settings.trusted) {
		smtp_reply(session, "250-XCLIENT NAME ADDR PORT PROTO HELO");
		smtp_reply(session, "250-XFORWARD NAME ADDR PORT PROTO HELO IDENT SOURCE");
	}
	smtp_reply(session, "250 ENHANCEDSTATUSCODES");
}

/* Handles EHLO and HELO. Accepts a name of any syntax: the test reports how receivers judge the
 * name, so this server does not refuse it. */
static void say_hello(struct smtp_session *session, char *argument, bool extended)
{
	if (*argument == '\0') {
		smtp_refuse(session, "501 5.5.4 say your host's name");
		return;
	}
	/* The limit of RFC 5321 section 4.5.3.1.2. A longer name is refused, because a shortened
	 * one would be a different name. */
	if (strlen(argument) > SMTP_NAME_MAX) {
		smtp_refuse(session, "501 5.5.4 a host's name may have %d octets at most",
			SMTP_NAME_MAX);
		return;
	}
	smtp_reset_transaction(session);
	smtp_copy_name(session->helo, argument);
	session->extended = extended;
	if (extended)
		reply_extensions(session);
	else
		smtp_reply(session, "250 %s", session->settings.host_name);
}

static void command_ehlo(struct smtp_session *session, char *argument)
{
	say_hello(session, argument, true);
}

static void command_helo(struct smtp_session *session, char *argument)
{
	say_hello(session, argument, false);
}

static void command_rset(struct smtp_session *session, char *argument)
{
	if (*argument != '\0') {
		smtp_refuse(session, "501 5.5.4 RSET takes no argument");
		return;
	}
	smtp_reset_transaction(session);
	smtp_reply(session, "250 2.0.0 forgotten");
}

static void command_noop(struct smtp_session *session, char *argument)
{
	(void)argument;
	smtp_reply(session, "250 2.0.0 still here");
}

static void command_quit(struct smtp_session *session, char *argument)
{
	(void)argument;
	smtp_reply(session, "221 2.0.0 goodbye");
	smtp_close(session);
}

/* VRFY does not disclose which addresses exist (RFC 5321 section 7.3). */
static void command_vrfy(struct smtp_session *session, char *argument)
{
	(void)argument;
	smtp_reply(session, "252 2.5.0 try RCPT");
}

static void command_expn(struct smtp_session *session, char *argument)
{
	(void)argument;
	smtp_refuse(session, "502 5.5.1 this server has no mailing lists to expand");
}

static void command_help(struct smtp_session *session, char *argument)
{
	(void)argument;
	smtp_reply(session, "214 2.0.0 EHLO HELO MAIL RCPT DATA RSET NOOP QUIT VRFY STARTTLS HELP");
}

/* Handles STARTTLS (RFC 3207). Octets that were sent before the handshake are not protected by TLS,
 * and an attacker on the path may have injected them. So the session ends if there are any (command
 * injection, CVE-2011-0411). */
static void command_starttls(struct smtp_session *session, char *argument)
{
	if (!session->settings.tls_offered) {
		smtp_refuse(session, "502 5.5.1 no TLS here");
	} else if (session->tls[0] != '\0') {
		smtp_refuse(session, "503 5.5.1 TLS is active already");
	} else if (*argument != '\0') {
		smtp_refuse(session, "501 5.5.4 STARTTLS takes no argument");
	} else if (session->more_input) {
		smtp_close(session);
	} else {
		smtp_reset_session(session);
		session->wait = SMTP_WAIT_TLS;
		smtp_reply(session, "220 2.0.0 ready for TLS");
		session->transport.on_start_tls(session->arg);
	}
}

void smtp_session_tls(struct smtp_session *session, const char *tls)
{
	session->wait = SMTP_WAIT_NONE;
	session->steps++;
	snprintf(session->tls, sizeof session->tls, "%s", tls);
}

static void (*const commands[SMTP_UNKNOWN])(struct smtp_session *session, char *argument) = {
	[SMTP_EHLO] = command_ehlo,
	[SMTP_HELO] = command_helo,
	[SMTP_MAIL] = smtp_command_mail,
	[SMTP_RCPT] = smtp_command_rcpt,
	[SMTP_DATA] = smtp_command_data,
	[SMTP_RSET] = command_rset,
	[SMTP_NOOP] = command_noop,
	[SMTP_QUIT] = command_quit,
	[SMTP_VRFY] = command_vrfy,
	[SMTP_EXPN] = command_expn,
	[SMTP_HELP] = command_help,
	[SMTP_STARTTLS] = command_starttls,
	[SMTP_XCLIENT] = smtp_command_xclient,
	[SMTP_XFORWARD] = smtp_command_xforward,
};

static void play(struct smtp_session *session, char *line)
{
	char *argument;
	enum smtp_verb verb = smtp_command_parse(line, &argument);

	session->steps++;
	if (verb == SMTP_UNKNOWN) {
		smtp_refuse(session, "500 5.5.2 command not known");
	} else if (session->more_input &&
		(verb == SMTP_EHLO || verb == SMTP_HELO || verb == SMTP_DATA)) {
		/* In a pipelined group of commands, EHLO, HELO and DATA must be the last (RFC 2920
		 * section 3.1). Input after such a command may be the message, or commands sent
		 * under wrong assumptions, so no part of this input is executed. */
		smtp_reply(session, "503 5.5.1 wait for the answer to this command");
		smtp_session_end(session, "4.7.0 input was sent before the reply to the command");
	} else {
		commands[verb](session, argument);
	}
}

/* Processes one line, without its LF. */
static void take_line(struct smtp_session *session, const char *bytes, size_t length)
{
	char line[SMTP_LINE_MAX + 1];

	if (session->discarding || length > SMTP_LINE_MAX + 1) {
		session->discarding = false;
		smtp_refuse(
			session, "500 5.5.2 a command may have %d octets at most", SMTP_LINE_MAX);
		return;
	}
	if (length == 0 || memchr(bytes, '\r', length) != bytes + length - 1 ||
		memchr(bytes, '\0', length) != NULL) {
		smtp_refuse(session, "500 5.5.2 a command must end with CR LF and contain no NUL");
		return;
	}
	memcpy(line, bytes, length - 1);
	line[length - 1] = '\0';
	play(session, line);
}

static size_t take_command(struct smtp_session *session, const char *bytes, size_t length)
{
	const char *lf = memchr(bytes, '\n', length);

	if (lf != NULL) {
		size_t taken = (size_t)(lf - bytes) + 1;

		session->more_input = taken < length;
		take_line(session, bytes, taken - 1);
		return taken;
	}
	if (length <= SMTP_LINE_MAX + 1)
		return 0;
	session->discarding = true;
	return length;
}

static size_t take_data(struct smtp_session *session, const char *bytes, size_t length)
{
	size_t taken = smtp_data_take(&session->data, bytes, length);

	if (session->data.ended) {
		session->steps++;
		smtp_finish_data(session);
	} else if (smtp_data_is_full(&session->data)) {
		smtp_give_piece(session);
	} else if (session->data.fault != SMTP_DATA_GOOD) {
		smtp_forget_pieces(session);
	}
	return taken;
}

size_t smtp_session_input(struct smtp_session *session, const char *bytes, size_t length)
{
	size_t used = 0;

	while (used < length && session->wait == SMTP_WAIT_NONE && !session->closed) {
		size_t taken = session->in_data
			? take_data(session, bytes + used, length - used)
			: take_command(session, bytes + used, length - used);

		if (taken == 0)
			break;
		used += taken;
	}
	return used;
}

bool smtp_session_in_data(const struct smtp_session *session)
{
	return session->in_data;
}

size_t smtp_session_held(const struct smtp_session *session)
{
	return session->in_data ? session->data.held : 0;
}

bool smtp_session_waiting(const struct smtp_session *session)
{
	return session->wait != SMTP_WAIT_NONE;
}

bool smtp_session_closed(const struct smtp_session *session)
{
	return session->closed;
}

unsigned smtp_session_steps(const struct smtp_session *session)
{
	return session->steps;
}
