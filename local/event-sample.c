#include <stdio.h>
#include <string.h>

#include "local/commands.h"
#include "local/dispatch/event-mail.h"
#include "local/event-sample.h"
#include "local/serve/event-schedule.h"
#include "runtime/config/config.h"
#include "runtime/ctx.h"
#include "runtime/host/gateway/event-http.h"
#include "runtime/host/gateway/request-id.h"
#include "runtime/time.h"
#include "runtime/uuid.h"

enum {
	REQUEST_BYTES_MAX = HTTP_HEAD_BYTES_MAX + HTTP_BODY_BYTES_MAX,
};

static const char usage[] =
	"usage: runner event http METHOD PATH [BODY] [--functions DIR]\n       runner event "
	"schedule [FUNCTION]\n       runner event mail ADDRESS\n\nPrints a sample event as the "
	"runner and the clouds send it, on one line, for runner invoke:\n\n  http      an API "
	"Gateway event of payload format 2.0; a BODY is sent as JSON\n  schedule  an EventBridge "
	"\"Scheduled Event\", due now\n  mail      an SES receipt notification for ADDRESS; the "
	"mail store has no message\n            with the messageId of this event\n\nTry:  runner "
	"event http POST /api/inbound-tester/sessions '{}' |\n              runner invoke "
	"tester-session-create -\n";

/* Writes the request as a client sends it; sample_http() then reads it with the server's own
 * parser. */
static bool write_request(
	struct rt_buffer *request, const char *method, const char *target, const char *body)
{
	rt_buffer_text(request, method);
	rt_buffer_text(request, " ");
	rt_buffer_text(request, target);
	rt_buffer_text(request,
		" HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nUser-Agent: runner-event\r\nAccept: */*\r\n");
	if (body != NULL)
		rt_buffer_format(request,
			"Content-Type: application/json\r\nContent-Length: %zu\r\n", strlen(body));
	rt_buffer_text(request, "\r\n");
	return !request->overflow && strlen(method) < HTTP_METHOD_MAX;
}

static int sample_http(const struct manifest *manifest, struct rt_buffer *request, const char *body)
{
	static struct http_head head;
	static struct route_match match;
	struct event_http event = {.head = &head,
		.match = &match,
		.body = body,
		.body_length = body == NULL ? 0 : strlen(body),
		.peer = "127.0.0.1",
		.now_ms = rt_wall_ms()};
	char id[REQUEST_ID_MAX];
	struct rt_buffer out;
	bool written;

	request_id_make(id, event.now_ms);
	event.request_id = id;
	if (http_head_parse(request->bytes, request->length, &head) != HTTP_READY) {
		fprintf(stderr, "runner event: %s\n", head.refusal.detail);
		return 1;
	}
	if (route_find(manifest, false, head.method, head.path.text, head.path.length, &match) !=
		ROUTE_FOUND) {
		fprintf(stderr, "runner event: no function answers that; see runner routes\n");
		return 1;
	}
	rt_buffer_init_heap(&out, EVENT_HTTP_BYTES_MAX);
	written = event_http_write(&out, &event);
	if (written)
		printf("%.*s\n", (int)out.length, out.bytes);
	rt_buffer_done(&out);
	return written ? 0 : 1;
}

static int http(int argc, char **argv, const struct command_options *options)
{
	const char *body = argc == 5 ? argv[4] : NULL;
	struct manifest *manifest;
	struct rt_buffer request;
	int status = 1;

	if (argc < 4 || argc > 5) {
		fputs("runner event: http needs a METHOD and a PATH\n", stderr);
		return RUNNER_EXIT_USAGE;
	}
	manifest = manifest_load_folder(options->functions);
	rt_buffer_init_heap(&request, REQUEST_BYTES_MAX);
	if (write_request(&request, argv[2], argv[3], body))
		status = sample_http(manifest, &request, body);
	rt_buffer_done(&request);
	manifest_free(manifest);
	return status;
}

static bool has_function(const char *folder, const char *name)
{
	struct manifest *manifest = manifest_load_folder(folder);
	bool found = manifest_find(manifest, name) != NULL;

	manifest_free(manifest);
	return found;
}

static int schedule(int argc, char **argv, const struct command_options *options)
{
	const char *name = argc > 2 ? argv[2] : "tester-expire";
	struct rt_ctx ctx = {.arena = NULL};
	struct rt_buffer out;

	if (argc > 3)
		return RUNNER_EXIT_USAGE;
	if (!has_function(options->functions, name)) {
		fprintf(stderr, "runner event: there is no function %s\n", name);
		return 1;
	}
	ctx.arena = rt_arena_new();
	rt_buffer_init_heap(&out, EVENT_SCHEDULE_BYTES_MAX);
	event_schedule_write(&ctx, &out, name, rt_wall_ms() / 1000);
	printf("%.*s\n", (int)out.length, out.bytes);
	rt_buffer_done(&out);
	rt_arena_free(ctx.arena);
	return 0;
}

static int mail(int argc, char **argv)
{
	static const char message[] = "From: Sender <sender@example.com>\r\nSubject: Sample\r\n"
				      "\r\nA sample message.\r\n";
	struct rt_ctx ctx = {.arena = rt_arena_new()};
	const char *recipient = argc == 3 ? argv[2] : NULL;
	struct spool_target target = {.function = "sample",
		.message_id = rt_uuid(&ctx),
		.recipients = &recipient,
		.recipient_count = 1};
	struct spool_mail sample = {.received_at_ms = rt_wall_ms(),
		.client_ip = "192.0.2.1",
		.helo = "mail.example.com",
		.mail_from = "sender@example.com",
		.tls = "",
		.protocol = "ESMTP",
		.targets = &target,
		.target_count = 1,
		.message = message,
		.length = sizeof message - 1};
	struct rt_buffer out;

	if (recipient != NULL) {
		rt_buffer_init_heap(&out, EVENT_MAIL_BYTES_MAX);
		event_mail_write(&ctx, &out, &sample, &target, false);
		printf("%.*s\n", (int)out.length, out.bytes);
		rt_buffer_done(&out);
	}
	rt_arena_free(ctx.arena);
	return recipient == NULL ? RUNNER_EXIT_USAGE : 0;
}

static int sample(int argc, char **argv, const struct command_options *options)
{
	if (argc > 1 && strcmp(argv[1], "http") == 0)
		return http(argc, argv, options);
	if (argc > 1 && strcmp(argv[1], "schedule") == 0)
		return schedule(argc, argv, options);
	rt_config_require(); /* the Received field names this host */
	if (argc > 1 && strcmp(argv[1], "mail") == 0)
		return mail(argc, argv);
	return RUNNER_EXIT_USAGE;
}

int sample_main(int argc, char **argv)
{
	struct command_options options;
	int status;

	if (!command_options(&argc, argv, &options))
		return RUNNER_EXIT_USAGE;
	if (options.help) {
		fputs(usage, stdout);
		return 0;
	}
	status = sample(argc, argv, &options);
	if (status == RUNNER_EXIT_USAGE)
		fputs(usage, stderr);
	return status;
}
