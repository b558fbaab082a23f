/* A whole SMTP session, in every state. The first octet chooses the peer, the division of the
 * octets into pieces, and whether answers come at once; the rest is the text from the peer. */
#include <ctype.h>
#include <stdlib.h>

#include "local/smtp/smtp-session.h"
#include "local/smtp/smtp-transaction.h"
#include "tests/fuzz/fuzz.h"

enum {
	BUDGET_BYTES = 1024 * 1024,
	MESSAGE_BYTES_MAX = 200, /* small, so that fuzz inputs reach the limit */
	PIECE_BYTES = 40,
	TRUSTED = 0x01,
	NO_TLS = 0x02,
	LATER = 0x04, /* questions about recipients are answered only after the whole input */
	NOT_STORED = 0x08,
	/* the input is given in pieces whose size the next bits give; otherwise line by line */
	PIECES = 0x80,
	PIECE_SHIFT = 4,
	PIECE_MASK = 0x7,
};

struct peer {
	struct smtp_session *session;
	struct smtp_budget budget;
	uint8_t mode;
	bool asked, storing, keeping, starting, closed;
	char kept[MESSAGE_BYTES_MAX]; /* the pieces of a large message */
	size_t kept_length;
	char first; /* the first letter of the recipient, which chooses its limits */
};

/* Each reply must be lines of a code and a text, whatever the peer has sent. */
static void on_reply(void *arg, const char *bytes, size_t length)
{
	struct peer *peer = arg;

	FUZZ_ASSERT(!peer->closed);
	FUZZ_ASSERT(length >= 6 && bytes[length - 2] == '\r' && bytes[length - 1] == '\n');
	for (size_t at = 0; at < length;) {
		const char *end = memchr(bytes + at, '\n', length - at);
		size_t line = (size_t)(end - bytes) - at + 1;

		FUZZ_ASSERT(line >= 6 && isdigit((unsigned char)bytes[at]) &&
			(bytes[at + 3] == ' ' || bytes[at + 3] == '-'));
		for (size_t i = 0; i < line - 2; i++)
			FUZZ_ASSERT(!iscntrl((unsigned char)bytes[at + i]));
		at += line;
	}
}

static void answer_recipient(struct peer *peer)
{
	peer->asked = false;
	if (peer->first == 'n')
		smtp_session_recipient(
			peer->session, SMTP_RECIPIENT_REFUSED, NULL, "no\r\n250 mailbox");
	else if (peer->first == 'u')
		smtp_session_recipient(peer->session, SMTP_RECIPIENT_UNKNOWN, NULL, NULL);
	else
		smtp_session_recipient(
			peer->session, SMTP_RECIPIENT_TAKEN, peer->first == 'o' ? "o" : "f", NULL);
}

static void on_recipient(
	void *arg, struct smtp_connection *connection, const char *address, const char *client)
{
	struct peer *peer = arg;

	(void)connection;
	(void)client;
	FUZZ_ASSERT(strlen(address) <= SMTP_ADDRESS_MAX && strchr(address, '@') != NULL);
	FUZZ_ASSERT(strpbrk(address, "\r\n<>%!\" ") == NULL);
	peer->first = address[0];
	peer->asked = true;
	if (!(peer->mode & LATER))
		answer_recipient(peer);
}

static void answer_stored(struct peer *peer)
{
	peer->storing = false;
	smtp_session_stored(
		peer->session, peer->mode & NOT_STORED ? SMTP_NOT_STORED : SMTP_STORED, "id");
}

/* RFC 5321 section 2.3.8: lines end with CRLF and hold neither CR nor LF. */
static void check_message(const char *message, size_t length)
{
	FUZZ_ASSERT(length == 0 || message[length - 1] == '\n');
	FUZZ_ASSERT(length <= MESSAGE_BYTES_MAX && memchr(message, '\0', length) == NULL);
	for (size_t i = 0; i < length; i++) {
		if (message[i] == '\n')
			FUZZ_ASSERT(i > 0 && message[i - 1] == '\r');
		if (message[i] == '\r')
			FUZZ_ASSERT(i + 1 < length && message[i + 1] == '\n');
	}
}

static void keep_piece(struct peer *peer, const struct smtp_mail *mail)
{
	FUZZ_ASSERT(peer->kept_length + mail->length <= sizeof peer->kept);
	if (mail->length > 0)
		memcpy(peer->kept + peer->kept_length, mail->message, mail->length);
	peer->kept_length += mail->length;
	free(mail->message);
}

