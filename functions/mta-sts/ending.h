/* Ends the hosting of an account's policies 30 days after the account changed to a plan that does
 * not include hosting. A policy in mode enforce first goes to mode testing. Hosting ends once no
 * sender can still apply a former policy of mode enforce. For a policy in mode none, the end of
 * hosting also waits until no sender can still use the previous policy.
 */
#ifndef MTA_STS_ENDING_H
#define MTA_STS_ENDING_H

#include "functions/lib/store/mta-sts/mta-sts.h"

/* Takes the next step of ending the hosting for a batch of domains that are due for such a step. */
RT_MUST_USE rt_status mta_sts_end_hosting(struct rt_ctx *ctx, struct eds_store *store);

#endif
