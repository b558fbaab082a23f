#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "local/smtp/smtp-bounds.h"
#include "local/smtp/smtp-session-state.h"
#include "local/smtp/smtp-transaction.h"
#include "runtime/text/utf8.h"

/* The TLS of this connection; "" when a trusted proxy sent ADDR, since this server cannot see how
 * the client reached the proxy. */
static const char *tls_of(const struct smtp_session *session)
{
	if (session->proxied.has_ip || session->forwarded.has_ip)
		return "";
	return session->tls[0] != '\0' ? session->tls : "none";
}

/* If a trusted proxy sent data about the client, these replace the data of this connection. */
void smtp_fill_envelope(const struct smtp_session *session, struct smtp_mail *mail)
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
	snprintf(mail->tls, sizeof mail->tls, "%s", tls_of(session));
}

void smtp_refuse_mail(struct smtp_session *session, bool error, const char *format, ...)
{
	struct smtp_mail envelope = {0};
	char reply[SMTP_REPLY_MAX];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reply, sizeof reply, format, arguments);
	va_end(arguments);
	smtp_fill_envelope(session, &envelope);
	session->settings.intake.on_refused(session->settings.intake_arg, &envelope, reply);
	(error ? smtp_refuse : smtp_reply)(session, "%s", reply);
}

/* True if the declared size (RFC 1870) is too large; sets *odd when the value is not a number of 1
 * to 20 digits. */
static bool too_big(struct smtp_session *session, const char *value, bool *odd)
{
	size_t digits = strspn(value, "0123456789");

	*odd = digits == 0 || digits > 20 || value[digits] != '\0';
	if (*odd)
		return false;
	session->declared = digits > 9 ? SIZE_MAX : strtoul(value, NULL, 10);
	return session->declared > session->settings.budget->message_max;
}

