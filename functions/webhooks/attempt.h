/* One try to deliver a row of the outbox: the host is resolved, the body is sent, and the answer
 * judged.
 *
 * 2xx is delivered. 410 says that the receiver wants no more (Standard Webhooks); a host with
 * private addresses alone is none that we send to: both are given up at once. Everything else is
 * tried again after pauses that grow from a minute to two hours, until the row's time is over. A
 * receiver that answers 429 or 503 may ask for a longer one (Retry-After, RFC 9110 section 10.2.3).
 */
#ifndef EDS_WEBHOOKS_ATTEMPT_H
#define EDS_WEBHOOKS_ATTEMPT_H

#include "functions/lib/fetch/fetch.h"
#include "functions/lib/store/alerts/outbox.h"
#include "functions/lib/webhook/address.h"

enum {
	ATTEMPT_PAUSE_MS = 60 * 1000, /* after the first try; each is twice the one before */
	ATTEMPT_PAUSE_MAX_MS = 2 * 3600 * 1000,
	/* what a receiver may ask for by Retry-After: it holds up no other */
	ATTEMPT_ASKED_MAX_MS = 6 * 3600 * 1000,
};

/* The caller's memory until done; ctx is that of the row. */
struct attempt {
	struct rt_ctx *ctx;
	struct eds_outbox_due *due;
	void (*done)(struct attempt *attempt); /* due has its outcome */
	void *arg;
	struct eds_webhook_address address;
	struct attempt *next; /* the caller's */
	bool begun;           /* else it was put off */
	bool silent;          /* when done: the host did not answer */

	/* of attempt.c */
	struct eds_fetcher *fetcher;
	int answers_wanted;
	bool dns_failed;
	int64_t asked_ms; /* the pause that the receiver asked for; 0 none */
	struct eds_fetch_post post;
	struct eds_fetch fetch;
};

/* Reads the row's address; false when the row cannot be sent, and has its outcome. */
RT_MUST_USE bool attempt_prepare(struct attempt *attempt);

void attempt_begin(struct attempt *attempt, struct eds_fetcher *fetcher);

/* It was not tried, because the host is silent or for a reason of our own: the row is due again at
 * that time. */
void attempt_postpone(struct attempt *attempt, int64_t next_at_ms, bool host_is_silent);

#endif
