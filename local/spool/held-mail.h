/* Counts the octets of mail in the spool, per network of origin and in total, and tells whether
 * there is room for more (EDS_TESTER_MAIL_QUOTA).
 *
 * The database counts the octets in the mail store, and mail-accept reports their number at the
 * RCPT of a test address. Between that answer and the end of the message, other messages may
 * arrive, or move from the spool to the mail store. So for each network two sums are kept: all
 * octets that ever came into the spool (brought), and all that ever left it (left). The octets that
 * had left when mail-accept was asked are part of its answer; all others are counted here. There is
 * room for a message as long as
 *
 *     brought now - left when asked + stored as answered + size of the message <= quota
 *
 * This formula is right for any number of simultaneous messages of a network.
 */
#ifndef RUNNER_HELD_MAIL_H
#define RUNNER_HELD_MAIL_H

#include <stdint.h>

#include "runtime/config/config.h"

enum held_level {
	HELD_NETWORK, /* an IPv4 address, or an IPv6 /64 */
	HELD_SITE,    /* an IPv6 /48, which has twice the quota of a network */
	HELD_ALL,
	HELD_LEVELS
};

struct held_mail;

/* Makes an object in which no octets are counted yet; NULL when out of memory. relays: networks
 * that deliver the mail of many senders; only the total quota (HELD_ALL) applies to them. */
struct held_mail *held_mail_new(
	const struct rt_mail_quota *quota, const struct rt_cidr_list *relays);
void held_mail_free(struct held_mail *held);

/* The octets in the spool, and the octets that ever left it. */
uint64_t held_mail_octets(const struct held_mail *held);
uint64_t held_mail_left(const struct held_mail *held);

/* The room for the message of one transaction. */
struct held_claim {
	struct held_mail *held; /* the object with the counted octets; NULL: no claim */
	struct held_network *networks[HELD_LEVELS];
	bool bounded[HELD_LEVELS];
	uint64_t left[HELD_LEVELS]; /* octets that had left the spool when mail-accept was asked */
	/* maximum value of held_network.brought; UINT64_MAX: no limit, or mail-accept has not
	 * answered yet */
	uint64_t ceiling[HELD_LEVELS];
};

/* Begins a claim. named: true if client_ip is the address of the client, false if it is the address
 * of a proxy that did not name its client. Returns false when out of memory; then there is no
 * claim. */
bool held_claim_begin(
	struct held_claim *claim, struct held_mail *held, const char *client_ip, bool named);

/* To be called when mail-accept is asked for the stored octets. */
void held_claim_ask(struct held_claim *claim);

/* Sets the limits of the claim from mail-accept's answer: the stored octets at each level. */
void held_claim_answer(struct held_claim *claim, const uint64_t stored[HELD_LEVELS]);

/* Returns the number of octets that a message may have now, and sets *whose to the level whose
 * quota sets this limit. There is no limit without a claim or before mail-accept has answered. */
uint64_t held_claim_room(const struct held_claim *claim, enum held_level *whose);

/* Counts a message that goes into the spool; call held_mail_give_back() when it leaves the spool.
 */
void held_claim_take(struct held_claim *claim, uint64_t octets);
void held_claim_end(struct held_claim *claim);

/* Counts a message that an earlier run left in the spool. False when out of memory. */
bool held_mail_take(struct held_mail *held, const char *client_ip, uint64_t octets);
void held_mail_give_back(struct held_mail *held, const char *client_ip, uint64_t octets);

#endif