/* Checks the parameters of MAIL; false after sending the refusal. */
static bool check_mail_parameters(struct smtp_session *session, const char *list)
{
	struct smtp_parameter parameter;
	bool odd;

	while (smtp_parameter_next(&list, &parameter)) {
		odd = parameter.odd;
		if (!odd && strcasecmp(parameter.name, "SIZE") == 0) {
			if (too_big(session, parameter.value, &odd)) {
				smtp_refuse_mail(session, true,
					"552 5.3.4 a message may have %zu octets at most",
					session->settings.budget->message_max);
				return false;
			}
		} else if (!odd && strcasecmp(parameter.name, "BODY") == 0) {
			odd = strcasecmp(parameter.value, "7BIT") != 0 &&
				strcasecmp(parameter.value, "8BITMIME") != 0;
		} else if (!odd && strcasecmp(parameter.name, "SMTPUTF8") == 0) {
			odd = parameter.value[0] != '\0';
			session->utf8 = true;
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

/* Checks an address with octets outside ASCII, which needs the SMTPUTF8 extension and must be UTF-8
 * (RFC 6531 section 3.5). */
static bool check_octets(struct smtp_session *session, const struct smtp_path *path)
{
	const char *at = path->address;
	size_t left = strlen(at);

	if (!path->utf8)
		return true;
	while (left > 0) {
		size_t used = rt_utf8_length(at, left);

		if (used == 0)
			break;
		at += used;
		left -= used;
	}
	if (session->utf8 && left == 0)
		return true;
	smtp_refuse_mail(session, true,
		left > 0 ? "553 5.6.7 the address is not UTF-8"
			 : "553 5.6.7 an address with characters outside ASCII needs SMTPUTF8");
	return false;
}

/* True if the client's mail is refused. The client is the one that a trusted proxy named, else the
 * peer. */
static bool is_blocked(const struct smtp_session *session)
{
	const struct rt_cidr_list *blocked = session->settings.blocked;
	struct smtp_mail envelope = {0};
	struct rt_ip ip;

	smtp_fill_envelope(session, &envelope);
	return blocked != NULL && rt_ip_parse(envelope.client_ip, &ip) &&
		rt_cidrs_contain(blocked->items, blocked->count, &ip);
}

void smtp_command_mail(struct smtp_session *session, char *argument)
{
	struct smtp_path path;
	const char *parameters;

	if (!session->has_mail) {
		session->utf8 = false;
		session->declared = 0;
	}
	if (session->helo[0] == '\0')
		smtp_refuse(session, "503 5.5.1 say EHLO first");
	else if (session->has_mail)
		smtp_refuse(session, "503 5.5.1 a message is under way already");
	else if (is_blocked(session))
		smtp_refuse_mail(
			session, true, "554 5.7.1 mail from your network is not accepted here");
	else if (!smtp_path_parse(argument, "FROM", &path, &parameters) || path.postmaster)
		smtp_refuse(session, "501 5.1.7 write MAIL FROM:<user@example.com>");
	else if (path.source_route)
		smtp_refuse(session, "550 5.1.7 no source routes");
	else if (check_mail_parameters(session, parameters) && check_octets(session, &path)) {
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
		/* RFC 5321 section 4.5.3.1.10: the client sends the remaining recipients in another
		 * transaction. */
		smtp_refuse_mail(session, false,
			"452 4.5.3 a message may have %d recipients at most", SMTP_RECIPIENTS_MAX);
	} else {
		session->wait = SMTP_WAIT_RECIPIENT;
		smtp_bounds_ask(session);
		session->settings.intake.on_recipient(session->settings.intake_arg, session->arg,
			session->asked, session->asked_for);
	}
}

void smtp_command_rcpt(struct smtp_session *session, char *argument)
{
	struct smtp_path path;
	const char *parameters;

	if (!session->has_mail)
		smtp_refuse(session, "503 5.5.1 say MAIL first");
	else if (!smtp_path_parse(argument, "TO", &path, &parameters) || path.address[0] == '\0')
		smtp_refuse_mail(session, true, "501 5.1.3 write RCPT TO:<user@example.com>");
	else if (path.postmaster)
		smtp_refuse_mail(session, true, "550 5.1.1 postmaster has no mailbox here");
	else if (!check_octets(session, &path))
		return;
	else if (path.source_route || path.quoted || path.rerouted)
		smtp_refuse_mail(
			session, true, "550 5.1.3 addresses of this form are not accepted here");
	else if (parameters[strspn(parameters, " ")] != '\0')
		smtp_refuse_mail(session, true, "555 5.5.4 RCPT takes no parameters");
	else
		ask(session, &path);
}

/* Makes room for one more recipient. The first allocation has room for one, since most messages
 * have one recipient and some sessions none. */
static bool make_room(struct smtp_session *session)
{
	size_t room = session->recipient_room > 0 ? 2 * session->recipient_room : 1;
	struct smtp_recipient *recipients;

	if (session->recipient_count < session->recipient_room)
		return true;
	recipients = realloc(session->recipients, room * sizeof *recipients);
	if (recipients == NULL)
		return false;
	session->recipients = recipients;
	session->recipient_room = room;
	return true;
}

static bool add_recipient(struct smtp_session *session, const char *function)
{
	struct smtp_recipient *recipient;

	if (strlen(function) > SMTP_FUNCTION_MAX || !make_room(session))
		return false;
	recipient = &session->recipients[session->recipient_count++];
	memcpy(recipient->address, session->asked, sizeof recipient->address);
	snprintf(recipient->function, sizeof recipient->function, "%s", function);
	return true;
}

/* Refuses the recipient. The reason comes from a function and may quote untrusted text, so it must
 * not add lines to the reply. */
static void reply_refused(struct smtp_session *session, const char *reason)
{
	char text[SMTP_REPLY_MAX / 4];
	size_t length = 0;

	if (reason == NULL || *reason == '\0')
		reason = "no such recipient here";
	for (; length < sizeof text - 1 && reason[length] != '\0'; length++)
		text[length] = reason[length] >= ' ' && reason[length] < 127 ? reason[length] : '?';
	text[length] = '\0';
	smtp_refuse_mail(session, true, "550 5.1.1 %s", text);
}

void smtp_session_recipient(struct smtp_session *session, enum smtp_verdict verdict,
	const char *function, const char *reason)
{
	session->wait = SMTP_WAIT_NONE;
	if (session->closed)
		return;
	if (verdict == SMTP_RECIPIENT_TAKEN && !smtp_bounds_admit(session))
		return;
	if (verdict == SMTP_RECIPIENT_TAKEN && add_recipient(session, function)) {
		smtp_reply(session, "250 2.1.5 recipient noted");
		return;
	}
	if (verdict == SMTP_RECIPIENT_REFUSED)
		reply_refused(session, reason);
	else
		smtp_refuse_mail(session, false,
			"451 4.3.0 the recipient cannot be looked up now, try again");
}

/* A peer that is not a trusted proxy is the client itself. A trusted proxy names the client with
 * ADDR, or says with ADDR that it does not know the client. */
bool smtp_client_named(const struct smtp_session *session)
{
	return !session->settings.trusted || session->proxied.has_ip || session->forwarded.has_ip;
}

static struct smtp_share *take_share(struct smtp_session *session)
{
	struct smtp_mail envelope = {0};

	smtp_fill_envelope(session, &envelope);
	return smtp_share_take(
		session->settings.budget, smtp_client_named(session) ? envelope.client_ip : NULL);
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
		smtp_data_init(&session->data, session->settings.budget, take_share(session));
		smtp_bounds_data(session);
		session->in_data = true;
		smtp_reply(session, "354 end with <CR><LF>.<CR><LF>");
	}
}

static void refuse_message(struct smtp_session *session, enum smtp_data_fault fault)
{
	static const char *const replies[] = {
		[SMTP_DATA_BAD_OCTETS] = "550 5.6.0 a bare CR, LF or NUL: end lines with CR LF",
		[SMTP_DATA_LONG_LINE] = "500 5.6.0 the message contains a line over 8192 octets",
		[SMTP_DATA_LOOP] = "554 5.4.6 the message went through over 100 servers: a loop",
		[SMTP_DATA_NO_ROOM] = "452 4.3.1 no room for the message now, try again",
	};

	if (fault == SMTP_DATA_TOO_BIG)
		smtp_refuse_mail(session, true, "552 5.3.4 the message has more than %zu octets",
			session->data.max);
	else if (fault == SMTP_DATA_OVER_QUOTA)
		smtp_refuse_mail(session, false, "%s", smtp_bounds_full(session));
	else
		smtp_refuse_mail(session, fault != SMTP_DATA_NO_ROOM, "%s", replies[fault]);
	smtp_reset_transaction(session);
}

static void fill_mail(const struct smtp_session *session, struct smtp_mail *mail)
{
	smtp_fill_envelope(session, mail);
	mail->protocol = "SMTP";
	if (session->extended)
		mail->protocol = "ESMTP";
	if (session->tls[0] != '\0')
		mail->protocol = "ESMTPS";
	if (session->utf8) /* the names of RFC 6531 section 3.7.3 */
		mail->protocol = session->tls[0] != '\0' ? "UTF8SMTPS" : "UTF8SMTP";
	mail->recipients = session->recipients;
	mail->recipient_count = session->recipient_count;
	mail->given = session->data.given;
}

void smtp_finish_data(struct smtp_session *session)
{
	struct smtp_mail mail = {0};

	if (session->data.fault == SMTP_DATA_GOOD && !smtp_bounds_take(session))
		smtp_data_refuse(&session->data, SMTP_DATA_OVER_QUOTA);
	if (session->data.fault != SMTP_DATA_GOOD) {
		refuse_message(session, session->data.fault);
		return;
	}
	fill_mail(session, &mail);
	mail.message = smtp_data_release(
		&session->data, &mail.length, &mail.share, &mail.held_bytes);
	session->in_data = session->has_given = false;
	session->wait = SMTP_WAIT_STORED;
	session->settings.intake.on_store(session->settings.intake_arg, session->arg, &mail);
}

void smtp_give_piece(struct smtp_session *session)
{
	struct smtp_mail mail = {0};

	fill_mail(session, &mail);
	mail.message = smtp_data_give(&session->data, &mail.length);
	session->has_given = true;
	session->wait = SMTP_WAIT_KEPT;
	session->settings.intake.on_keep(session->settings.intake_arg, session->arg, &mail);
}

void smtp_session_kept(struct smtp_session *session, bool kept)
{
	session->wait = SMTP_WAIT_NONE;
	if (session->closed)
		return;
	if (!kept) {
		session->has_given = false;
		smtp_data_refuse(&session->data, SMTP_DATA_NO_ROOM);
	}
	if (session->data.fault != SMTP_DATA_GOOD)
		smtp_forget_pieces(session);
}

void smtp_session_stored(struct smtp_session *session, enum smtp_stored stored, const char *id)
{
	session->wait = SMTP_WAIT_NONE;
	if (session->closed) {
		smtp_reset_transaction(session);
		return;
	}
	if (stored == SMTP_STORED)
		smtp_reply(session, "250 2.0.0 accepted as %s", id);
	else if (stored == SMTP_NOT_STORED)
		smtp_refuse_mail(
			session, false, "451 4.3.1 the message cannot be stored now, try again");
	else
		smtp_refuse_mail(session, false, "452 4.3.1 too much mail is waiting, try again");
	smtp_reset_transaction(session);
}
