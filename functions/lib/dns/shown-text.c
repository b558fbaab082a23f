#include "functions/lib/dns/shown-text.h"

char *eds_dns_shown_text(struct rt_ctx *ctx, const char *text, size_t length)
{
	char *copy = rt_memdup(ctx, text, length);

	for (size_t i = 0; i < length; i++)
		if ((unsigned char)copy[i] < ' ' || copy[i] == 0x7f)
			copy[i] = '?';
	return copy;
}
