#include "functions/lib/webhook/address.h"

#include <string.h>
#include <strings.h>

#include "functions/lib/mail/domain.h"
#include "functions/lib/mail/from.h"
#include "runtime/ip.h"
#include "runtime/text/base64.h"

#define SCHEME "https://"
#define SECRET "whsec_"

enum {
	SECRET_BYTES = 32,
};

/* True for a name of at least two labels and without "_", whose last label begins with a letter.
 * The last label of an IP address never begins with a letter, in any form that programs accept
 * ("127.1", "0x7f.1", "2130706433"). */
static bool is_name(const char *host)
{
	const char *last = strrchr(host, '.');

	return last != NULL && last[1] >= 'a' && last[1] <= 'z' && strchr(host, '_') == NULL;
}

static const char *read_host(
	struct rt_ctx *ctx, const char *text, size_t length, struct eds_webhook_address *address)
{
	const char *colon = memchr(text, ':', length);

	if (memchr(text, '@', length) != NULL)
		return "must not contain a user name or password";
	if (length > 0 && text[0] == '[')
		return "must have the name of a host, not an IP address";
	if (colon != NULL &&
		((size_t)(text + length - colon) != 4 || strncmp(colon, ":443", 4) != 0))
		return "must use HTTPS at port 443, and no other port";
	if (colon != NULL)
		length = (size_t)(colon - text);
	address->host = eds_domain_normalize(ctx, text, length);
	if (address->host == NULL || !is_name(address->host))
		return "must name its host by a full domain name, like ci.example.com, not by an "
		       "address";
	return NULL;
}

/* True for a text without the octets that RFC 3986 allows nowhere in a URI: blanks, control
 * characters, octets beyond ASCII and "<>\^`{|}. */
static bool is_path(const char *path)
{
	for (const char *c = path; *c != '\0'; c++)
		if (*c <= ' ' || *c >= 0x7f || strchr("\"<>\\^`{|}", *c) != NULL)
			return false;
	return true;
}

bool eds_webhook_address_read(struct rt_ctx *ctx, const char *text,
	struct eds_webhook_address *address, const char **reason)
{
	size_t length;

	*reason = "must be an https:// address of at most 1024 octets";
	if (strlen(text) > EDS_WEBHOOK_ADDRESS_MAX ||
		strncasecmp(text, SCHEME, sizeof SCHEME - 1) != 0)
		return false;
	text += sizeof SCHEME - 1;
	length = strcspn(text, "/?#");
	*reason = read_host(ctx, text, length, address);
	if (*reason != NULL)
		return false;
	text += length;
	*reason = "must have a path and query of printable ASCII, without spaces and fragment";
	if (!is_path(text) || strchr(text, '#') != NULL)
		return false;
	address->path = text[0] == '/' ? rt_strdup(ctx, text) : rt_printf(ctx, "/%s", text);
	return true;
}

char *eds_webhook_secret_new(struct rt_ctx *ctx)
{
	uint8_t bytes[SECRET_BYTES];

	rt_random(bytes, sizeof bytes);
	return rt_printf(ctx, "%s%s", SECRET, rt_base64_encode(ctx, bytes, sizeof bytes));
}

char *eds_webhook_secret_read(struct rt_ctx *ctx, const char *text, size_t *length)
{
	char *bytes;

	if (strncmp(text, SECRET, sizeof SECRET - 1) != 0)
		return NULL;
	text += sizeof SECRET - 1;
	bytes = rt_base64_decode(ctx, text, strlen(text), length);
	if (bytes == NULL || *length < EDS_WEBHOOK_SECRET_BYTES_MIN ||
		*length > EDS_WEBHOOK_SECRET_BYTES_MAX)
		return NULL;
	return bytes;
}
