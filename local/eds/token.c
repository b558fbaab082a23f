#include "local/eds/token.h"
#include "local/eds/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "local/eds/show.h"

enum {
	TOKEN_BYTES_MAX = 512,
};

static const char *read_file(const struct cli_call *call, const char *file)
{
	char text[TOKEN_BYTES_MAX] = "";
	FILE *in = fopen(file, "re");
	const char *reason = in == NULL ? strerror(errno) : "it is empty";

	if (in != NULL && fgets(text, sizeof text, in) != NULL)
		text[strcspn(text, "\r\n")] = '\0';
	if (in != NULL)
		fclose(in);
	if (text[0] != '\0')
		return rt_strdup(call->ctx, text);
	cli_complain(call, "%s has no token: %s", file, reason);
	return NULL;
}

/* True if the text can be a token; a line end in it would begin another header field. */
static bool is_token(const char *text)
{
	for (; *text != '\0'; text++)
		if (*text <= ' ' || *text > '~')
			return false;
	return true;
}

static bool is_here(const char *url)
{
	static const char *const places[] = {"http://127.", "http://localhost", "http://[::1]"};

	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
		if (strncmp(url, places[i], strlen(places[i])) == 0)
			return true;
	return false;
}

bool cli_find_token(struct cli_call *call)
{
	const char *file = cli_given(call, "token-file");

	call->token = file != NULL ? read_file(call, file) : getenv("EDS_TOKEN");
	if (call->token == NULL && file != NULL)
		return false;
	if (call->token == NULL || call->token[0] == '\0' || !is_token(call->token)) {
		cli_complain(call, "%s needs an API token: set EDS_TOKEN or give --token-file FILE",
			call->command->name);
		return false;
	}
	if (strncmp(call->url, "https://", 8) != 0 && !is_here(call->url))
		cli_complain(call,
			"the token is sent to %s unencrypted; use https:// to encrypt it",
			call->url);
	return true;
}
