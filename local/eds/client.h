/* Sends requests to the service. */
#ifndef CLI_CLIENT_H
#define CLI_CLIENT_H

#include "local/eds/command.h"

struct cli_answer {
	long status;      /* HTTP status */
	const char *body; /* length octets and a NUL */
	size_t length;
	const char *next;   /* path and query of the next page, NULL on the last */
	const char *cursor; /* the next page as the value of --cursor */
	int retry_after_s;  /* 0: not given */
	const json_t *json; /* the parsed body; NULL when it is not JSON */
};

struct cli_request {
	const char *method;
	const char *path; /* starts with a slash, includes the query */
	const char *type; /* Content-Type of the body */
	const char *body; /* NULL: none */
	size_t length;
	int wait_s; /* time that the service may need beyond the usual, s */
};

/* CLI_DONE with the answer of any status; CLI_UNAVAILABLE with a sentence in the context's failure.
 * Does not follow redirects, because the token must go only to the named service. */
RT_MUST_USE int cli_send(
	struct cli_call *call, const struct cli_request *request, struct cli_answer *answer);

/* The same, but only a 2xx answer with JSON gives CLI_DONE. For any other answer it prints the
 * reason on standard error (and the answer under --json) and returns CLI_REFUSED or
 * CLI_UNAVAILABLE. */
RT_MUST_USE int cli_ask(
	struct cli_call *call, const struct cli_request *request, struct cli_answer *answer);

/* Prints why the service refused or failed; returns CLI_REFUSED or CLI_UNAVAILABLE. */
int cli_refusal(const struct cli_call *call, const struct cli_answer *answer);

#endif
