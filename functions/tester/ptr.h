/* Reverse DNS of the sending address, its forward confirmation, and whether HELO agrees. */
#ifndef TESTER_PTR_H
#define TESTER_PTR_H

#include "functions/lib/dns/dns.h"
#include "functions/lib/mail/received.h"

enum {
	PTR_NAMES_MAX = 10, /* names read from one answer, as in RFC 7208 section 5.5 */
};

enum ptr_state { PTR_STATE_VALID, PTR_STATE_MISMATCH, PTR_STATE_MISSING, PTR_STATE_UNKNOWN };

enum helo_state {
	HELO_CONFIRMED,  /* it resolves to the client's address */
	HELO_ELSEWHERE,  /* it resolves, but not to that address */
	HELO_UNRESOLVED, /* no address record */
	HELO_LITERAL,    /* the client's own address as a literal; another's is HELO_ELSEWHERE */
	HELO_UNKNOWN,    /* not known, or a lookup failed temporarily */
};

struct ptr_result {
	enum ptr_state state;
	const char *record; /* the confirmed name, else the first; NULL when there is none */
	bool confirmed;     /* a PTR name resolves back to the address */
	enum helo_state helo;
	const char *reason; /* a sentence */
};

/* Starts the lookups early: PTR, the addresses of its names once they are known, and HELO's. */
void ptr_prefetch(struct rt_ctx *ctx, struct eds_dns *dns, const struct eds_client *client);

/* Fills *result; waits for lookups that are not answered yet. PTR_STATE_UNKNOWN without a public
 * client address and when a lookup failed temporarily. */
void ptr_check(struct rt_ctx *ctx, struct eds_dns *dns, const struct eds_client *client,
	struct ptr_result *result);

const char *ptr_state_name(enum ptr_state state);   /* "valid", … */
const char *helo_state_name(enum helo_state state); /* "confirmed", … */

#endif
