/* Checks whether names in DNS are signed and their signatures are valid (DNSSEC, RFC 4033 to 4035).
 * The validation runs on this machine, from a trust anchor down; the resolver's verdict does not
 * count.
 *
 *     eds_dnssec_open(ctx, &dnssec);
 *     answer = eds_dnssec_ask(dnssec, "example.com", EDS_DNSSEC_ZONE);      (pending at first)
 *     while (eds_dnssec_pending(dnssec) > 0)
 *             … wait until eds_dnssec_fd() can be read …, eds_dnssec_turn();
 *
 * Attackers craft chains of keys and signatures that take long to check, or that exploit a bug of
 * the checker. So libunbound runs in a program of its own, eds-validator (the validator), which has
 * no environment, no file and no database. Unless EDS_SANDBOX is off, its memory and processor time
 * are limited, and a seccomp filter confines it if the kernel supports such filters. The validator
 * may use the network, as it asks the resolver itself. When the validator dies, its questions are
 * answered with EDS_DNSSEC_ABSENT, and a later question starts another validator. The validator
 * serves many events and keeps its cache.
 */
#ifndef EDS_DNSSEC_H
#define EDS_DNSSEC_H

#include "runtime/ctx.h"

enum {
	EDS_DNSSEC_WHY_MAX = 200, /* maximum number of octets of the reason */
};

enum eds_dnssec_state {
	EDS_DNSSEC_PENDING,
	EDS_DNSSEC_SECURE,   /* all zones from the trust anchor down to the name are signed */
	EDS_DNSSEC_INSECURE, /* the zone of the name, or one above it, is proven to be unsigned */
	EDS_DNSSEC_BOGUS,   /* the name must be signed, but no signature is valid, so resolvers that
			     * validate give no answer */
	EDS_DNSSEC_UNABLE,  /* the resolver does not pass on the signed keys of the trust anchor */
	EDS_DNSSEC_UNKNOWN, /* DNS gives no answer at present, or too many questions are open */
	EDS_DNSSEC_ABSENT,  /* no validator runs, or it ended before it answered */
};

struct eds_dnssec_answer {
	const char *name;
	enum eds_dnssec_state state;
	const char *why; /* the reason for EDS_DNSSEC_BOGUS, printable; "" if none */
};

enum eds_dnssec_question { /* the type that is asked for, with its number on the wire; the records
			    * themselves are not read */
	EDS_DNSSEC_HOST = 1,
	EDS_DNSSEC_ZONE = 6,
	EDS_DNSSEC_TLSA = 52,
};

struct eds_dnssec; /* the questions of one event */

/* Opens the questions of this event; they end with the event's memory. */
void eds_dnssec_open(struct rt_ctx *ctx, struct eds_dnssec **dnssec);

/* Sends the question at the first call, and returns the answer; its state is EDS_DNSSEC_PENDING
 * until the validator has answered. */
const struct eds_dnssec_answer *eds_dnssec_ask(
	struct eds_dnssec *dnssec, const char *name, enum eds_dnssec_question question);

/* Number of questions of this event without an answer. */
size_t eds_dnssec_pending(const struct eds_dnssec *dnssec);

/* A descriptor that is readable when answers have arrived; -1 while no validator runs. */
int eds_dnssec_fd(void);

/* Takes the answers that have arrived, for all events, and sends the questions that are queued.
 * Does not wait. */
void eds_dnssec_turn(void);

#endif
