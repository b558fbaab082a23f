/* The hosts that one run delivers to, so that a dead one holds up no other: of an account's
 * deliveries to a host a few are under way at a time, more once it has answered. When one finds the
 * host silent, or none has an answer after a while, those that wait are put off for the run, and
 * cost no try. An account's hosts are its
 * own: what one account sends says nothing about what another may.
 */
#ifndef EDS_WEBHOOKS_HOSTS_H
#define EDS_WEBHOOKS_HOSTS_H

#include "functions/webhooks/attempt.h"

enum {
	HOSTS_FIRST = 4,    /* at a time, until it has answered */
	HOSTS_AT_ONCE = 32, /* afterwards */
	HOSTS_PATIENCE_MS = 2000,
};

struct hosts;

struct hosts *hosts_new(struct rt_ctx *ctx, struct eds_fetcher *fetcher);

/* Begins it, or has it wait for a place, or puts it off. The done() of one that was begun calls
 * hosts_done(). */
void hosts_add(struct hosts *hosts, struct attempt *attempt);

void hosts_done(struct hosts *hosts, struct attempt *attempt);

/* Puts off those that wait for a host without an answer for HOSTS_PATIENCE_MS. */
void hosts_turn(struct hosts *hosts);

/* Puts off all that wait, to be due at once. */
void hosts_cancel(struct hosts *hosts);

#endif
