/* One try to deliver a row of the outbox: resolves the host, sends the body, and judges the answer.
 *
 * 2xx means delivered. A row is given up at once in three cases: the receiver answers 410, which
 * means that the receiver wants no more messages (Standard Webhooks); the host has only private
 * addresses, to which we never send; the URL or the secret is invalid. After all other failures the
 * row is tried again, with pauses that grow from a minute to two hours, until the row's time is
 * over. A receiver that answers 429 or 503 may ask for a longer pause (Retry-After, RFC 9110
 * section 10.2.3).
 */
#ifndef EDS_WEBHOOKS_ATTEMPT_H
#define EDS_WEBHOOKS_ATTEMPT_H

#include "functions/lib/fetch/fetch.h"
#include "functions/lib/store/alerts/outbox.h"
#include "functions/lib/webhook/address.h"

enum {
	ATTEMPT_PAUSE_MS = 60 * 1000, /* pause after the first try; doubles with each further try */
	ATTEMPT_PAUSE_MAX_MS = 2 * 3600 * 1000,
	/* maximum for Retry-After; it can be long because the wait delays no other receiver */
	ATTEMPT_ASKED_MAX_MS = 6 * 3600 * 1000,
};

/* One try. The struct belongs to the caller, and must stay valid until done is called. ctx: memory
 * for this row. */
struct attempt {
	struct rt_ctx *ctx;
	struct eds_outbox_due *due;
	void (*done)(struct attempt *attempt); /* called when `due` has its outcome */
	void *arg;
	struct eds_webhook_address address;
	struct attempt *next; /* link to another attempt; the caller may use it freely */
	bool begun;           /* false: the try has not begun */
	bool silent;          /* the host did not answer; valid when done is called */

	/* the members from here on are private to attempt.c */
	struct eds_fetcher *fetcher;
	int answers_wanted;
	bool dns_failed;
	int64_t asked_ms; /* pause that the receiver asked for; 0 none */
	struct eds_fetch_post post;
	struct eds_fetch fetch;
};

/* Reads the row's URL. Returns false when the row cannot be sent; its outcome is then set, and done
 * has been called. */
RT_MUST_USE bool attempt_prepare(struct attempt *attempt);

void attempt_begin(struct attempt *attempt, struct eds_fetcher *fetcher);

/* Ends the attempt without counting it as a try; the row is due again at next_at_ms, or is given up
 * if its time is over by then. host_is_silent: true if the reason is that the host does not answer;
 * false if this service cannot try the row now. */
void attempt_postpone(struct attempt *attempt, int64_t next_at_ms, bool host_is_silent);

#endif
