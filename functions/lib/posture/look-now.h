/* A look at one domain in the time that an HTTP request has. */
#ifndef EDS_POSTURE_LOOK_NOW_H
#define EDS_POSTURE_LOOK_NOW_H

#include "functions/lib/posture/posture.h"

/* Asks DNS for eight seconds at most, whatever the domain's name servers do: what is not known by
 * then is unknown. RT_INTERNAL "dns-unavailable". */
RT_MUST_USE rt_status eds_posture_look_now(struct rt_ctx *ctx,
	const struct eds_posture_question *question, struct eds_posture *posture);

#endif
