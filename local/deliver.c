#include "local/deliver.h"
#include "runtime/time.h"
#include "runtime/uuid.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "local/commands.h"
#include "local/dispatch/dispatch-answer.h"
#include "local/dispatch/event-mail.h"
#include "local/single-run.h"
#include "local/smtp/smtp-data.h"
#include "local/smtp/smtp-session.h"
#include "runtime/config/config.h"
#include "runtime/host/json-write.h"

enum {
	READ_BYTES = 64 * 1024,
	QUESTION_BYTES_MAX = 4096,
};

static const char usage[] =
	"usage: runner deliver FILE --to ADDRESS [--from ADDRESS] [--client-ip IP] [--helo NAME]\n"
	"                      [--functions DIR]\n"
	"\n"
	"Hands the message in FILE (or - for standard input) to the function that the address\n"
	"belongs to, as the SMTP server does; no server has to run. Bare LF becomes CRLF.\n"
	"\n"
	"  --to ADDRESS     the recipient\n"
	"  --from ADDRESS   MAIL FROM; default <>\n"
	"  --client-ip IP   the client's address; default 127.0.0.1\n"
	"  --helo NAME      the name in the client's HELO; default localhost\n"
	"\n"
	"exit status: 0 when the function processed the message, 1 when the message was refused\n"
	"or not processed.\n"
	"\n"
	"Try:  runner deliver mail.eml --to ADDRESS --from me@example.com --client-ip 192.0.2.1\n";

struct delivery {
	const char *file;
	const char *to;
	const char *from;
	const char *client_ip;
	const char *helo;
	const char *functions;
	bool help;
};

static bool read_options(int argc, char **argv, struct delivery *delivery)
{
	static const struct option options[] = {
		{"to", required_argument, NULL, 't'},
		{"from", required_argument, NULL, 'f'},
		{"client-ip", required_argument, NULL, 'c'},
		{"helo", required_argument, NULL, 'e'},
		{"functions", required_argument, NULL, 'd'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int option;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (option) {
		case 't':
			delivery->to = optarg;
			break;
		case 'f':
			delivery->from = optarg;
			break;
		case 'c':
			delivery->client_ip = optarg;
			break;
		case 'e':
			delivery->helo = optarg;
			break;
		case 'd':
			delivery->functions = optarg;
			break;
		case 'h':
			delivery->help = true;
			break;
		default:
			return false;
		}
	}
	delivery->file = optind == argc - 1 ? argv[optind] : NULL;
	return delivery->help || (delivery->file != NULL && delivery->to != NULL);
}

static int refuse(const char *sentence)
{
	fprintf(stderr, "runner deliver: %s\n", sentence);
	return 1;
}

/* Appends the text with the missing CR before each bare LF. *before: the last character that was
 * appended; the function updates it. Before the first character it is LF. */
static void add_text(struct rt_buffer *message, const char *text, size_t length, char *before)
{
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '\n' && *before != '\r')
			rt_buffer_add(message, "\r", 1);
		rt_buffer_add(message, &text[i], 1);
		*before = text[i];
	}
}

static bool read_message(const char *file, struct rt_buffer *message)
{
	int fd = strcmp(file, "-") == 0 ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC);
	char text[READ_BYTES];
	char before = '\n';
	ssize_t got = fd < 0 ? -1 : 1;

	while (got > 0 && !message->overflow) {
		got = read(fd, text, sizeof text);
		if (got > 0)
			add_text(message, text, (size_t)got, &before);
	}
	if (before != '\n')
		rt_buffer_text(message, "\r\n");
	if (got < 0)
		fprintf(stderr, "runner deliver: %s cannot be read: %s\n", file, strerror(errno));
	else if (message->overflow)
		fprintf(stderr, "runner deliver: a message may have %d octets at most\n",
			SMTP_MESSAGE_BYTES_MAX);
	if (fd > STDIN_FILENO)
		close(fd);
	return got >= 0 && !message->overflow;
}

static int print_failure(const char *function, const char *reason)
{
	fprintf(stderr, "runner deliver: %s: %s\n", function, reason);
	return 1;
}

static const struct manifest_function *ask(const struct manifest *manifest, const char *recipient)
{
	const struct manifest_function *accept = manifest_find(manifest, "mail-accept");
	struct accept_result result;
	struct rt_buffer question;
	struct rt_buffer answer;
	enum pool_outcome outcome;

	if (accept == NULL) {
		refuse("there is no function mail-accept");
		return NULL;
	}
	rt_buffer_init_heap(&question, QUESTION_BYTES_MAX);
	rt_buffer_init_heap(&answer, SINGLE_RUN_ANSWER_MAX);
	rt_buffer_text(&question, "{\"recipient\":");
	json_write_text(&question, recipient);
	rt_buffer_text(&question, "}");
	outcome = single_run_outcome(accept, question.bytes, question.length, &answer);
	dispatch_read_accept(manifest, outcome, answer.bytes, answer.length, &result);
	if (result.answer == ACCEPT_REFUSED)
		fprintf(stderr, "runner deliver: %s is refused: %s\n", recipient,
			result.text[0] != '\0' ? result.text : "no such recipient here");
	if (result.answer == ACCEPT_FAILED)
		print_failure("mail-accept", result.text);
	rt_buffer_done(&question);
	rt_buffer_done(&answer);
	return result.answer == ACCEPT_TAKEN ? result.function : NULL;
}

