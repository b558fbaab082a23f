/* The check of a domain's MTA-STS, hundreds of them in one loop: the TXT records, the policy host,
 * the policy file over HTTPS, the live MX and their STARTTLS, all at once as far as one needs not
 * the other. The mail servers of a domain whose MTA-STS is off are asked too: the domain's posture
 * tells what they did.
 *
 *     RT_TRY(eds_checks_new(ctx, &checks));
 *     eds_checks_start(checks, &check);
 *     while (eds_checks_count(checks) > 0)
 *             eds_checks_turn(checks, max_ms);      (calls check.done)
 *
 * Each ends in bounded time, whatever the domain's servers do: questions to DNS after
 * EDS_RESOLVER_QUESTION_MS, a fetch after EDS_FETCH_TOTAL_MS, and none waits for another. Only
 * policies that this service hosts and that were never fetched are fetched one after another: the
 * policy host orders a certificate at the first handshake, and issuers throttle.
 */
#ifndef EDS_MTA_STS_CHECK_H
#define EDS_MTA_STS_CHECK_H

#include "functions/lib/fetch/fetch.h"
#include "functions/lib/mta-sts/seen.h"
#include "functions/lib/mta-sts/verdict.h"

enum {
	EDS_PROBE_KEPT_MS = 23 * 3600 * 1000, /* a server that did STARTTLS is not asked before */
	EDS_PROBE_AGAIN_MS = 3600 * 1000,     /* another one */
};

struct eds_checks;

/* One check, the caller's memory until done; config and before outlive it. */
struct eds_check {
	struct rt_ctx *ctx; /* what was seen lives in its memory */
	const struct eds_mta_sts *config;
	const struct eds_mta_sts_seen *before; /* the check before; NULL without */
	bool probe;                            /* ask every MX anew */
	void (*done)(void *arg, struct eds_check *check);
	/* The TXT record of a policy that is hosted here was answered for: seen.dns_id. The policy
	 * is fetched after eds_checks_go_on(), which may be called at once. NULL: not asked for. */
	void (*looked)(void *arg, struct eds_check *check);
	void *arg;
	struct eds_mta_sts_seen seen;

	/* of check.c */
	struct eds_checks *checks;
	struct eds_check *next; /* among those that wait for their turn to be warmed */
	int waiting;            /* parts that are not done */
	int host_answers;       /* of DNS, and for the look, still to come */
	bool warming;
	struct eds_findings id_errors; /* stand first, whatever came first */
	struct eds_mta_sts_host host;
	struct eds_fetch fetch;
};

/* Ends with ctx; what is under way is not called back then. RT_INTERNAL as eds_fetcher_new(). */
RT_MUST_USE rt_status eds_checks_new(struct rt_ctx *ctx, struct eds_checks **checks);

void eds_checks_start(struct eds_checks *checks, struct eds_check *check);
void eds_checks_go_on(struct eds_check *check);
size_t eds_checks_count(const struct eds_checks *checks);
void eds_checks_turn(struct eds_checks *checks, int max_ms);

/* Ends all that is under way, with every look that waited gone on before: what was not learnt by
 * now makes the result a temporary one. */
void eds_checks_cancel(struct eds_checks *checks);

#endif
