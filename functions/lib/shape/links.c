#include "functions/lib/shape/links.h"

#include <string.h>
#include <strings.h>

#include "runtime/text/ascii.h"

enum {
	AUTHORITY_MAX = 512 /* maximum number of octets of user, host and port together that are
			     * read */
};

enum use { USE_NONE, USE_LINK, USE_IMAGE };

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

static const char *skip_back(const char *begin, const char *at)
{
	while (at > begin && rt_is_space(at[-1]))
		at--;
	return at;
}

static bool ends_with(const char *begin, const char *end, const char *word)
{
	size_t length = strlen(word);

	return (size_t)(end - begin) >= length && strncasecmp(end - length, word, length) == 0 &&
		((size_t)(end - begin) == length || !is_letter(end[-(ptrdiff_t)length - 1]));
}

/* Decides whether an address in HTML is a link, an image or neither. The text before the address
 * shows this. */
static enum use use_in_html(const char *begin, const char *at)
{
	static const char *const links[] = {"href", "action", "formaction"};
	static const char *const images[] = {"src", "srcset", "background", "poster"};

	at = skip_back(begin, at);
	if (at > begin && (at[-1] == '"' || at[-1] == '\''))
		at = skip_back(begin, at - 1);
	if (at > begin && at[-1] == '(')
		return ends_with(begin, at - 1, "url") ? USE_IMAGE : USE_NONE;
	if (at == begin || at[-1] != '=')
		return USE_NONE;
	at = skip_back(begin, at - 1);
	for (size_t i = 0; i < sizeof links / sizeof *links; i++)
		if (ends_with(begin, at, links[i]))
			return USE_LINK;
	for (size_t i = 0; i < sizeof images / sizeof *images; i++)
		if (ends_with(begin, at, images[i]))
			return USE_IMAGE;
	return USE_NONE;
}

static size_t authority_length(const char *at, size_t available)
{
	size_t length = 0;

	if (available > AUTHORITY_MAX)
		available = AUTHORITY_MAX;
	while (length < available && !rt_is_space(at[length]) && at[length] != '\0' &&
		strchr("/?#\\\"'<>(),;", at[length]) == NULL)
		length++;
	return length;
}

/* The host of "user@host:port", in lower case; "" for none. */
static const char *host_of(struct rt_ctx *ctx, const char *at, size_t length)
{
	const char *user = memrchr(at, '@', length);
	const char *colon;

	if (user != NULL) {
		length -= (size_t)(user + 1 - at);
		at = user + 1;
	}
	if (length > 0 && at[0] == '[') {
		colon = memchr(at, ']', length);
		return colon == NULL
			? ""
			: rt_lower(ctx, rt_memdup(ctx, at + 1, (size_t)(colon - at - 1)));
	}
	colon = memchr(at, ':', length);
	if (colon != NULL)
		length = (size_t)(colon - at);
	while (length > 0 && at[length - 1] == '.')
		length--;
	return length > EDS_SHAPE_HOST_MAX ? "" : rt_lower(ctx, rt_memdup(ctx, at, length));
}

static void add_domain(struct eds_shape *shape, const char *host)
{
	for (size_t i = 0; i < shape->domain_count; i++)
		if (strcmp(shape->domains[i], host) == 0)
			return;
	if (shape->domain_count == EDS_SHAPE_DOMAINS_MAX)
		shape->more_domains = true;
	else
		shape->domains[shape->domain_count++] = host;
}

/* The start of the address whose "://" is at `colon`; NULL when it is not a web address. */
static const char *scheme_start(const char *begin, const char *colon)
{
	if (ends_with(begin, colon, "https"))
		return colon - strlen("https");
	return ends_with(begin, colon, "http") ? colon - strlen("http") : NULL;
}

static bool is_address(const char *colon, const char *end)
{
	return end - colon >= 3 && colon[1] == '/' && colon[2] == '/';
}

static void look_at(struct rt_ctx *ctx, const struct eds_text *text, const char *colon, bool html,
	struct eds_shape *shape)
{
	const char *end = text->octets + text->length;
	const char *start = scheme_start(text->octets, colon);
	enum use use;
	const char *host;

	if (start == NULL)
		return;
	use = html ? use_in_html(text->octets, start) : USE_LINK;
	host = host_of(ctx, colon + 3, authority_length(colon + 3, (size_t)(end - colon - 3)));
	if (use == USE_NONE || host[0] == '\0')
		return;
	shape->links += use == USE_LINK;
	shape->remote_images += use == USE_IMAGE;
	add_domain(shape, host);
}

void eds_shape_find_links(
	struct rt_ctx *ctx, const struct eds_text *text, bool html, struct eds_shape *shape)
{
	const char *end = text->octets + text->length;
	const char *colon = text->octets;

	while ((colon = memchr(colon, ':', (size_t)(end - colon))) != NULL) {
		if (is_address(colon, end))
			look_at(ctx, text, colon, html, shape);
		colon++;
	}
}
