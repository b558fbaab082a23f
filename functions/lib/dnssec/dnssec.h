/* Whether names in DNS are signed, and their signatures hold (DNSSEC, RFC 4033 to 4035): validated
 * here, from a trust anchor down, whatever the resolver says of itself.
 *
 *     eds_dnssec_open(ctx, &dnssec);
 *     answer = eds_dnssec_ask(dnssec, "example.com", EDS_DNSSEC_ZONE);      (pending at first)
 *     while (eds_dnssec_pending(dnssec) > 0)
 *             … wait until eds_dnssec_fd() can be read …, eds_dnssec_turn();
 *
 * Chains of strangers' keys and signatures are made to be expensive or to break who checks them. So
 * libunbound runs in a program of its own (eds-validator), which has no environment, no file and no
 * database, a bound on memory and processor time, and a filter where the kernel has one; it may
 * speak to the network, as it asks the resolver itself. When it dies, its questions are not
 * answered, and another is started with a later question. It is kept over events, with its cache.
 */
#ifndef EDS_DNSSEC_H
#define EDS_DNSSEC_H

#include "runtime/ctx.h"

enum {
	EDS_DNSSEC_WHY_MAX = 200, /* octets */
};

enum eds_dnssec_state {
	EDS_DNSSEC_PENDING,
	EDS_DNSSEC_SECURE,   /* signed, from the trust anchor down */
	EDS_DNSSEC_INSECURE, /* proven to be unsigned, there or above */
	EDS_DNSSEC_BOGUS,    /* has to be signed and no signature holds: validators get no answer */
	EDS_DNSSEC_UNABLE,   /* the resolver does not hand on the signed keys of the trust anchor */
	EDS_DNSSEC_UNKNOWN,  /* DNS gives no answer now */
	EDS_DNSSEC_ABSENT,   /* no validator runs, or it ended before it answered */
};

struct eds_dnssec_answer {
	const char *name;
	enum eds_dnssec_state state;
	const char *why; /* of a bogus one, printable; "" for nothing */
};

enum eds_dnssec_question { /* types on the wire; the records themselves are not looked at */
	EDS_DNSSEC_HOST = 1,
	EDS_DNSSEC_ZONE = 6,
	EDS_DNSSEC_TLSA = 52,
};

struct eds_dnssec; /* the questions of one event */

/* Ends with the event's memory. */
void eds_dnssec_open(struct rt_ctx *ctx, struct eds_dnssec **dnssec);

/* The answer as far as it is there; the first time sends the question. */
const struct eds_dnssec_answer *eds_dnssec_ask(
	struct eds_dnssec *dnssec, const char *name, enum eds_dnssec_question question);

/* Questions of this event without an answer. */
size_t eds_dnssec_pending(const struct eds_dnssec *dnssec);

/* Can be read when answers have come; -1 while no validator runs. */
int eds_dnssec_fd(void);

/* Takes the answers that have come, of all events, and sends what waits. Does
 * not wait. */
void eds_dnssec_turn(void);

#endif