static void answer_kept(struct peer *peer)
{
	bool kept = !(peer->mode & NOT_STORED);

	peer->keeping = false;
	if (!kept)
		peer->kept_length = 0;
	smtp_session_kept(peer->session, kept);
}

static void on_keep(void *arg, struct smtp_connection *connection, const struct smtp_mail *mail)
{
	struct peer *peer = arg;

	(void)connection;
	FUZZ_ASSERT(mail->given == peer->kept_length && mail->length >= PIECE_BYTES);
	keep_piece(peer, mail);
	peer->keeping = true;
	if (!(peer->mode & LATER))
		answer_kept(peer);
}

static void on_forget(void *arg, struct smtp_connection *connection)
{
	(void)connection;
	((struct peer *)arg)->kept_length = 0;
}

static void on_store(void *arg, struct smtp_connection *connection, const struct smtp_mail *mail)
{
	struct peer *peer = arg;

	(void)connection;
	FUZZ_ASSERT(mail->recipient_count > 0 && mail->recipient_count <= SMTP_RECIPIENTS_MAX);
	FUZZ_ASSERT(
		strpbrk(mail->helo, "\r\n()") == NULL && strpbrk(mail->mail_from, "\r\n") == NULL);
	FUZZ_ASSERT(mail->given == peer->kept_length && !peer->keeping);
	keep_piece(peer, mail);
	check_message(peer->kept, peer->kept_length);
	peer->kept_length = 0;
	smtp_share_settle(mail->share, mail->held_bytes);
	peer->storing = true;
	if (!(peer->mode & LATER))
		answer_stored(peer);
}

static void on_start_tls(void *arg)
{
	struct peer *peer = arg;

	FUZZ_ASSERT(!(peer->mode & NO_TLS));
	peer->starting = true;
}

static void on_close(void *arg)
{
	((struct peer *)arg)->closed = true;
}

static void on_refused(void *arg, const struct smtp_mail *envelope, const char *reply)
{
	(void)arg;
	(void)envelope;
	(void)reply;
}

static void answer_all(struct peer *peer)
{
	if (peer->asked)
		answer_recipient(peer);
	if (peer->storing)
		answer_stored(peer);
	if (peer->keeping)
		answer_kept(peer);
	if (peer->starting)
		smtp_session_tls(peer->session, "TLSv1.3 X");
	peer->starting = false;
}

static size_t next_piece(const struct peer *peer, const char *bytes, size_t left)
{
	size_t size = (size_t)1 << (peer->mode >> PIECE_SHIFT & PIECE_MASK);
	const char *end = memchr(bytes, '\n', left);

	if (!(peer->mode & PIECES))
		size = end == NULL ? left : (size_t)(end - bytes) + 1;
	return size < left ? size : left;
}

/* Gives the octets in pieces; octets that the session does not take are given again with the next
 * ones. */
static void say(struct peer *peer, const char *bytes, size_t length)
{
	size_t taken = 0;
	size_t given = 0;

	for (size_t before = 1;
		given < length || taken != before || smtp_session_waiting(peer->session);) {
		answer_all(peer);
		if (peer->closed)
			break;
		before = taken;
		given += next_piece(peer, bytes + given, length - given);
		taken += smtp_session_input(peer->session, bytes + taken, given - taken);
		FUZZ_ASSERT(taken <= given);
	}
	answer_all(peer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct smtp_transport transport = {
		.on_reply = on_reply, .on_start_tls = on_start_tls, .on_close = on_close};
	struct peer peer = {.mode = size > 0 ? data[0] : 0};
	struct smtp_settings settings = {
		.host_name = "mx.example",
		.tls_offered = !(peer.mode & NO_TLS),
		.trusted = peer.mode & TRUSTED,
		.budget = &peer.budget,
		.intake = {.on_recipient = on_recipient,
			.on_store = on_store,
			.on_keep = on_keep,
			.on_forget = on_forget,
			.on_refused = on_refused},
		.intake_arg = &peer,
	};

	peer.budget.max = peer.budget.share_max = BUDGET_BYTES;
	peer.budget.message_max = MESSAGE_BYTES_MAX;
	peer.budget.piece = PIECE_BYTES;
	peer.session = smtp_session_new(&settings, &transport, &peer, "192.0.2.7");
	if (size > 1)
		say(&peer, (const char *)data + 1, size - 1);
	if (!peer.closed)
		smtp_session_end(peer.session, "4.4.2 too late");
	smtp_session_free(peer.session);
	FUZZ_ASSERT(peer.budget.used == 0);
	return 0;
}
