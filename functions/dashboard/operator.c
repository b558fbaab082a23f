#include "functions/dashboard/operator.h"
#include "runtime/time.h"

#include <string.h>

#include "runtime/buffer.h"

enum {
	LINKS_MAX = 16 * 1024, /* octets of the links; more than the longest settings need */
	URI_MAX = 1024,
};

static const char product[] = "eds"; /* the title in the embedded page */
static const int64_t day_ms = 86400 * 1000;
/* days for which security.txt is valid: less than a year (RFC 9116 section 2.5.5) */
static const int64_t security_txt_days = 180;

bool operator_changes_page(void)
{
	return strcmp(rt_config()->title, product) != 0 || rt_config()->contact[0] != '\0' ||
		rt_config()->imprint_url[0] != '\0' || rt_config()->privacy_url[0] != '\0';
}

/* A mailto: URI; those characters of the address that have a meaning in a URI are percent-encoded
 * (RFC 6068 section 2). */
static const char *mailto(struct rt_ctx *ctx, const char *address)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-._~!$*+@";
	struct rt_buffer uri;

	rt_buffer_init(&uri, ctx, URI_MAX);
	rt_buffer_text(&uri, "mailto:");
	for (; *address != '\0'; address++) {
		if (strchr(plain, *address) != NULL)
			rt_buffer_add(&uri, address, 1);
		else
			rt_buffer_format(&uri, "%%%02X", (unsigned char)*address);
	}
	return uri.bytes;
}

static const char *contact_uri(struct rt_ctx *ctx)
{
	const char *contact = rt_config()->contact;

	return contact[0] == '\0' || strstr(contact, "://") != NULL ? contact
								    : mailto(ctx, contact);
}

static void add_link(struct rt_buffer *html, const char *uri, const char *text)
{
	if (uri[0] == '\0')
		return;
	rt_buffer_text(html, " <a href=\"");
	for (; *uri != '\0'; uri++) {
		if (*uri == '&')
			rt_buffer_text(html, "&amp;");
		else
			rt_buffer_add(html, uri, 1);
	}
	rt_buffer_format(html, "\">%s</a>", text);
}

static void add_links(struct rt_ctx *ctx, struct rt_buffer *html)
{
	add_link(html, contact_uri(ctx), "Contact");
	add_link(html, rt_config()->imprint_url, "Imprint");
	add_link(html, rt_config()->privacy_url, "Privacy");
}

/* Moves the bytes before the mark from rest to html. If rest does not contain the mark, moves
 * nothing and returns false. */
static bool copy_until(struct rt_buffer *html, struct dashboard_asset *rest, const char *mark)
{
	const char *at = memmem(rest->bytes, rest->length, mark, strlen(mark));

	if (at == NULL)
		return false;
	rt_buffer_add(html, rest->bytes, (size_t)(at - rest->bytes));
	rest->length -= (size_t)(at - rest->bytes);
	rest->bytes = at;
	return true;
}

static void add_title(struct rt_buffer *html, struct dashboard_asset *rest)
{
	rt_buffer_text(html, rt_config()->title);
	rest->bytes += sizeof product - 1;
	rest->length -= sizeof product - 1;
}

const char *operator_page(struct rt_ctx *ctx, const struct dashboard_asset *page, size_t *length)
{
	struct dashboard_asset rest = *page;
	struct rt_buffer html;

	rt_buffer_init(&html, ctx, page->length + LINKS_MAX);
	if (copy_until(&html, &rest, "eds</span>"))
		add_title(&html, &rest);
	if (copy_until(&html, &rest, "</footer>"))
		add_links(ctx, &html);
	rt_buffer_add(&html, rest.bytes, rest.length);
	*length = html.length;
	return html.bytes;
}

const char *operator_security_txt(struct rt_ctx *ctx)
{
	int64_t expires = (rt_wall_ms() / day_ms + security_txt_days) * day_ms;
	const char *contact = contact_uri(ctx);

	if (contact[0] == '\0')
		return NULL;
	return rt_printf(ctx,
		"Contact: %s\nExpires: %s\nPreferred-Languages: en\n"
		"Canonical: %s/.well-known/security.txt\n",
		contact, rt_time_format(ctx, expires), rt_config()->base_url);
}
