/* One try to deliver a row of the outbox: resolves the host, sends the body, and judges the answer.
 *
 * 2xx means delivered. A row is given up at once when the receiver answers 410, which means that it
 * wants no more (Standard Webhooks), and when its host has only private addresses, to which we
 * never send. All other failures are tried again after pauses that grow from a minute to two hours,
 * until the row's time is over. A receiver that answers 429 or 503 may ask for a longer pause
 * (Retry-After, RFC 9110 section 10.2.3).
 */
#ifndef EDS_WEBHOOKS_ATTEMPT_H
#define EDS_WEBHOOKS_ATTEMPT_H

#include "functions/lib/fetch/fetch.h"
#include "functions/lib/store/alerts/outbox.h"
#include "functions/lib/webhook/address.h"

enum {
	ATTEMPT_PAUSE_MS = 60 * 1000, /* after the first try; doubles each time */
	ATTEMPT_PAUSE_MAX_MS = 2 * 3600 * 1000,
	/* maximum for Retry-After; the wait delays no other receiver */
	ATTEMPT_ASKED_MAX_MS = 6 * 3600 * 1000,
};

/* The caller's memory, until done is called; ctx is that of the row. */
struct attempt {
	struct rt_ctx *ctx;
	struct eds_outbox_due *due;
	void (*done)(struct attempt *attempt); /* called when due has its outcome */
	void *arg;
	struct eds_webhook_address address;
	struct attempt *next; /* for the caller */
	bool begun;           /* false: it was put off */
	bool silent;          /* set when done: the host did not answer */

	/* private to attempt.c */
	struct eds_fetcher *fetcher;
	int answers_wanted;
	bool dns_failed;
	int64_t asked_ms; /* pause that the receiver asked for; 0 none */
	struct eds_fetch_post post;
	struct eds_fetch fetch;
};

/* Reads the row's URL; false when the row cannot be sent; it then has its outcome. */
RT_MUST_USE bool attempt_prepare(struct attempt *attempt);

void attempt_begin(struct attempt *attempt, struct eds_fetcher *fetcher);

/* Puts the row off without a try, because the host is silent or because of a fault in this service:
 * it is due again at next_at_ms. */
void attempt_postpone(struct attempt *attempt, int64_t next_at_ms, bool host_is_silent);

#endif
