/* The hosts to which one run delivers, so that a dead host does not delay others. Few deliveries of
 * an account to a host run at a time, and more once the host has answered. When a delivery finds
 * the host silent, or when no delivery gets an answer for a while, the waiting deliveries are left
 * to a later run, which does not count as a try. Hosts are separate for each account: the
 * deliveries of one account do not affect those of another. */
#ifndef EDS_WEBHOOKS_HOSTS_H
#define EDS_WEBHOOKS_HOSTS_H

#include "functions/webhooks/attempt.h"

enum {
	/* maximum number of simultaneous deliveries of an account to a host, until the host has
	 * answered */
	HOSTS_FIRST = 4,
	/* maximum number of simultaneous deliveries of an account to a host, once the host has
	 * answered */
	HOSTS_AT_ONCE = 32,
	/* The time after which the waiting deliveries to a host that has not answered are put off.
	 * It is long enough for the first answers on a slow processor, where each TLS handshake
	 * takes some ms. Until then the waiting deliveries use only the room of their own account.
	 */
	HOSTS_PATIENCE_MS = 5000,
};

struct hosts;

struct hosts *hosts_new(struct rt_ctx *ctx, struct eds_fetcher *fetcher);

/* Begins the attempt, keeps it until the host has room in this run, or puts it off to a later run.
 * The caller must call hosts_done() from the done() of each attempt that was begun. */
void hosts_add(struct hosts *hosts, struct attempt *attempt);

void hosts_done(struct hosts *hosts, struct attempt *attempt);

/* Puts off attempts that wait for a host that has not answered for HOSTS_PATIENCE_MS. */
void hosts_turn(struct hosts *hosts);

/* Puts off all waiting attempts; their rows are due again at once. */
void hosts_cancel(struct hosts *hosts);

#endif
