/* The octets of mail that are in the spool, by the network they came from and in all, and whether
 * there is room for more (EDS_TESTER_MAIL_QUOTA).
 *
 * What the mail store keeps is counted by the store, which mail-accept tells of at RCPT; between
 * that answer and the end of the message others may come in, and leave the spool for the store. So
 * each network counts what it has ever brought into the spool and what has left it. The question is
 * asked at one moment: what had left by then is in its answer, all else is held here. A message has
 * room as long as
 *
 *     brought by now - left when it was asked + stored, as answered + the message <= the quota
 *
 * which stays right however many messages of a network are under way at once.
 */
#ifndef RUNNER_HELD_MAIL_H
#define RUNNER_HELD_MAIL_H

#include <stdint.h>

#include "runtime/config/config.h"

enum held_level {
	HELD_NETWORK, /* an IPv4 address, an IPv6 /64 */
	HELD_SITE,    /* an IPv6 /48: two shares */
	HELD_ALL,
	HELD_LEVELS
};

struct held_mail;

/* NULL without memory. relays deliver the mail of many: only what there is in all bounds them. */
struct held_mail *held_mail_new(
	const struct rt_mail_quota *quota, const struct rt_cidr_list *relays);
void held_mail_free(struct held_mail *held);

/* Octets in the spool, and those that have ever left it. */
uint64_t held_mail_octets(const struct held_mail *held);
uint64_t held_mail_left(const struct held_mail *held);

/* What the transaction of a client may bring. */
struct held_claim {
	struct held_mail *held; /* NULL: not begun */
	struct held_network *networks[HELD_LEVELS];
	bool bounded[HELD_LEVELS];
	uint64_t left[HELD_LEVELS];    /* when it was asked */
	uint64_t ceiling[HELD_LEVELS]; /* for what is brought; UINT64_MAX before an answer */
};

/* named: the client is who the address says, not a proxy that told nothing. False without memory:
 * the claim is not begun. */
bool held_claim_begin(
	struct held_claim *claim, struct held_mail *held, const char *client_ip, bool named);

/* The question about what is stored is asked now. */
void held_claim_ask(struct held_claim *claim);

/* Its answer, octets. */
void held_claim_answer(struct held_claim *claim, const uint64_t stored[HELD_LEVELS]);

/* How large a message may be now, and whose quota says so. A claim that is not begun bounds
 * nothing. */
uint64_t held_claim_room(const struct held_claim *claim, enum held_level *whose);

/* A message goes into the spool; held_mail_give_back() when it leaves. */
void held_claim_take(struct held_claim *claim, uint64_t octets);
void held_claim_end(struct held_claim *claim);

/* What an earlier run has left in the spool. False without memory. */
bool held_mail_take(struct held_mail *held, const char *client_ip, uint64_t octets);
void held_mail_give_back(struct held_mail *held, const char *client_ip, uint64_t octets);

#endif
