/* Requests to the service. */
#ifndef CLI_CLIENT_H
#define CLI_CLIENT_H

#include "local/eds/command.h"

struct cli_answer {
	long status;      /* of HTTP */
	const char *body; /* length octets and a NUL */
	size_t length;
	const char *next;   /* path and query of the next page, NULL on the last */
	const char *cursor; /* that page as --cursor names it */
	int retry_after_s;  /* 0: not said */
	const json_t *json; /* of the body; NULL when it is none */
};

struct cli_request {
	const char *method;
	const char *path; /* with its query, from the first slash */
	const char *type; /* of the body */
	const char *body; /* NULL: none */
	size_t length;
	int wait_s; /* what the service may take longer than usual */
};

/* CLI_DONE with the answer, whatever its status; CLI_UNAVAILABLE with a sentence in the context's
 * failure. Redirects are not followed: the token is for the service that was named. */
RT_MUST_USE int cli_send(
	struct cli_call *call, const struct cli_request *request, struct cli_answer *answer);

/* The same, and only an answer of 2xx that is JSON is CLI_DONE: of another one it says why on
 * standard error (and prints it under --json), and gives CLI_REFUSED or CLI_UNAVAILABLE. */
RT_MUST_USE int cli_ask(
	struct cli_call *call, const struct cli_request *request, struct cli_answer *answer);

/* Says why an answer is none. */
int cli_refusal(const struct cli_call *call, const struct cli_answer *answer);

#endif
