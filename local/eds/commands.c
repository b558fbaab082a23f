#include <string.h>

#include "local/eds/command.h"
#include "local/eds/commands.h"
#include "local/eds/groups.h"

const struct cli_command *const cli_groups[] = {
	cli_check_commands,
	cli_test_commands,
	cli_domains_commands,
	cli_selectors_commands,
	cli_mta_sts_commands,
	cli_reports_commands,
	cli_alerts_commands,
	cli_tokens_commands,
	cli_api_commands,
	NULL,
};

const struct cli_option cli_common_options[] = {
	{"url", "URL", "the service; default EDS_URL, or http://127.0.0.1:8080"},
	{"token-file", "FILE", "a file with the API token; default the token in EDS_TOKEN"},
	{"json", NULL, "print the JSON answer of the service"},
	{"help", NULL, "print this help"},
	{0},
};

const char *cli_given_nth(const struct cli_call *call, const char *name, size_t n)
{
	for (size_t i = 0; i < call->given_count; i++)
		if (strcmp(call->given[i].option->name, name) == 0 && n-- == 0)
			return call->given[i].value;
	return NULL;
}

const char *cli_given(const struct cli_call *call, const char *name)
{
	const char *last = NULL;
	const char *value;

	for (size_t n = 0; (value = cli_given_nth(call, name, n)) != NULL; n++)
		last = value;
	return last;
}

/* Finds the position of the name among the names of the command's arguments, such as "DOMAIN
 * [SELECTOR]" (brackets are ignored). Returns the argument at this position. */
const char *cli_word(const struct cli_call *call, const char *name)
{
	const char *at = call->command->arguments;
	size_t length = strlen(name);

	for (size_t i = 0; *at != '\0'; i++) {
		at += strspn(at, " [");
		if (strncmp(at, name, length) == 0 && strcspn(at, " ]") == length)
			return i < call->word_count ? call->words[i] : NULL;
		at += strcspn(at, " ");
	}
	return NULL;
}

bool cli_has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	while (list != NULL && *list != '\0') {
		size_t one = strcspn(list, " ");

		if (one == length && memcmp(list, word, length) == 0)
			return true;
		list += one + strspn(list + one, " ");
	}
	return false;
}
