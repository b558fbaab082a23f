/* Checks the MTA-STS of domains, hundreds at once in one loop: the TXT records, the policy host,
 * the policy file over HTTPS, the mail servers in MX and their STARTTLS, all in parallel unless one
 * depends on another. The mail servers of a domain without MTA-STS are probed too, because the
 * domain's posture shows the result.
 *
 *     RT_TRY(eds_checks_new(ctx, hours, &checks));
 *     eds_checks_start(checks, &check);
 *     while (eds_checks_count(checks) > 0)
 *             eds_checks_turn(checks, max_ms);      (calls check.done)
 *
 * Each check ends in limited time, even if the domain's servers hang: DNS questions after
 * EDS_RESOLVER_QUESTION_MS, a fetch after EDS_FETCH_TOTAL_MS. A check may have to wait for other
 * checks: for a connection to an address, at most EDS_ADDRESS_WAIT_MS (addresses.h); before the
 * first fetch of a policy that this service hosts (policy-fetch.h); and while as many probes or DNS
 * questions are under way as allowed (probe.h, queue.h).
 */
#ifndef EDS_MTA_STS_CHECK_H
#define EDS_MTA_STS_CHECK_H

#include "functions/lib/fetch/fetch.h"
#include "functions/lib/mta-sts/seen.h"
#include "functions/lib/mta-sts/verdict.h"

enum {
	EDS_PROBE_KEPT_MS = 23 * 3600 * 1000, /* how long the result of a server that passed is
					       * used, before the server is probed again */
	EDS_PROBE_AGAIN_MS = 3600 * 1000,     /* how long the result of a server that failed is
					       * used */
};

struct eds_checks;
struct eds_address_hours; /* address-hour.h */

/* One check. Until done is called, the caller keeps in memory the check and the objects to which
 * `config` and `before` point. */
struct eds_check {
	struct rt_ctx *ctx; /* the context whose memory holds the members of seen */
	const struct eds_mta_sts *config;
	const struct eds_mta_sts_seen *before; /* result of the previous check; NULL if none */
	bool probe;                            /* probe every MX again, even where an earlier result
						* could be used */
	void (*done)(void *arg, struct eds_check *check);
	/* For a policy hosted by this service, called when the answer for the TXT record has come;
	 * the id in the record is then in seen.dns_id. Not called when this lookup fails. The check
	 * then fetches the policy only after the caller has called eds_checks_go_on(), which may be
	 * at once. NULL: the fetch does not wait. */
	void (*looked)(void *arg, struct eds_check *check);
	void *arg;
	struct eds_mta_sts_seen seen;

	/* The members below are private to check.c and policy-fetch.c. */
	struct eds_checks *checks;
	struct eds_check *next; /* the next check in the queue of policies to be fetched */
	int waiting;            /* number of parts of the check that are not done yet */
	/* Number of DNS answers, and of calls of eds_checks_go_on(), to wait for before the policy
	 * is fetched. */
	int host_answers;
	bool warming; /* the fetch is the first one of a policy hosted here, and has not ended */
	bool placed;  /* the fetch holds places at its addresses (addresses.h) */
	int64_t parked_until_ms;  /* end of the wait for a place, monotonic */
	const char *canonical[2]; /* the names that own the addresses in the answers for A and for
				     AAAA, at the end of the aliases of mta-sts.DOMAIN; NULL for
				     an answer without addresses */
	/* Faults of the TXT record; they become the first of seen.errors, in whatever order the
	 * answers come. */
	struct eds_findings id_errors;
	struct eds_mta_sts_host host;
	struct eds_fetch fetch;
};

/* Makes the object that runs the checks of a process. It ends with ctx; `done` of an unfinished
 * check is then never called. hours: the counts that all processes share; NULL when this process is
 * the only one. Fails with RT_INTERNAL "fetch-unavailable" or "dns-unavailable". */
RT_MUST_USE rt_status eds_checks_new(
	struct rt_ctx *ctx, const struct eds_address_hours *hours, struct eds_checks **checks);

void eds_checks_start(struct eds_checks *checks, struct eds_check *check);
void eds_checks_go_on(struct eds_check *check);
size_t eds_checks_count(const struct eds_checks *checks);
void eds_checks_turn(struct eds_checks *checks, int max_ms);

/* Ends all unfinished checks. The caller must first call eds_checks_go_on() for each check that
 * waits for it; otherwise this call does not return. DNS questions and fetches that are cut off
 * count as temporary failures. */
void eds_checks_cancel(struct eds_checks *checks);

#endif
