#include "functions/lib/dkim/dkim-prefetch.h"
#include "functions/lib/dkim/signature.h"

void eds_dkim_prefetch(struct rt_ctx *ctx, struct eds_dns *dns, const struct eds_header *header)
{
	for (size_t i = 0; i < EDS_DKIM_SIGNATURES_MAX; i++) {
		const struct eds_field *field = eds_header_find(header, "DKIM-Signature", i);
		struct eds_signature signature;

		if (field == NULL)
			return;
		eds_signature_read(ctx, field, &signature);
		if (*signature.key_name)
			eds_dns_start(dns, signature.key_name, EDS_DNS_TXT);
	}
}
