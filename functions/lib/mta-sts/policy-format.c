#include "functions/lib/mta-sts/policy-format.h"

#include "runtime/buffer.h"

enum {
	POLICY_BYTES_MAX = 32 * 1024, /* maximum number of octets of the file: enough for 100
				       * patterns of 255 octets, and the other lines */
};

char *eds_policy_format(struct rt_ctx *ctx, enum eds_policy_mode mode, int64_t max_age_s,
	const struct eds_mx_patterns *patterns, size_t *length)
{
	struct rt_buffer policy;

	rt_buffer_init(&policy, ctx, POLICY_BYTES_MAX);
	rt_buffer_format(&policy, "version: STSv1\nmode: %s\n", eds_policy_mode_name(mode));
	for (size_t i = 0; mode != EDS_POLICY_NONE && i < patterns->count; i++)
		rt_buffer_format(&policy, "mx: %s\n", patterns->items[i]);
	rt_buffer_format(&policy, "max_age: %lld\n", (long long)max_age_s);
	*length = policy.length;
	return policy.bytes;
}
