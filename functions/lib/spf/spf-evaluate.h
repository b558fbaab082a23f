/* check_host() of RFC 7208 by libspf2, with the guards and corrections it needs.
 *
 * Only for the sandbox's child (and tests): the library has memory bugs. Records are checked
 * against the ABNF (spf-record.h) before the library sees them.
 */
#ifndef EDS_SPF_EVALUATE_H
#define EDS_SPF_EVALUATE_H

#include "functions/lib/dns/lookup.h"
#include "functions/lib/spf/spf.h"

struct eds_spf_input {
	struct rt_ip client; /* address of the client, of family AF_INET or AF_INET6 */
	const char *helo;
	const char *mail_from; /* the envelope sender; "" for <>, for which the HELO identity is
				* checked (section 2.4) */
	bool helo_identity;    /* check only HELO (section 2.3), regardless of mail_from */
	const char *receiver;  /* for %{r} */
	int64_t deadline_ms;   /* end of the evaluation's time, on the monotonic clock:
				* at most EDS_SPF_TIME_MS after the beginning */
};

/* Evaluates SPF. Always sets a result; an error of libspf2 becomes permerror with a reason. Ends
 * the process when memory is out. */
void eds_spf_evaluate(struct rt_ctx *ctx, const struct eds_lookup *lookup,
	const struct eds_spf_input *input, struct eds_spf_result *result);

#endif
