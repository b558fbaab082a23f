#include "functions/lib/dkim/signature-domain.h"

#include <string.h>

#include "functions/lib/dns/name.h"

static bool is_label_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

bool eds_signature_domain(struct rt_ctx *ctx, const struct eds_tag *tag, const char **name)
{
	char text[EDS_DNS_NAME_MAX + 1];
	const char *given = eds_tag_text(ctx, tag);

	if (strlen(given) != tag->value_length || !eds_dns_name_normalize(given, text))
		return false;
	for (const char *at = given; *at; at++)
		if (!is_label_char(text[at - given]))
			return false;
	*name = rt_strdup(ctx, text);
	return true;
}

const char *eds_signature_key_name(struct rt_ctx *ctx, const char *selector, const char *domain)
{
	const char *name = rt_printf(ctx, "%s._domainkey.%s", selector, domain);

	return strlen(name) <= EDS_DNS_NAME_MAX ? name : "";
}

/* The value of an upper-case hex digit, as dkim-quoted-printable requires: 0 to 15; -1 for any
 * other character. */
static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

char *eds_signature_identity(struct rt_ctx *ctx, const struct eds_tag *tag)
{
	char *text = eds_tag_packed(ctx, tag);
	char *out = text;

	for (const char *at = text; *at; at++) {
		int high = *at == '=' ? hex_digit(at[1]) : -1;
		int low = high >= 0 ? hex_digit(at[2]) : -1;
		int octet = (unsigned char)*at;

		if (low >= 0) {
			octet = high << 4 | low;
			at += 2;
		}
		*out++ = octet > ' ' && octet < 127 ? (char)octet : '?';
	}
	*out = '\0';
	return text;
}
