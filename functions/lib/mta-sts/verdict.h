/* Turns network data into findings about the policy host, its response, the policy in the response,
 * and the agreement of the policy with the configuration and with the domain's MX records. The
 * functions are pure: they do no I/O. */
#ifndef EDS_MTA_STS_VERDICT_H
#define EDS_MTA_STS_VERDICT_H

#include "functions/lib/fetch/fetch.h"
#include "functions/lib/mta-sts/seen.h"
#include "functions/lib/store/mta-sts/mta-sts.h"

/* What DNS says about mta-sts.DOMAIN: the argument of eds_mta_sts_judge_host(), which is called
 * when there is no address to connect to. `a` and `aaaa` are the states of the answers for A and
 * AAAA. */
struct eds_mta_sts_host {
	enum eds_dns_state a;
	enum eds_dns_state aaaa;
	bool aliased;
	bool forbidden;
	bool resolver_is_away; /* our own resolver could not be asked, so nothing is known about the
				* host */
};
void eds_mta_sts_judge_host(
	struct rt_ctx *ctx, const struct eds_mta_sts_host *host, struct eds_mta_sts_seen *seen);

/* True when senders accept this response as a policy file (section 3.3); otherwise adds an error
 * with the reason. */
bool eds_mta_sts_judge_fetched(
	struct rt_ctx *ctx, const struct eds_fetched *fetched, struct eds_mta_sts_seen *seen);

/* Judges the text of a fetched policy. If MTA-STS is enabled for the domain and the policy has no
 * error, also compares it with the configuration. */
void eds_mta_sts_judge_policy(struct rt_ctx *ctx, const struct eds_mta_sts *config,
	const char *text, size_t length, struct eds_mta_sts_seen *seen);

/* If MTA-STS is enabled and the mode is testing or enforce, adds an error for every MX that no
 * pattern covers. In mode enforce also adds one when the MX is unknown. */
void eds_mta_sts_judge_mx(
	struct rt_ctx *ctx, const struct eds_mta_sts *config, struct eds_mta_sts_seen *seen);

bool eds_mta_sts_is_covered(const struct eds_mta_sts *config, const char *host);

/* Judges a mail server by the outcome of a fetch of the kind EDS_FETCH_STARTTLS. Sets *reason to a
 * string literal that explains the result. */
enum eds_starttls eds_mta_sts_judge_starttls(enum eds_fetch_outcome outcome, const char **reason);

#endif
