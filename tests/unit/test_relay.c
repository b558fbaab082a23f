/* Sending mail through a relay: what each of its replies means for the message. The relay is a
 * child that answers as the case says. */
#include "functions/lib/fetch/relay.h"
#include "runtime/config/config.h"
#include "tests/support/test-event.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	HEARD_MAX = 4096,
	LINE_MAX_BYTES = 1024,
};

enum command { GREETING, EHLO, MAIL, RCPT, DATA, END, COMMANDS };

/* Shared with the relay. */
struct shared {
	char replies[COMMANDS][LINE_MAX_BYTES]; /* "": it closes the connection */
	char heard[HEARD_MAX];
	int connections;
};

static const char *const good[COMMANDS] = {"220 relay.example", "250 relay.example", "250 2.1.0 ok",
	"250 2.1.5 ok", "354 go on", "250 2.0.0 taken"};

static struct shared *shared;
static struct eds_relay *relay;
static pid_t server;

static enum command command_of(const char *line, bool within_text)
{
	if (within_text)
		return END;
	if (strncmp(line, "EHLO", 4) == 0)
		return EHLO;
	if (strncmp(line, "MAIL", 4) == 0)
		return MAIL;
	return strncmp(line, "RCPT", 4) == 0 ? RCPT : DATA;
}

static bool reply(FILE *out, enum command command)
{
	if (shared->replies[command][0] == '\0')
		return false;
	fprintf(out, "%s\r\n", shared->replies[command]);
	return fflush(out) == 0;
}

static void talk(int fd)
{
	FILE *in = fdopen(fd, "r");
	FILE *out = fdopen(dup(fd), "w");
	char line[LINE_MAX_BYTES];
	bool within_text = false;
	bool open = reply(out, GREETING);

	shared->connections++;
	while (open && fgets(line, sizeof line, in) != NULL) {
		enum command command = command_of(line, within_text);

		strncat(shared->heard, line, HEARD_MAX - 1 - strlen(shared->heard));
		if (strncmp(line, "QUIT", 4) == 0 && !within_text) {
			fputs("221 bye\r\n", out);
			break;
		}
		if (within_text && strcmp(line, ".\r\n") != 0)
			continue;
		open = reply(out, command);
		within_text = command == DATA && shared->replies[DATA][0] == '3';
	}
	fclose(in);
	fclose(out);
}

static int listen_on_loopback(struct sockaddr_in *address)
{
	socklen_t length = sizeof *address;
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	*address = (struct sockaddr_in){
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	assert_int_equal(bind(listener, (struct sockaddr *)address, length), 0);
	assert_int_equal(listen(listener, 5), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)address, &length), 0);
	return listener;
}

