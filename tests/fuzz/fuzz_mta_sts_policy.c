/* A policy file. A valid one must keep the limits of the RFC, and each of its mx values must be a
 * pattern. */
#include "functions/lib/mta-sts/pattern.h"
#include "functions/lib/mta-sts/policy.h"
#include "tests/fuzz/fuzz.h"

static void check_good(const struct eds_policy *policy)
{
	FUZZ_ASSERT(policy->mode != EDS_POLICY_UNKNOWN);
	FUZZ_ASSERT(policy->max_age_s >= 0 && policy->max_age_s <= EDS_POLICY_MAX_AGE_S_MAX);
	FUZZ_ASSERT(policy->mode == EDS_POLICY_NONE || policy->mx_count > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_ctx ctx = fuzz_begin();
	struct eds_policy policy;

	eds_policy_read(&ctx, (const char *)data, size, &policy);
	FUZZ_ASSERT(policy.mx_count <= EDS_POLICY_MX_MAX);
	for (size_t i = 0; i < policy.mx_count; i++)
		FUZZ_ASSERT(eds_mta_sts_pattern_valid(policy.mx[i]));
	if (policy.errors.count == 0)
		check_good(&policy);
	for (size_t i = 0; i < policy.errors.count; i++)
		for (const char *c = policy.errors.items[i].message; *c != '\0'; c++)
			FUZZ_ASSERT((unsigned char)*c >= ' ' && *c != 0x7f);
	fuzz_end(&ctx);
	return 0;
}
