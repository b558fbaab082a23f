/* The body of a PATCH, and its effect on a configuration:
 *
 *     {"enabled": true, "mode": "enforce", "maxAge": 604800, "mxPatterns": ["*.example.net"],
 *      "hosted": true}
 *
 * All fields are optional; a setting that is left out stays unchanged.
 */
#ifndef EDS_MTA_STS_PATCH_H
#define EDS_MTA_STS_PATCH_H

#include "functions/lib/store/mta-sts/mta-sts.h"
#include "runtime/json.h"

enum {
	MAX_AGE_S_MIN = 86400,
	MAX_AGE_S_MAX = 31557600, /* about a year, the maximum of RFC 8461 section 3.2 */
};

struct patch {
	bool has_enabled;
	bool enabled;
	bool has_mode;
	enum eds_policy_mode mode;
	bool has_max_age;
	int64_t max_age_s;
	bool has_patterns;
	struct eds_mx_patterns patterns;
	bool has_hosted;
	bool hosted;
};

/* Reads the body. RT_BAD_INPUT "field-unknown" or "field-invalid", naming every such field; an
 * element is named like "mxPatterns[2]". */
RT_MUST_USE rt_status patch_read(struct rt_ctx *ctx, const json_t *body, struct patch *patch);

/* Applies a patch to config. The function has the type eds_mta_sts_edit; arg is the struct patch.
 * Fails with RT_BAD_INPUT "mx-patterns-missing" when the result would be mode enforce without a
 * pattern, and with RT_FORBIDDEN "hosting-not-in-plan" when the patch switches on hosting that the
 * plan does not include. A policy that is hosted already may stay hosted for 30 days after the plan
 * changed; after that its mode cannot go back to enforce. */
RT_MUST_USE rt_status patch_apply(struct rt_ctx *ctx, struct eds_mta_sts *config, void *arg);

#endif
