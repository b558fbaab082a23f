#include "local/eds/removal.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "local/eds/client.h"
#include "local/eds/commands.h"
#include "local/eds/show.h"
#include "local/eds/text.h"

enum {
	REPLY_BYTES_MAX = 64,
};

const struct cli_option cli_removal_options[] = {
	{"yes", NULL, "do not ask for confirmation"},
	{0},
};

/* Asks on standard error, because standard output may go into a file. */
static bool ask(const struct cli_call *call, const char *question)
{
	char reply[REPLY_BYTES_MAX] = "";

	fprintf(stderr, "%s [y/N] ",
		cli_clean(call->ctx, question, strlen(question), CLI_ONE_LINE));
	if (fgets(reply, sizeof reply, stdin) == NULL)
		fputc('\n', stderr);
	reply[strcspn(reply, "\r\n")] = '\0';
	return strcasecmp(reply, "y") == 0 || strcasecmp(reply, "yes") == 0;
}

static int confirm(const struct cli_call *call, const struct cli_removal *removal)
{
	if (cli_given(call, "yes") != NULL)
		return CLI_DONE;
	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) {
		cli_complain_named(call,
			"there is no terminal to ask on; with --yes this command %s",
			removal->effect);
		return CLI_REFUSED;
	}
	if (ask(call, removal->question))
		return CLI_DONE;
	cli_complain_named(call, "not confirmed; nothing was changed");
	return CLI_REFUSED;
}

int cli_remove(struct cli_call *call, const struct cli_removal *removal)
{
	struct cli_request request = {.method = "DELETE", .path = removal->path};
	struct cli_answer answer;
	int status = confirm(call, removal);

	if (status == CLI_DONE)
		status = cli_ask(call, &request, &answer);
	if (status != CLI_DONE)
		return status;
	if (call->json)
		cli_print_json(call, answer.body, answer.length);
	cli_print(call, "%s\n", removal->done);
	return CLI_DONE;
}
