/* The text printed for a person who starts the whole service: its addresses and the first steps. */
#ifndef RUNNER_BANNER_H
#define RUNNER_BANNER_H

#include "local/serve/first-token.h"
#include "runtime/host/listen.h"

struct banner {
	const char *http, *smtp,
		*ops; /* ADDRESS:PORT as served; a wildcard address is shown as loopback */
	const char *tester_domain;
	const char *account; /* the account that a first start creates */
	const struct first_token *token;
	const char *database, *mail_store, *spool; /* places.h */
};

/* The address that reaches ADDRESS:PORT from this machine: address itself or, for a wildcard
 * address, the loopback address written to text. */
const char *banner_reached(const char *address, char text[LISTEN_TEXT_MAX]);

void banner_print(const struct banner *banner);

#endif