static int send_event(const struct manifest_function *function, const struct rt_buffer *event,
	const char *message_id)
{
	char reason[DISPATCH_REASON_MAX];
	struct rt_buffer answer;
	enum pool_outcome outcome;
	bool good;

	rt_buffer_init_heap(&answer, SINGLE_RUN_ANSWER_MAX);
	outcome = single_run_outcome(function, event->bytes, event->length, &answer);
	good = dispatch_answer_is_good(outcome, answer.bytes, answer.length, reason);
	if (good)
		printf("delivered to %s as %s: %.*s", function->name, message_id,
			(int)answer.length, answer.bytes);
	if (good && answer.bytes[answer.length - 1] != '\n')
		putchar('\n');
	rt_buffer_done(&answer);
	return good ? 0 : print_failure(function->name, reason);
}

static int hand_over(struct rt_ctx *ctx, const struct delivery *delivery,
	const struct manifest_function *function, const char *recipient,
	const struct rt_buffer *message)
{
	struct spool_target target = {function->name, rt_uuid(ctx), &recipient, 1};
	struct spool_mail mail = {
		.received_at_ms = rt_wall_ms(),
		.client_ip = delivery->client_ip,
		.helo = delivery->helo,
		.mail_from = delivery->from,
		.tls = "",
		.protocol = "ESMTP",
		.targets = &target,
		.target_count = 1,
		.message = message->bytes,
		.length = message->length,
	};
	struct rt_buffer event;
	int status;

	if (event_mail_store(ctx, &mail, &target) != RT_OK)
		return refuse(ctx->failure.detail);
	rt_buffer_init_heap(&event, EVENT_MAIL_BYTES_MAX);
	event_mail_write(ctx, &event, &mail, &target, false);
	status = send_event(function, &event, target.message_id);
	rt_buffer_done(&event);
	return status;
}

static int deliver_message(struct rt_ctx *ctx, const struct delivery *delivery,
	const struct manifest *manifest, const struct rt_buffer *message)
{
	const char *recipient = rt_lower(ctx, delivery->to);
	const struct manifest_function *function;

	if (message->length == 0)
		return refuse("the message is empty");
	if (memchr(message->bytes, '\0', message->length) != NULL)
		return refuse("the message contains a NUL");
	function = ask(manifest, recipient);
	if (function == NULL)
		return 1;
	return hand_over(ctx, delivery, function, recipient, message);
}

/* Checks the options for the envelope; false after printing an error on standard error. */
static bool check_envelope(struct delivery *delivery, char helo[SMTP_NAME_MAX + 1])
{
	struct rt_ip ip;

	if (!rt_ip_parse(delivery->client_ip, &ip))
		return refuse("--client-ip is not an IP address") == 0;
	if (strlen(delivery->to) > SMTP_ADDRESS_MAX || strlen(delivery->from) > SMTP_ADDRESS_MAX)
		return refuse("the address of --to or --from is too long") == 0;
	if (strcmp(delivery->from, "<>") == 0)
		delivery->from = "";
	smtp_copy_name(helo, delivery->helo);
	delivery->helo = helo;
	return true;
}

int deliver_main(int argc, char **argv)
{
	struct delivery delivery = {.from = "", .client_ip = "127.0.0.1", .helo = "localhost"};
	struct rt_ctx ctx = {.function = "deliver"};
	char helo[SMTP_NAME_MAX + 1];
	struct rt_buffer message;
	struct manifest *manifest;
	int status = 1;

	if (!read_options(argc, argv, &delivery) || delivery.help) {
		fputs(usage, delivery.help ? stdout : stderr);
		return delivery.help ? 0 : RUNNER_EXIT_USAGE;
	}
	rt_config_require();
	manifest = manifest_load_folder(delivery.functions);
	ctx.arena = rt_arena_new();
	ctx.deadline_ms = INT64_MAX;
	rt_buffer_init_heap(&message, SMTP_MESSAGE_BYTES_MAX);
	if (check_envelope(&delivery, helo) && read_message(delivery.file, &message))
		status = deliver_message(&ctx, &delivery, manifest, &message);
	rt_buffer_done(&message);
	rt_arena_free(ctx.arena);
	manifest_free(manifest);
	return status;
}
