/* An SMTP session without a network: the sent octets, the replies, and the stored messages. */
#ifndef TEST_SMTP_FIXTURE_H
#define TEST_SMTP_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h requires the four headers above. */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "local/smtp/smtp-bounds.h"
#include "local/smtp/smtp-session.h"
#include "local/smtp/smtp-transaction.h"

enum {
	OUTPUT_MAX = 64 * 1024,
};

/* Takes the place of the runner's intake: it answers questions about recipients at once, unless
 * wait is set. */
struct peer {
	struct smtp_session *session;
	struct smtp_budget budget;
	char output[OUTPUT_MAX];
	size_t output_length;
	char asked[SMTP_ADDRESS_MAX + 1];
	int asked_count;
	bool wait; /* if set, a question about a recipient gets no answer yet */
	struct held_mail *held;
	struct smtp_bounds bounds; /* the limits for recipients whose address begins with "small" */
	enum smtp_stored stored;
	int mails;
	struct smtp_mail mail; /* the last stored message */
	struct smtp_recipient recipients[SMTP_RECIPIENTS_MAX];
	bool tls_started;
	bool closed;
	char kept[16 * 1024 * 1024]; /* pieces of a large message */
	size_t kept_length;
	int pieces;
	int forgotten;
	bool wait_kept;
	bool disk_full;
	int refused;
	char refusal[2048]; /* the last refusal: client, HELO, MAIL FROM and reply */
};

static void on_reply(void *arg, const char *bytes, size_t length)
{
	struct peer *peer = arg;

	assert_true(peer->output_length + length < OUTPUT_MAX);
	memcpy(peer->output + peer->output_length, bytes, length);
	peer->output_length += length;
	peer->output[peer->output_length] = '\0';
}

static void on_recipient(
	void *arg, struct smtp_connection *connection, const char *address, const char *client)
{
	struct peer *peer = arg;

	(void)connection;
	(void)client;
	snprintf(peer->asked, sizeof peer->asked, "%s", address);
	peer->asked_count++;
	if (peer->wait)
		return;
	if (strncmp(address, "unknown", 7) == 0)
		smtp_session_recipient(
			peer->session, SMTP_RECIPIENT_REFUSED, NULL, "nobody\r\n250");
	else if (strncmp(address, "broken", 6) == 0)
		smtp_session_recipient(peer->session, SMTP_RECIPIENT_UNKNOWN, NULL, NULL);
	else {
		if (strncmp(address, "small", 5) == 0)
			smtp_session_bounds(peer->session, &peer->bounds);
		smtp_session_recipient(peer->session, SMTP_RECIPIENT_TAKEN, "tester", NULL);
	}
}

static void on_store(void *arg, struct smtp_connection *connection, const struct smtp_mail *mail)
{
	struct peer *peer = arg;

	(void)connection;
	free(peer->mail.message);
	peer->mail = *mail;
	memcpy(peer->recipients, mail->recipients,
		mail->recipient_count * sizeof *mail->recipients);
	smtp_share_settle(mail->share, mail->held_bytes);
	peer->mails++;
	smtp_session_stored(peer->session, peer->stored, "id-1");
}

/* Collects the pieces of a large message until the last one has arrived or the message is
 * dropped. */
static void on_keep(void *arg, struct smtp_connection *connection, const struct smtp_mail *mail)
{
	struct peer *peer = arg;

	(void)connection;
	assert_int_equal(mail->given, peer->kept_length);
	assert_true(peer->kept_length + mail->length <= sizeof peer->kept);
	memcpy(peer->kept + peer->kept_length, mail->message, mail->length);
	peer->kept_length += mail->length;
	peer->pieces++;
	free(mail->message);
	if (!peer->wait_kept)
		smtp_session_kept(peer->session, !peer->disk_full);
}

static void on_forget(void *arg, struct smtp_connection *connection)
{
	struct peer *peer = arg;

	(void)connection;
	peer->kept_length = 0;
	peer->forgotten++;
}

static void on_start_tls(void *arg)
{
	((struct peer *)arg)->tls_started = true;
}

static void on_close(void *arg)
{
	((struct peer *)arg)->closed = true;
}

static void on_refused(void *arg, const struct smtp_mail *envelope, const char *reply)
{
	struct peer *peer = arg;

	peer->refused++;
	snprintf(peer->refusal, sizeof peer->refusal, "%s %s %s %s", envelope->client_ip,
		envelope->helo, envelope->mail_from, reply);
}

/* held is the counter of the quotas that the session uses; NULL for no quotas. */
static struct peer *open_session_with(bool trusted, struct held_mail *held)
{
	static const struct smtp_transport transport = {
		.on_reply = on_reply, .on_start_tls = on_start_tls, .on_close = on_close};
	struct peer *peer = calloc(1, sizeof *peer);
	struct smtp_settings settings = {.host_name = "mx.example",
		.tls_offered = true,
		.trusted = trusted,
		.budget = &peer->budget,
		.held = held,
		.intake = {.on_recipient = on_recipient,
			.on_store = on_store,
			.on_keep = on_keep,
			.on_forget = on_forget,
			.on_refused = on_refused},
		.intake_arg = peer};
	peer->held = held;
	smtp_budget_init(&peer->budget);
	peer->session = smtp_session_new(&settings, &transport, peer, "192.0.2.7");
	return peer;
}

static inline struct peer *open_session(bool trusted)
{
	return open_session_with(trusted, NULL);
}

static int teardown(void **state)
{
	struct peer *peer = *state;

	smtp_session_free(peer->session);
	if (peer->held != NULL)
		held_mail_free(peer->held);
	assert_int_equal(peer->budget.used, 0);
	free(peer->mail.message);
	free(peer);
	return 0;
}

/* Gives octets to the session and returns its replies to them. */
static const char *say_bytes(struct peer *peer, const char *bytes, size_t length)
{
	size_t before = peer->output_length;

	smtp_session_input(peer->session, bytes, length);
	return peer->output + before;
}

static const char *say(struct peer *peer, const char *line)
{
	char text[SMTP_LINE_MAX * 2];
	int length = snprintf(text, sizeof text, "%s\r\n", line);

	return say_bytes(peer, text, (size_t)length);
}

static void assert_begins(const char *answer, const char *code)
{
	if (strncmp(answer, code, strlen(code)) != 0)
		fail_msg("answered \"%s\", not %s", answer, code);
}

static inline void begin_message(struct peer *peer)
{
	peer->kept_length = 0;
	say(peer, "EHLO client.example");
	assert_begins(say(peer, "MAIL FROM:<a@example.com>"), "250");
	assert_begins(say(peer, "RCPT TO:<b@mx.example>"), "250");
	assert_begins(say(peer, "DATA"), "354");
}

#define SESSION(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
#define PROXY(test) cmocka_unit_test_setup_teardown(test, setup_trusted, teardown)

#endif
