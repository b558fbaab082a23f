#include "local/serve/first-token.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "local/serve/places.h"
#include "runtime/io.h"

#define MAKE_TOKEN                                                                                 \
	"echo '{\"action\": \"create-token\", \"account\": \"%s\", "                               \
	"\"name\": \"laptop\"}' | runner invoke admin -"

/* Writes the token to the file; replaces a file that is left from an earlier database. */
static bool keep(struct first_token *token)
{
	char folder[PATH_MAX];
	bool kept;
	int fd;

	place_of_spool(folder);
	snprintf(token->path, sizeof token->path, "%s/" FIRST_TOKEN_FILE, folder);
	if (!spool_folder_make(folder))
		return false;
	unlink(token->path);
	fd = open(token->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return false;
	kept = rt_write_all(fd, token->text, strlen(token->text)) && rt_write_all(fd, "\n", 1) &&
		fsync(fd) == 0;
	close(fd);
	return kept;
}

void first_token_take(struct first_token *token, const char *migration, size_t length)
{
	json_t *value = json_loadb(migration, length, 0, NULL);
	const char *text = json_string_value(json_object_get(value, "token"));

	*token = (struct first_token){.text = text != NULL ? strdup(text) : NULL};
	json_decref(value);
	if (token->text != NULL && !isatty(STDOUT_FILENO))
		token->kept = keep(token);
}

void first_token_show(const struct first_token *token, const char *account, const char *http)
{
	if (token->text == NULL)
		return;
	if (isatty(STDOUT_FILENO))
		printf("\nThe account `%s` was made. Its token, shown this once, is in this line:\n"
		       "  curl -H 'Authorization: Bearer %s' http://%s/api/v1/domains\n",
			account, token->text, http);
	else if (token->kept)
		printf("\nThe account `%s` was made. Its token is in the file %s,\n"
		       "which only its owner can read: copy it from there and delete the file.\n"
		       "  curl -H \"Authorization: Bearer $(cat %s)\" http://%s/api/v1/domains\n",
			account, token->path, token->path, http);
	else
		printf("\nThe account `%s` was made, but its token cannot be kept in the file %s.\n"
		       "Make another token:\n  " MAKE_TOKEN "\n",
			account, token->path, account);
}

void first_token_rescue(struct first_token *token, const char *account)
{
	if (token->text == NULL)
		return;
	if (!token->kept)
		token->kept = keep(token);
	if (token->kept)
		fprintf(stderr, "runner: the account %s was made; its token is in the file %s\n",
			account, token->path);
	else
		fprintf(stderr,
			"runner: the account %s was made, but its token cannot be kept in the file "
			"%s; make another token:  " MAKE_TOKEN "\n",
			account, token->path, account);
}

void first_token_done(struct first_token *token)
{
	if (token->text != NULL)
		explicit_bzero(token->text, strlen(token->text));
	free(token->text);
}
