/* eds api: sends any request, for calls that have no command of their own. */
#include <string.h>

#include "local/eds/arguments.h"
#include "local/eds/client.h"
#include "local/eds/commands.h"
#include "local/eds/groups.h"
#include "local/eds/show.h"

static int ask(struct cli_call *call)
{
	const char *body = cli_word(call, "BODY");
	struct cli_request request = {
		.method = cli_word(call, "METHOD"),
		.path = cli_word(call, "PATH"),
		.type = "application/json",
		.body = body,
		.length = body != NULL ? strlen(body) : 0,
	};
	struct cli_answer answer;
	int status;

	if (strspn(request.method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != strlen(request.method))
		return cli_usage(call, "METHOD must be GET, POST, PATCH or DELETE");
	if (request.path[0] != '/')
		return cli_usage(call, "PATH must begin with a slash");
	status = cli_ask(call, &request, &answer);
	if (status == CLI_DONE)
		cli_print_json(call, answer.body, answer.length);
	return status;
}

const struct cli_command cli_api_commands[] = {
	{
		.name = "api",
		.arguments = "METHOD PATH [BODY]",
		.summary = "Send any request to the API, such as GET /api/v1/domains",
		.run = ask,
		.more = "BODY is JSON. The JSON answer is printed. The service's /openapi.yaml describes "
			"every\nrequest.\n",
	},
	{0},
};
