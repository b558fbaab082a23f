/* A DKIM-Signature field's value: eds_signature_read(), and the functions that judge its result. */
#include "functions/lib/dkim/signature.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_ctx ctx = {.arena = rt_arena_new()};
	char *line = rt_printf(&ctx, "DKIM-Signature:");
	struct eds_field field = {line, 14, rt_memdup(&ctx, data, size), size};
	struct eds_signature signature;

	eds_signature_read(&ctx, &field, &signature);
	eds_signature_judge_time(&ctx, &signature, INT64_C(1800000000000));
	/* A readable signature has a key name, a body hash, signed fields and the seven required
	 * tags; without them it could not be verified. */
	if (signature.readable &&
		(*signature.key_name == '\0' || signature.body_hash == NULL ||
			signature.signed_count == 0 || signature.tags.count < 7))
		__builtin_trap();
	rt_arena_free(ctx.arena);
	return 0;
}
