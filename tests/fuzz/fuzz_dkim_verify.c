/* A message with signatures: eds_dkim_verify(), with the keys of RFC 8463 published under any name;
 * the first letter of the selector chooses. The fuzzer does not have the private keys, so only
 * signatures from the corpus can be valid. */
#include <string.h>

#include "functions/lib/dkim/dkim-verify.h"

#define KEY                                                                                        \
	"v=DKIM1; k=rsa; "                                                                         \
	"p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDkHlOQoBTzWRiGs5V6NpP3id"                         \
	"Y6Wk08a5qhdR6wy5bdOKb2jLQiY/J16JYi0Qvx/byYzCNb3W91y3FutACDfzwQ/B"                         \
	"C/e/8uBsCR+yz1Lxj+PL6lHvqMKrM3rG4hstT5QjvHO9PzoxZyVYLzBfO2EeC3Ip"                         \
	"3G+2kryOTIKT+l/K4w3QIDAQAB"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ED25519 "v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="

static const char *record_for(char letter)
{
	switch (letter) {
	case 'b':
		return ED25519;
	case 's':
		return KEY "; t=s";
	case 'y':
		return KEY "; t=y";
	case 'r':
		return "v=DKIM1; p=";
	default:
		return KEY;
	}
}

static const struct eds_dns_answer *get(void *arg, const char *name, enum eds_dns_type type)
{
	static struct eds_dns_record record;
	static struct eds_dns_answer answer = {.reason = "", .records = &record};

	(void)arg;
	answer.state = *name == 'f' ? EDS_DNS_TEMPORARY : EDS_DNS_FOUND;
	answer.count = answer.state == EDS_DNS_FOUND;
	record.txt = record_for(*name);
	record.txt_length = strlen(record.txt);
	answer.name = answer.canonical = name;
	answer.type = type;
	return &answer;
}

static void check(const struct eds_dkim_signature *signature)
{
	if (signature->state == EDS_DKIM_VALID &&
		(signature->body_hash != EDS_DKIM_HASH_MATCH ||
			signature->header_hash != EDS_DKIM_HASH_MATCH ||
			signature->errors.count > 0 || *signature->domain == '\0'))
		__builtin_trap();
	if (signature->state != EDS_DKIM_VALID && signature->errors.count == 0)
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_ctx ctx = {.arena = rt_arena_new()};
	struct eds_lookup lookup = {.get = get};
	struct eds_dkim_result result;

	eds_dkim_verify(&ctx, &lookup, (const char *)data, size, INT64_C(1528637910000), &result);
	for (size_t i = 0; i < result.count; i++)
		check(&result.signatures[i]);
	rt_arena_free(ctx.arena);
	return 0;
}
