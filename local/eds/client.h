/* Sends requests to the service. */
#ifndef CLI_CLIENT_H
#define CLI_CLIENT_H

#include "local/eds/command.h"

struct cli_answer {
	long status;      /* HTTP status */
	const char *body; /* the body: length octets and a NUL */
	size_t length;
	const char *next; /* path and query of the next page; NULL if there is none */
	/* value for --cursor that gives the next page; NULL if there is none */
	const char *cursor;
	int retry_after_s;  /* seconds from Retry-After; 0: not given */
	const json_t *json; /* the parsed body; NULL when it is not JSON */
};

struct cli_request {
	const char *method;
	const char *path; /* path and query; begins with a slash */
	const char *type; /* Content-Type of the body */
	const char *body; /* body of the request; NULL for none */
	size_t length;
	int wait_s; /* additional time that the service may need, s */
};

/* Sends the request. Returns CLI_DONE with an answer of any status, or CLI_UNAVAILABLE with a
 * sentence in the context's failure. Does not follow redirects, because the token must go only to
 * the named service. */
RT_MUST_USE int cli_send(
	struct cli_call *call, const struct cli_request *request, struct cli_answer *answer);

/* Sends the request. Returns CLI_DONE only for a 2xx answer with JSON. Otherwise it prints the
 * reason on standard error and returns CLI_REFUSED or CLI_UNAVAILABLE. With --json it also prints
 * an answer that is JSON, on standard output. */
RT_MUST_USE int cli_ask(
	struct cli_call *call, const struct cli_request *request, struct cli_answer *answer);

/* Prints why the service refused or failed; returns CLI_REFUSED or CLI_UNAVAILABLE. */
int cli_refusal(const struct cli_call *call, const struct cli_answer *answer);

#endif
