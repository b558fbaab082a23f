/* The size limit of a message: by its recipients, and by the room that is left. */
#include "local/smtp/smtp-session.h"

#include "tests/unit/smtp_fixture.h"

static struct held_mail *new_held(void)
{
	static const struct rt_mail_quota quota = {.network = 10000, .all = 50000};
	static const struct rt_cidr_list relays;

	return held_mail_new(&quota, &relays);
}

static int setup(void **state)
{
	*state = open_session_with(false, new_held());
	return 0;
}

static int setup_trusted(void **state)
{
	*state = open_session_with(true, new_held());
	return 0;
}

static const char *recipient(struct peer *peer, const char *mail, const char *address)
{
	char line[256];

	say(peer, "EHLO client.example");
	assert_begins(say(peer, mail), "250");
	snprintf(line, sizeof line, "RCPT TO:<%s@mx.example>", address);
	return say(peer, line);
}

/* A message of this many octets, in lines of at least ten. */
static const char *message(struct peer *peer, size_t octets)
{
	static char text[64 * 1024];
	size_t length = 0;

	assert_begins(say(peer, "DATA"), "354");
	for (; length < octets; length += 10)
		memcpy(text + length, "12345678\r\n", 10);
	memcpy(text + length, ".\r\n", 3);
	return say_bytes(peer, text, length + 3);
}

static void a_declared_size_over_a_recipients_limit_is_refused_at_rcpt(void **state)
{
	struct peer *peer = *state;

	peer->bounds.max_bytes = 1000;
	assert_begins(recipient(peer, "MAIL FROM:<a@b.example> SIZE=1001", "small"),
		"552 5.3.4 a message to this address may have 1000 octets at most\r\n");
	assert_begins(say(peer, "RCPT TO:<large@mx.example>"), "250");
	assert_begins(message(peer, 1100), "250");
	assert_begins(recipient(peer, "MAIL FROM:<a@b.example> SIZE=1000", "small"), "250");
}

static void a_message_over_the_recipients_limit_is_refused_at_its_end(void **state)
{
	struct peer *peer = *state;

	peer->bounds.max_bytes = 1000;
	assert_begins(recipient(peer, "MAIL FROM:<a@b.example>", "small"), "250");
	assert_begins(message(peer, 1010), "552 5.3.4 the message has more than 1000 octets\r\n");
	assert_int_equal(peer->mails, 0);
	assert_begins(recipient(peer, "MAIL FROM:<a@b.example>", "small"), "250");
	assert_begins(message(peer, 1000), "250");
	assert_int_equal(peer->mails, 1);
}

static void the_smallest_limit_of_several_recipients_holds(void **state)
{
	struct peer *peer = *state;

	peer->bounds.max_bytes = 1000;
	assert_begins(recipient(peer, "MAIL FROM:<a@b.example>", "large"), "250");
	assert_begins(say(peer, "RCPT TO:<small@mx.example>"), "250");
	assert_begins(say(peer, "RCPT TO:<larger@mx.example>"), "250");
	assert_begins(message(peer, 1010), "552 5.3.4");
	assert_begins(recipient(peer, "MAIL FROM:<a@b.example>", "large"), "250");
	assert_begins(message(peer, 1010), "250");
}

static void a_sender_without_room_is_told_to_try_later(void **state)
{
	struct peer *peer = *state;

	peer->bounds.stored[HELD_NETWORK] = 10000;
	assert_begins(recipient(peer, "MAIL FROM:<a@b.example>", "small"),
		"452 4.3.1 mail from your network has used up its share of the mail storage here, "
		"try again later\r\n");
	peer->bounds.stored[HELD_NETWORK] = 0;
	peer->bounds.stored[HELD_ALL] = 50000;
	assert_begins(say(peer, "RCPT TO:<small@mx.example>"),
		"452 4.3.1 the mail storage is full, try again later\r\n");
	assert_begins(say(peer, "RCPT TO:<large@mx.example>"), "250");
	assert_begins(message(peer, 10), "250");
}

static void a_declared_size_over_the_room_is_refused_temporarily(void **state)
{
	struct peer *peer = *state;

	peer->bounds.stored[HELD_NETWORK] = 9000;
	assert_begins(recipient(peer, "MAIL FROM:<a@b.example> SIZE=1001", "small"), "452 4.3.1");
	say(peer, "RSET");
	assert_begins(recipient(peer, "MAIL FROM:<a@b.example> SIZE=1000", "small"), "250");
}

static void messages_fill_the_room_until_they_leave(void **state)
{
	struct peer *peer = *state;

	for (int i = 0; i < 3; i++) {
		assert_begins(recipient(peer, "MAIL FROM:<a@b.example>", "small"), "250");
		assert_begins(message(peer, 3000), "250");
	}
	assert_begins(recipient(peer, "MAIL FROM:<a@b.example>", "small"), "250");
	assert_begins(message(peer, 1010), "452 4.3.1 mail from your network");
	assert_int_equal(held_mail_octets(peer->held), 9000);
	held_mail_give_back(peer->held, "192.0.2.7", 3000);
	assert_begins(recipient(peer, "MAIL FROM:<a@b.example>", "small"), "250");
	assert_begins(message(peer, 1010), "250");
}

/* Two clients may both have heard at RCPT that there is room for one message, so the room is
 * checked again when each message ends. */
static void the_room_is_checked_when_the_message_ends(void **state)
{
	struct peer *peer = *state;

	assert_begins(recipient(peer, "MAIL FROM:<a@b.example>", "small"), "250");
	assert_begins(say(peer, "DATA"), "354");
	held_mail_take(peer->held, "192.0.2.7", 9990);
	assert_begins(say(peer, "123456789\r\n."), "452 4.3.1");
	held_mail_give_back(peer->held, "192.0.2.7", 9990);
}

static void a_trusted_proxy_is_not_limited_but_its_clients_are(void **state)
{
	struct peer *peer = *state;

	peer->bounds.stored[HELD_NETWORK] = 10000;
	assert_begins(recipient(peer, "MAIL FROM:<a@b.example>", "small"), "250");
	say(peer, "RSET");
	assert_begins(say(peer, "XCLIENT ADDR=192.0.2.99"), "220");
	assert_begins(recipient(peer, "MAIL FROM:<a@b.example>", "small"), "452 4.3.1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SESSION(a_declared_size_over_a_recipients_limit_is_refused_at_rcpt),
		SESSION(a_message_over_the_recipients_limit_is_refused_at_its_end),
		SESSION(the_smallest_limit_of_several_recipients_holds),
		SESSION(a_sender_without_room_is_told_to_try_later),
		SESSION(a_declared_size_over_the_room_is_refused_temporarily),
		SESSION(messages_fill_the_room_until_they_leave),
		SESSION(the_room_is_checked_when_the_message_ends),
		PROXY(a_trusted_proxy_is_not_limited_but_its_clients_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
