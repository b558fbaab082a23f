/* eds, the command line tool: lets people and scripts use the service through its API. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "local/eds/arguments.h"
#include "local/eds/commands.h"
#include "local/eds/help.h"
#include "local/eds/request.h"
#include "local/eds/show.h"
#include "local/eds/token.h"
#include "runtime/version.h"

static const char usual_url[] = "http://127.0.0.1:8080";

static int tell_help(const struct cli_call *call, const struct cli_command *group)
{
	if (call->command != NULL)
		cli_help_command(call->command, stdout);
	else if (group != NULL)
		cli_help_group(group, stdout);
	else
		cli_help(stdout);
	return CLI_DONE;
}

/* Finds the service's URL; false after printing the error on standard error. */
static bool find_service(struct cli_call *call)
{
	const char *given = cli_given(call, "url");
	const char *named = getenv("EDS_URL");
	const char *url = given != NULL ? given : named != NULL ? named : usual_url;
	size_t length = strlen(url);

	while (length > 0 && url[length - 1] == '/')
		length--;
	call->url = rt_memdup(call->ctx, url, length);
	if (strncmp(url, "http://", 7) == 0 || strncmp(url, "https://", 8) == 0)
		return true;
	cli_complain(call, "%s is not the URL of a service: it must begin with https:// or http://",
		url);
	return false;
}

static int run(struct cli_call *call)
{
	if (!find_service(call))
		return CLI_USAGE;
	if (!call->command->open && !cli_find_token(call))
		return CLI_REFUSED;
	return call->command->run != NULL ? call->command->run(call) : cli_run_request(call);
}

static int answer(struct cli_call *call, int argc, char **argv)
{
	const struct cli_command *group;
	int status = cli_read_arguments(call, argc, argv, &group);

	if (status == CLI_USAGE && argc == 1)
		cli_help(stderr);
	if (status != CLI_DONE)
		return status;
	return call->help ? tell_help(call, group) : run(call);
}

int main(int argc, char **argv)
{
	struct rt_ctx ctx = {.function = "eds", .deadline_ms = INT64_MAX};
	struct cli_call call = {.ctx = &ctx};
	int status;

	if (rt_version_asked(argc, argv))
		return 0;
	setlocale(LC_CTYPE, "C.UTF-8"); /* for character widths, independent of the user's locale */
	ctx.arena = rt_arena_new();
	rt_json_use_arena(ctx.arena);
	status = answer(&call, argc, argv);
	if (fflush(stdout) != 0 && status == CLI_DONE)
		status = CLI_UNAVAILABLE;
	rt_json_use_arena(NULL);
	rt_arena_free(ctx.arena);
	return status;
}