static int start(void **state)
{
	struct sockaddr_in address;
	int listener = listen_on_loopback(&address);
	char url[64];

	(void)state;
	shared = mmap(
		NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(shared != MAP_FAILED);
	server = fork();
	if (server == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (int fd; (fd = accept(listener, NULL, NULL)) >= 0;)
			talk(fd);
		_exit(0);
	}
	close(listener);
	snprintf(url, sizeof url, "smtp://127.0.0.1:%d", ntohs(address.sin_port));
	setenv("EDS_ALERT_RELAY", url, 1);
	rt_config_require();
	return 0;
}

static int stop(void **state)
{
	(void)state;
	return kill(server, SIGKILL);
}

static void answer_with(enum command command, const char *text)
{
	for (int i = 0; i < COMMANDS; i++)
		strcpy(shared->replies[i], good[i]);
	strcpy(shared->replies[command], text);
	shared->heard[0] = '\0';
}

static struct eds_relay_answer send_mail(void)
{
	static const char text[] = "Subject: x\r\n\r\n.a line\r\n";
	const struct eds_relay_mail mail = {.from = "alerts@eds.example",
		.to = "b@b.example",
		.hello = "eds.example",
		.text = text,
		.length = sizeof text - 1};
	struct eds_relay_answer answer;

	eds_relay_send(relay, &mail, &answer);
	return answer;
}

static int begin(void **state)
{
	test_event_begin(state);
	return eds_relay_new(&test_event, &relay) == RT_OK ? 0 : -1;
}

#define RELAY_TEST(name) cmocka_unit_test_setup_teardown(name, begin, test_event_end)

static void a_mail_is_sent_with_its_sender_recipient_and_text(void **state)
{
	struct eds_relay_answer answer;

	(void)state;
	answer_with(GREETING, good[GREETING]);
	answer = send_mail();
	assert_int_equal(answer.outcome, EDS_RELAY_TAKEN);
	assert_int_equal(answer.status, 250);
	assert_string_equal(answer.reply, "250 2.0.0 taken");
	assert_string_equal(shared->heard,
		"EHLO eds.example\r\nMAIL FROM:<alerts@eds.example>\r\nRCPT TO:<b@b.example>\r\n"
		"DATA\r\nSubject: x\r\n\r\n..a line\r\n.\r\n");
}

static void the_next_mail_goes_over_the_same_connection(void **state)
{
	int before = shared->connections;

	(void)state;
	answer_with(GREETING, good[GREETING]);
	for (int i = 0; i < 3; i++)
		assert_int_equal(send_mail().outcome, EDS_RELAY_TAKEN);
	assert_int_equal(shared->connections, before + 1);
}

static void each_reply_has_its_outcome(void **state)
{
	static const struct {
		enum command command;
		const char *reply;
		enum eds_relay_outcome outcome;
		int status;
	} cases[] = {
		{GREETING, "421 busy", EDS_RELAY_AWAY, 421},
		{GREETING, "554 no service", EDS_RELAY_AWAY, 554},
		{EHLO, "", EDS_RELAY_AWAY, 220},
		{MAIL, "451 later", EDS_RELAY_AWAY, 451},
		{MAIL, "550 5.1.8 not you", EDS_RELAY_AWAY, 550},
		{RCPT, "399 odd", EDS_RELAY_AWAY, 399},
		{RCPT, "400 later", EDS_RELAY_LATER, 400},
		{RCPT, "450 4.2.1 later", EDS_RELAY_LATER, 450},
		{RCPT, "421 4.3.2 closing", EDS_RELAY_AWAY, 421},
		{RCPT, "499 later", EDS_RELAY_LATER, 499},
		{RCPT, "500 unknown command", EDS_RELAY_LATER, 500},
		{RCPT, "550 no such user", EDS_RELAY_REFUSED, 550},
		{RCPT, "551 moved", EDS_RELAY_REFUSED, 551},
		{RCPT, "552 full", EDS_RELAY_LATER, 552},
		{RCPT, "553 no name", EDS_RELAY_REFUSED, 553},
		{RCPT, "554 no", EDS_RELAY_LATER, 554},
		{RCPT, "554 5.1.1 no such user", EDS_RELAY_REFUSED, 554},
		{RCPT, "550 5.1.2 no such host", EDS_RELAY_REFUSED, 550},
		{RCPT, "550 5.1.3 syntax", EDS_RELAY_REFUSED, 550},
		{RCPT, "550 5.1.6 moved", EDS_RELAY_REFUSED, 550},
		{RCPT, "550 5.1.10 null MX", EDS_RELAY_REFUSED, 550},
		{RCPT, "550 5.2.1 switched off", EDS_RELAY_REFUSED, 550},
		{RCPT, "550 5.1.0 other", EDS_RELAY_LATER, 550},
		{RCPT, "550 5.1.11 other", EDS_RELAY_LATER, 550},
		{RCPT, "550 5.7.1 client rejected", EDS_RELAY_LATER, 550},
		{RCPT, "550 4.7.1 odd", EDS_RELAY_REFUSED, 550},
		{DATA, "451 later", EDS_RELAY_LATER, 451},
		{DATA, "554 no", EDS_RELAY_FAILED, 554},
		{END, "421 closing", EDS_RELAY_AWAY, 421},
		{END, "452 full", EDS_RELAY_LATER, 452},
		{END, "550 5.7.1 spam", EDS_RELAY_FAILED, 550},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct eds_relay_answer answer;

		test_event_end(state);
		begin(state); /* a connection of its own */
		answer_with(cases[i].command, cases[i].reply);
		answer = send_mail();
		if (answer.outcome != cases[i].outcome || answer.status != cases[i].status)
			fail_msg("%d %s: %d %d (%s)", cases[i].command, cases[i].reply,
				answer.outcome, answer.status, answer.reply);
		if (cases[i].reply[0] != '\0')
			assert_string_equal(answer.reply, cases[i].reply);
	}
}

static void the_last_line_of_a_reply_is_kept_in_printable_ascii(void **state)
{
	char longest[256];
	struct eds_relay_answer answer;

	(void)state;
	answer_with(RCPT, "550-first\r\n550 5.1.1 na\xc3\xafve\t~\x7f ");
	answer = send_mail();
	assert_int_equal(answer.outcome, EDS_RELAY_REFUSED);
	assert_string_equal(answer.reply, "550 5.1.1 na??ve?~? ");
	memset(longest, 'x', sizeof longest);
	memcpy(longest, "550 ", 4);
	longest[250] = '\0';
	answer_with(RCPT, longest);
	answer = send_mail();
	assert_int_equal(strlen(answer.reply), 200);
	assert_memory_equal(answer.reply, longest, 200);
}

static void nothing_of_a_mail_before_is_told_of_one_without_a_reply(void **state)
{
	struct eds_relay_answer answer;

	(void)state;
	answer_with(RCPT, "550 5.1.1 no such user");
	assert_int_equal(send_mail().outcome, EDS_RELAY_REFUSED);
	answer_with(GREETING, "");
	answer = send_mail();
	assert_int_equal(answer.outcome, EDS_RELAY_AWAY);
	assert_int_equal(answer.status, 0);
	assert_string_equal(answer.reply, "");
	assert_true(strlen(answer.detail) > 0);
}

static void a_relay_that_refuses_to_talk_is_away_whatever_was_said_before(void **state)
{
	(void)state;
	answer_with(RCPT, "550 5.1.1 no such user");
	assert_int_equal(send_mail().outcome, EDS_RELAY_REFUSED);
	answer_with(GREETING, "554 no service");
	assert_int_equal(send_mail().outcome, EDS_RELAY_AWAY);
	answer_with(END, ""); /* after DATA */
	assert_int_equal(send_mail().outcome, EDS_RELAY_AWAY);
	answer_with(GREETING, "554 no service");
	assert_int_equal(send_mail().outcome, EDS_RELAY_AWAY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RELAY_TEST(a_mail_is_sent_with_its_sender_recipient_and_text),
		RELAY_TEST(the_next_mail_goes_over_the_same_connection),
		RELAY_TEST(each_reply_has_its_outcome),
		RELAY_TEST(the_last_line_of_a_reply_is_kept_in_printable_ascii),
		RELAY_TEST(a_relay_that_refuses_to_talk_is_away_whatever_was_said_before),
		RELAY_TEST(nothing_of_a_mail_before_is_told_of_one_without_a_reply),
	};

	return cmocka_run_group_tests_name("relay", tests, start, stop);
}
