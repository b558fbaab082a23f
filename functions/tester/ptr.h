/* Reverse DNS of the sending address, its forward confirmation, and whether HELO agrees. */
#ifndef TESTER_PTR_H
#define TESTER_PTR_H

#include "functions/lib/dns/dns.h"
#include "functions/lib/mail/received.h"

enum {
	/* maximum number of names read from one answer, as in RFC 7208 section 5.5 */
	PTR_NAMES_MAX = 10,
};

enum ptr_state { PTR_STATE_VALID, PTR_STATE_MISMATCH, PTR_STATE_MISSING, PTR_STATE_UNKNOWN };

enum helo_state {
	HELO_CONFIRMED,  /* the HELO name resolves to the client's address */
	HELO_ELSEWHERE,  /* the HELO name resolves, but not to that address */
	HELO_UNRESOLVED, /* the HELO name has no address record */
	/* an address literal with the client's address; with another address: HELO_ELSEWHERE */
	HELO_LITERAL,
	HELO_UNKNOWN, /* the HELO name or the client's public address is not known, or a lookup
		       * failed temporarily */
};

struct ptr_result {
	enum ptr_state state;
	/* the confirmed PTR name, else the first one; NULL when there is none */
	const char *record;
	bool confirmed; /* a PTR name resolves back to the address */
	enum helo_state helo;
	const char *reason; /* a sentence that says why the result has this state */
};

/* Starts the lookups early: PTR, the addresses of its names once they are known, and the addresses
 * of HELO. */
void ptr_prefetch(struct rt_ctx *ctx, struct eds_dns *dns, const struct eds_client *client);

/* Fills *result; waits for lookups that are not answered yet. The state is PTR_STATE_UNKNOWN
 * without a public client address, and when a lookup failed temporarily and no name that was looked
 * up fits. */
void ptr_check(struct rt_ctx *ctx, struct eds_dns *dns, const struct eds_client *client,
	struct ptr_result *result);

const char *ptr_state_name(enum ptr_state state);   /* name of the state: "valid", … */
const char *helo_state_name(enum helo_state state); /* name of the state: "confirmed", … */

#endif
