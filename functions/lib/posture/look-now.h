/* Looks at one domain within the time of an HTTP request. */
#ifndef EDS_POSTURE_LOOK_NOW_H
#define EDS_POSTURE_LOOK_NOW_H

#include "functions/lib/posture/posture.h"

/* Looks at a domain. Takes at most eight seconds, even if the domain's name servers hang; items for
 * which DNS has not answered by then are unknown. Fails with RT_INTERNAL "dns-unavailable". */
RT_MUST_USE rt_status eds_posture_look_now(struct rt_ctx *ctx,
	const struct eds_posture_question *question, struct eds_posture *posture);

#endif
