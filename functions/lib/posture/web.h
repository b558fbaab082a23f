/* The items about web names: CAA (RFC 8659) for the policy host's certificate, and BIMI. */
#ifndef EDS_POSTURE_WEB_H
#define EDS_POSTURE_WEB_H

#include "functions/lib/posture/item.h"

/* Each function fills look->item, which must be empty, with the findings about its subject. */
void eds_look_caa(struct eds_look *look);
void eds_look_bimi(struct eds_look *look);

size_t eds_look_caa_names(
	struct rt_ctx *ctx, const char *domain, const char *names[EDS_CAA_NAMES_MAX]);

#endif
