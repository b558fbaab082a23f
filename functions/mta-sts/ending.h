/* The end of hosting that the plan does not include any more, 30 days after the plan was lowered:
 * an enforced policy goes to testing, and is hosted until no sender holds the enforced one any
 * more; then, and else at once, hosting ends.
 */
#ifndef MTA_STS_ENDING_H
#define MTA_STS_ENDING_H

#include "functions/lib/store/mta-sts/mta-sts.h"

/* Takes the next step of some domains that are due for one. */
RT_MUST_USE rt_status mta_sts_end_hosting(struct rt_ctx *ctx, struct eds_store *store);

#endif
