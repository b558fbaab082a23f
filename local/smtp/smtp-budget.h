/* The octets of all messages that are coming in, and what part of them one network may have: nobody
 * stops the mail of the others by sending much and slowly.
 */
#ifndef RUNNER_SMTP_BUDGET_H
#define RUNNER_SMTP_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

enum {
	SMTP_MESSAGE_BYTES_MAX = 15 * 1024 * 1024,
	SMTP_PIECE_BYTES = 256 * 1024, /* of a message that are in memory at most, and a line */
	SMTP_BUDGET_BYTES = 256 * 1024 * 1024,
	SMTP_SHARE_BYTES = 32 * 1024 *
		1024, /* of an address or an IPv6 /64; a /48 has twice as much */
};

struct smtp_share; /* of one network */

struct smtp_budget {
	size_t used; /* octets of messages under way, in memory or on the disk */
	size_t max;
	size_t share_max;
	size_t message_max; /* of one message: SMTP_MESSAGE_BYTES_MAX, less where limits are tested
			     */
	size_t piece;       /* SMTP_PIECE_BYTES, or less where it is tested */
	struct smtp_share *shares;
};

/* What a budget is in the service. */
void smtp_budget_init(struct smtp_budget *budget);

/* The share of the client's network, for one message; NULL without memory. "" is a client that is
 * not known: all of these have one. NULL is a trusted proxy that named none: it may have all. */
struct smtp_share *smtp_share_take(struct smtp_budget *budget, const char *client_ip);

/* Counts octets that came in: false when that would be too many. */
bool smtp_share_charge(struct smtp_share *share, size_t octets);

/* The message is done with: gives back the octets that were counted for it, and the share. */
void smtp_share_settle(struct smtp_share *share, size_t octets);

#endif
