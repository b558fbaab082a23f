/* Limits the octets of all messages that are being received, and the share of them that one network
 * may use, so that one sender of large, slow messages cannot block the mail of others.
 */
#ifndef RUNNER_SMTP_BUDGET_H
#define RUNNER_SMTP_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

enum {
	SMTP_MESSAGE_BYTES_MAX = 15 * 1024 * 1024,
	/* maximum number of octets of a message in memory, without the current line */
	SMTP_PIECE_BYTES = 256 * 1024,
	SMTP_BUDGET_BYTES = 256 * 1024 * 1024,
	/* maximum number of octets from an IPv4 address or an IPv6 /64; a /48 may have twice as
	 * many */
	SMTP_SHARE_BYTES = 32 * 1024 * 1024,
};

struct smtp_share; /* the part of the budget that one network uses */

struct smtp_budget {
	size_t used; /* octets of messages being received, in memory or on disk */
	size_t max;
	size_t share_max;
	size_t message_max; /* maximum size of a message: SMTP_MESSAGE_BYTES_MAX; tests set less */
	size_t piece;       /* octets of a piece: SMTP_PIECE_BYTES; tests set less */
	struct smtp_share *shares;
};

/* Sets the limits that the service uses. */
void smtp_budget_init(struct smtp_budget *budget);

/* Gives the share of the client's network for one message; NULL when out of memory. client_ip is ""
 * for an unknown client: all unknown clients have one share. client_ip is NULL for a trusted proxy
 * that named no client: only the whole budget limits that share. */
struct smtp_share *smtp_share_take(struct smtp_budget *budget, const char *client_ip);

/* Counts received octets. False, without counting them, when they exceed the share or the budget.
 */
bool smtp_share_charge(struct smtp_share *share, size_t octets);

/* Ends one message: subtracts the octets that were counted for it, and releases its use of the
 * share. */
void smtp_share_settle(struct smtp_share *share, size_t octets);

#endif
