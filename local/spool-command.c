#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "local/commands.h"
#include "local/dispatch/dispatch-answer.h"
#include "local/dispatch/dispatch-failed-load.h"
#include "local/dispatch/dispatch-failed.h"
#include "local/dispatch/event-mail.h"
#include "local/single-run.h"
#include "local/spool-command.h"
#include "local/spool/spool-folder.h"
#include "local/spool/spool-segment.h"
#include "runtime/config/config.h"
#include "runtime/time.h"

static const char usage[] =
	"usage: runner spool list\n"
	"       runner spool retry ID... [--functions DIR]\n"
	"       runner spool drop ID...\n"
	"\n"
	"list shows the mail that was accepted and is not processed yet: messages that wait for their\n"
	"function, messages that failed, and the files that hold damaged mail. A message fails\n"
	"when its function could not process it three times, or when the message has waited for\n"
	"two days; it is then kept for two days. retry gives failed mail to its function once\n"
	"more, drop deletes it. A server may be running meanwhile.\n"
	"\n"
	"exit status: 0; 1 when one of the messages could not be processed or deleted.\n"
	"\n"
	"Try:  runner spool list\n";

struct command {
	struct rt_ctx ctx;
	int folder;
	const char *functions;
};

static int complain(const char *id, const char *why)
{
	fprintf(stderr, "runner spool: %s: %s\n", id, why);
	return 1;
}

static void print_target(struct rt_ctx *ctx, const char *state, int64_t received_at_ms,
	const struct spool_target *target)
{
	printf("%-8s %s %s %-20s", state, rt_time_format(ctx, received_at_ms), target->message_id,
		target->function);
	for (size_t i = 0; i < target->recipient_count; i++)
		printf(" %s", target->recipients[i]);
	putchar('\n');
}

static void print_waiting(void *arg, const struct spool_segment *segment, uint64_t offset,
	uint32_t length, uint32_t target, const struct spool_mail *mail)
{
	struct rt_ctx *ctx = arg;

	(void)segment;
	(void)offset;
	(void)length;
	print_target(ctx, "waiting", mail->received_at_ms, &mail->targets[target]);
	rt_arena_reset(ctx->arena);
}

static void list_segment(struct command *command, const char *name)
{
	struct spool_segment *segment;
	uint64_t number;
	uint64_t lost = 0;

	if (!spool_segment_number(name, &number))
		return;
	segment = spool_segment_new(command->folder, number);
	if (segment == NULL)
		return;
	spool_segment_replay(segment, print_waiting, &command->ctx, &lost);
	spool_segment_free(segment);
}

static void list_failed(struct command *command, const char *name)
{
	const char *ending = strrchr(name, '.');
	struct failed_mail failed;
	char *id;

	if (ending == NULL || strcmp(ending, ".json") != 0)
		return;
	id = rt_memdup(&command->ctx, name, (size_t)(ending - name));
	if (failed_load(&command->ctx, command->folder, id, &failed) == RT_OK) {
		print_target(&command->ctx, "failed", failed.mail.received_at_ms, &failed.target);
		printf("         %s\n", failed.reason);
	} else {
		complain(id, command->ctx.failure.detail);
		rt_fail_clear(&command->ctx);
	}
	rt_arena_reset(command->ctx.arena);
}

static void list_damaged(struct command *command, const char *name)
{
	(void)command;
	if (name[0] != '.')
		printf("%-8s " RT_SPOOL_DAMAGED "/%s\n", "damaged", name);
}

static void for_each_file(struct command *command, const char *folder,
	void (*call)(struct command *command, const char *name))
{
	struct dirent **names;
	int count = scandirat(command->folder, folder, &names, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		call(command, names[i]->d_name);
		free(names[i]);
	}
	if (count >= 0)
		free(names);
}

