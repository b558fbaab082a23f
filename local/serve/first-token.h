/* The token of the account that the first start makes. A terminal is shown it; anything else that
 * reads the output may be a log, which many can read and which is kept, so there it goes into a
 * file of its own, whose name is said. */
#ifndef RUNNER_FIRST_TOKEN_H
#define RUNNER_FIRST_TOKEN_H

#include <stddef.h>

#include "local/spool/spool-folder.h"

/* Beside the mail in the spool: whoever may read one may read the other. */
#define FIRST_TOKEN_FILE "first-token"

struct first_token {
	char *text; /* NULL: no account was made */
	bool kept;
	char path[SPOOL_PATH_MAX + sizeof FIRST_TOKEN_FILE + 1];
};

/* migration: the answer of admin, which has a token when it made the first account. Where the
 * output is no terminal the token is kept in the file, mode 600, before this returns. */
void first_token_take(struct first_token *token, const char *migration, size_t length);

/* What a person wants to know of it. http: the address that is served. */
void first_token_show(const struct first_token *token, const char *account, const char *http);

void first_token_done(struct first_token *token);

#endif
