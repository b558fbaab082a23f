/* From what came over the network to findings: the policy host, the answer to the fetch, the policy
 * in it, and how that fits the configuration and the live MX. Pure. */
#ifndef EDS_MTA_STS_VERDICT_H
#define EDS_MTA_STS_VERDICT_H

#include "functions/lib/fetch/fetch.h"
#include "functions/lib/mta-sts/seen.h"
#include "functions/lib/store/mta-sts/mta-sts.h"

/* What DNS said of mta-sts.DOMAIN, when it left nothing to connect to. a and aaaa: states of both
 * answers. */
struct eds_mta_sts_host {
	enum eds_dns_state a;
	enum eds_dns_state aaaa;
	bool aliased;
	bool forbidden;
};
void eds_mta_sts_judge_host(
	struct rt_ctx *ctx, const struct eds_mta_sts_host *host, struct eds_mta_sts_seen *seen);

/* Whether senders take this answer for a policy file (section 3.3), else an error says why not. */
bool eds_mta_sts_judge_fetched(
	struct rt_ctx *ctx, const struct eds_fetched *fetched, struct eds_mta_sts_seen *seen);

/* The text of a policy that was fetched; compared with the configuration of an enabled domain. */
void eds_mta_sts_judge_policy(struct rt_ctx *ctx, const struct eds_mta_sts *config,
	const char *text, size_t length, struct eds_mta_sts_seen *seen);

/* Every MX that no pattern covers is an error, in testing as under enforce. */
void eds_mta_sts_judge_mx(
	struct rt_ctx *ctx, const struct eds_mta_sts *config, struct eds_mta_sts_seen *seen);

bool eds_mta_sts_is_covered(const struct eds_mta_sts *config, const char *host);

/* What a mail server did, from the outcome of EDS_FETCH_STARTTLS; *reason is a literal. */
enum eds_starttls eds_mta_sts_judge_starttls(enum eds_fetch_outcome outcome, const char **reason);

#endif
