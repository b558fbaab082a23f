/* The text printed for a person who starts the whole service: its addresses and the first steps. */
#ifndef RUNNER_BANNER_H
#define RUNNER_BANNER_H

#include "local/serve/first-token.h"
#include "runtime/host/listen.h"

struct banner {
	/* ADDRESS:PORT of each listener; a wildcard address is shown as the loopback one */
	const char *http, *smtp, *ops;
	const char *tester_domain;
	const char *account; /* account that the first start creates */
	const struct first_token *token;
	/* descriptions of where the data is (places.h) */
	const char *database, *mail_store, *spool;
};

/* The address under which this machine reaches ADDRESS:PORT: address itself or, for a wildcard
 * address, the loopback address, written to text. */
const char *banner_reached(const char *address, char text[LISTEN_TEXT_MAX]);

void banner_print(const struct banner *banner);

#endif
