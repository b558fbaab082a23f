#include <string.h>
#include <strings.h>

#include "functions/lib/mail/received-spf.h"
#include "functions/lib/mail/received.h"
#include "runtime/text/ascii.h"

enum {
	KEY_BYTES_MAX = 32,
	VALUE_BYTES_MAX = 1024,
};

struct pair {
	char key[KEY_BYTES_MAX + 1]; /* the key as written; a key over KEY_BYTES_MAX octets is cut,
				      * because no known key is that long */
	char value[VALUE_BYTES_MAX + 1];
};

static const char *skip_space(const char *at, const char *end)
{
	while (at < end && rt_is_space(*at))
		at++;
	return at;
}

/* The position after the comment that begins at `at`; the end of the text when the comment is not
 * closed. */
static const char *skip_comment(const char *at, const char *end)
{
	size_t depth = 0;

	for (; at < end; at++) {
		if (*at == '\\' && at + 1 < end)
			at++;
		else if (*at == '(')
			depth++;
		else if (*at == ')' && --depth == 0)
			return at + 1;
	}
	return end;
}

/* The position after the result (such as "pass") and the comments. */
static const char *skip_result(const char *at, const char *end)
{
	at = skip_space(at, end);
	while (at < end && !rt_is_space(*at) && *at != '(')
		at++;
	for (at = skip_space(at, end); at < end && *at == '('; at = skip_space(at, end))
		at = skip_comment(at, end);
	return at;
}

static const char *read_key(const char *at, const char *end, struct pair *pair)
{
	size_t length = 0;

	for (; at < end && *at != '=' && *at != ';' && !rt_is_space(*at); at++)
		if (length < KEY_BYTES_MAX)
			pair->key[length++] = *at;
	pair->key[length] = '\0';
	return at;
}

static char printable(char c)
{
	return (unsigned char)c < ' ' || c == 127 ? '?' : c;
}

static const char *read_value(const char *at, const char *end, struct pair *pair)
{
	bool quoted = at < end && *at == '"';
	size_t length = 0;

	for (at += quoted; at < end; at++) {
		if (quoted ? *at == '"' : (*at == ';' || rt_is_space(*at)))
			break;
		if (quoted && *at == '\\' && at + 1 < end)
			at++;
		if (length < VALUE_BYTES_MAX)
			pair->value[length++] = printable(*at);
	}
	pair->value[length] = '\0';
	return at;
}

/* Reads the next key=value pair and skips anything else; false at the end. */
static bool next_pair(const char **at, const char *end, struct pair *pair)
{
	while (*at < end) {
		*at = read_key(skip_space(*at, end), end, pair);
		*at = skip_space(*at, end);
		if (*at < end && **at == '=') {
			*at = read_value(skip_space(*at + 1, end), end, pair);
			while (*at < end && **at != ';')
				++*at;
			return true;
		}
		*at += *at < end;
	}
	return false;
}

/* Only the first value of a key counts. The first client-ip cannot be forged: text that the client
 * chose (its envelope address and HELO) comes after it, and can only add later pairs. */
bool eds_received_spf_parse(
	struct rt_ctx *ctx, const char *value, size_t length, struct eds_received_spf *received)
{
	const char *end = value + length;
	const char *at = skip_result(value, end);
	struct pair pair;

	*received = (struct eds_received_spf){.helo = "", .envelope_from = ""};
	while (next_pair(&at, end, &pair)) {
		if (strcasecmp(pair.key, "client-ip") == 0 && received->client_ip.family == 0)
			rt_ip_parse(pair.value, &received->client_ip);
		else if (strcasecmp(pair.key, "helo") == 0 && *received->helo == '\0')
			received->helo = rt_strdup(ctx, pair.value);
		else if (strcasecmp(pair.key, "envelope-from") == 0 &&
			*received->envelope_from == '\0')
			received->envelope_from = rt_strdup(ctx, pair.value);
	}
	return received->client_ip.family != 0;
}
