#include "functions/alerts/mail-address.h"

#include <string.h>

#include "functions/lib/mail/domain.h"
#include "functions/lib/mail/from.h"

enum {
	/* maximum number of octets of an address (RFC 5321 section 4.5.3.1.3, without the < >) */
	ADDRESS_MAX = 254,
	LOCAL_MAX = 64,
};

#define ATOM "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-/=?^_`{|}~"

/* True for atoms separated by single dots. */
static bool is_dot_atom(const char *text, size_t length)
{
	size_t at = 0;

	while (at < length) {
		size_t atom = strspn(text + at, ATOM);

		if (atom == 0 || atom > length - at)
			return false;
		at += atom;
		if (at == length)
			return true;
		if (text[at++] != '.')
			return false;
	}
	return false;
}

/* True for a full domain name. Its last label must begin with a letter, which excludes IPv4
 * addresses. */
static bool is_full_name(const char *domain)
{
	const char *last = domain != NULL ? strrchr(domain, '.') : NULL;

	return last != NULL && last[1] >= 'a' && last[1] <= 'z' && strchr(domain, '_') == NULL;
}

const char *mail_address_read(struct rt_ctx *ctx, const char *text)
{
	const char *at = strrchr(text, '@');
	const char *address;
	const char *domain;
	size_t local;

	if (at == NULL || strlen(text) > ADDRESS_MAX)
		return NULL;
	local = (size_t)(at - text);
	if (local > LOCAL_MAX || !is_dot_atom(text, local))
		return NULL;
	domain = eds_domain_normalize(ctx, at + 1, strlen(at + 1));
	if (!is_full_name(domain))
		return NULL;
	address = rt_printf(ctx, "%.*s@%s", (int)local, text, domain);
	return strlen(address) <= ADDRESS_MAX ? address : NULL;
}
