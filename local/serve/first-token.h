/* The token of the account that the first start creates. On a terminal the runner prints it. Any
 * other output may be a log, which is stored and which many people can read; for such output the
 * token goes into a file, and only the name of the file is printed. */
#ifndef RUNNER_FIRST_TOKEN_H
#define RUNNER_FIRST_TOKEN_H

#include <stddef.h>

#include "local/spool/spool-folder.h"

/* The file is in the spool's folder: a user who may read the mail there may read the token too. */
#define FIRST_TOKEN_FILE "first-token"

struct first_token {
	char *text; /* the token; NULL: no account was made */
	bool kept;  /* the token is in the file */
	char path[SPOOL_PATH_MAX + sizeof FIRST_TOKEN_FILE + 1];
};

/* Takes the token from the text `migration`, which is the answer of the function admin. The answer
 * has a token if admin created the first account. If the output is not a terminal, also writes it
 * to the file, mode 600. */
void first_token_take(struct first_token *token, const char *migration, size_t length);

/* Prints the token, or the name of its file. http: the address that is served. */
void first_token_show(const struct first_token *token, const char *account, const char *http);

/* To be called when the start fails after the account was created, because no later start creates
 * another token. Writes the token to the file even if the output is a terminal, and prints the
 * file's name on standard error. */
void first_token_rescue(struct first_token *token, const char *account);

void first_token_done(struct first_token *token);

#endif