static int list(struct command *command)
{
	for_each_file(command, ".", list_segment);
	for_each_file(command, "failed", list_failed);
	for_each_file(command, RT_SPOOL_DAMAGED, list_damaged);
	return 0;
}

static int run_function(struct command *command, const struct manifest_function *function,
	struct failed_mail *failed)
{
	char reason[DISPATCH_REASON_MAX];
	enum pool_outcome outcome;
	struct rt_buffer event;
	struct rt_buffer answer;
	bool good;

	rt_buffer_init_heap(&event, EVENT_MAIL_BYTES_MAX);
	rt_buffer_init_heap(&answer, SINGLE_RUN_ANSWER_MAX);
	event_mail_write(&command->ctx, &event, &failed->mail, &failed->target, false);
	outcome = single_run_outcome(function, event.bytes, event.length, &answer);
	good = dispatch_answer_is_good(outcome, answer.bytes, answer.length, reason);
	rt_buffer_done(&event);
	rt_buffer_done(&answer);
	return good ? 0 : complain(failed->target.message_id, reason);
}

static int retry(struct command *command, const char *id)
{
	struct manifest *manifest = manifest_load_folder(command->functions);
	struct rt_ctx *ctx = &command->ctx;
	const struct manifest_function *function = NULL;
	struct failed_mail failed;
	int status = 1;

	if (failed_load(ctx, command->folder, id, &failed) != RT_OK ||
		event_mail_store(ctx, &failed.mail, &failed.target) != RT_OK)
		complain(id, ctx->failure.detail);
	else if ((function = manifest_find(manifest, failed.target.function)) == NULL)
		complain(id, "its function no longer exists");
	else
		status = run_function(command, function, &failed);
	if (status == 0) {
		printf("%s was processed by %s\n", id, function->name);
		/* The message is dropped only after success, so a failing retry loses nothing. */
		status = failed_drop(ctx, command->folder, id) == RT_OK
			? 0
			: complain(id, ctx->failure.detail);
	}
	manifest_free(manifest);
	return status;
}

static int drop(struct command *command, const char *id)
{
	if (failed_drop(&command->ctx, command->folder, id) != RT_OK)
		return complain(id, command->ctx.failure.detail);
	printf("%s was dropped\n", id);
	return 0;
}

static int for_each_id(struct command *command, int argc, char **argv,
	int (*call)(struct command *command, const char *id))
{
	int status = 0;

	for (int i = 2; i < argc; i++) {
		status |= call(command, argv[i]);
		rt_fail_clear(&command->ctx);
		rt_arena_reset(command->ctx.arena);
	}
	return status;
}

static int run_command(struct command *command, int argc, char **argv)
{
	if (strcmp(argv[1], "list") == 0 && argc == 2)
		return list(command);
	if (strcmp(argv[1], "retry") == 0 && argc > 2)
		return for_each_id(command, argc, argv, retry);
	if (strcmp(argv[1], "drop") == 0 && argc > 2)
		return for_each_id(command, argc, argv, drop);
	fputs(usage, stderr);
	return RUNNER_EXIT_USAGE;
}

int spool_main(int argc, char **argv)
{
	struct command command = {.ctx = {.function = "spool", .deadline_ms = INT64_MAX}};
	struct command_options options;
	char folder[SPOOL_PATH_MAX];
	int status = 1;

	if (!command_options(&argc, argv, &options))
		return RUNNER_EXIT_USAGE;
	if (options.help || argc < 2) {
		fputs(usage, options.help ? stdout : stderr);
		return options.help ? 0 : RUNNER_EXIT_USAGE;
	}
	rt_config_require();
	if (!spool_folder(folder))
		return complain("EDS_MAIL_STORE", "too long");
	command.functions = options.functions;
	command.folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (command.folder < 0)
		return complain(folder, strerror(errno));
	command.ctx.arena = rt_arena_new();
	status = run_command(&command, argc, argv);
	rt_arena_free(command.ctx.arena);
	close(command.folder);
	return status;
}
