/* What a person wants to know who has started the service whole: where it is, and how to begin. */
#ifndef RUNNER_BANNER_H
#define RUNNER_BANNER_H

#include "local/serve/first-token.h"
#include "runtime/host/listen.h"

struct banner {
	const char *http, *smtp,
		*ops; /* ADDRESS:PORT as served; for all addresses the loopback's is shown */
	const char *tester_domain;
	const char *account; /* the one that a first start makes */
	const struct first_token *token;
};

/* Where ADDRESS:PORT is reached from this machine: itself, or in text the loopback's in place of
 * all addresses. */
const char *banner_reached(const char *address, char text[LISTEN_TEXT_MAX]);

void banner_print(const struct banner *banner);

#endif
