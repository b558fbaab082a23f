#include <string.h>
#include <strings.h>

#include "functions/lib/mail/client.h"
#include "functions/lib/mail/received-spf.h"
#include "functions/lib/mail/received.h"
#include "runtime/config/config.h"

enum {
	LITERAL_MAX = 64, /* maximum number of octets of an address literal: "[IPv6:", an address,
			   * "]" */
};

static const char SES_HOST_PREFIX[] = "inbound-smtp.";
static const char SES_HOST_SUFFIX[] = ".amazonaws.com";

/* True for a host of SES: inbound-smtp.REGION.amazonaws.com. */
static bool is_ses_host(const char *host)
{
	size_t prefix = strlen(SES_HOST_PREFIX);
	size_t region;

	if (strncasecmp(host, SES_HOST_PREFIX, prefix) != 0)
		return false;
	region = strspn(host + prefix, "abcdefghijklmnopqrstuvwxyz0123456789-");
	return region > 0 && strcmp(host + prefix + region, SES_HOST_SUFFIX) == 0;
}

static bool is_trusted(const struct rt_ip *ip)
{
	const struct rt_cidr_list *relays = &rt_config()->trusted_relays;

	return rt_cidrs_contain(relays->items, relays->count, ip);
}

static bool read_literal(const char *helo, struct rt_ip *ip)
{
	char text[LITERAL_MAX];
	size_t length = strlen(helo);

	if (length < 3 || length > sizeof text || helo[0] != '[' || helo[length - 1] != ']')
		return false;
	memcpy(text, helo + 1, length - 2);
	text[length - 2] = '\0';
	return rt_ip_parse(strncasecmp(text, "IPv6:", 5) == 0 ? text + 5 : text, ip);
}

static bool received_at(struct rt_ctx *ctx, const struct eds_header *header, size_t index,
	struct eds_received *received)
{
	const struct eds_field *field = eds_header_find(header, "Received", index);

	return field && eds_received_parse(ctx, field->value, field->value_length, received);
}

/* The HELO in the Received-SPF field that SES writes above X-SES-RECEIPT; NULL when there is no
 * such field, or it is about another client or has no HELO. Fields below X-SES-RECEIPT come from
 * the sender. */
static const char *ses_helo(
	struct rt_ctx *ctx, const struct eds_header *header, const struct rt_ip *client)
{
	const struct eds_field *receipt = eds_header_find(header, "X-SES-RECEIPT", 0);
	const struct eds_field *field = eds_header_find(header, "Received-SPF", 0);
	struct eds_received_spf spf;

	if (receipt == NULL || field == NULL || field > receipt ||
		!eds_received_spf_parse(ctx, field->value, field->value_length, &spf) ||
		!rt_ip_equal(&spf.client_ip, client))
		return NULL;
	return *spf.helo ? spf.helo : NULL;
}

static bool is_among(const char *word, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcasecmp(word, words[i]) == 0)
			return true;
	return false;
}

/* Whether the clause "with" says that TLS was used, by the transmission types of RFC 3848 and RFC
 * 6531. SES always writes SMTP, so its value says nothing about TLS. */
static enum eds_tls tls_of(const struct eds_received *received)
{
	static const char *const used[] = {
		"SMTPS", "SMTPSA", "ESMTPS", "ESMTPSA", "UTF8SMTPS", "UTF8SMTPSA"};
	static const char *const none[] = {"SMTP", "ESMTP", "ESMTPA", "UTF8SMTP", "UTF8SMTPA"};

	if (is_among(received->with, used, sizeof used / sizeof *used))
		return EDS_TLS_USED;
	if (!is_ses_host(received->by) &&
		is_among(received->with, none, sizeof none / sizeof *none))
		return EDS_TLS_NONE;
	return EDS_TLS_UNKNOWN;
}

static void take_received(struct eds_client *client, const struct eds_received *received)
{
	client->ip = received->ip;
	client->helo = received->helo;
	client->tls_use = tls_of(received);
	client->tls = client->tls_use == EDS_TLS_USED ? "TLS" : "";
	client->source = "received";
}

static void forget(struct eds_client *client)
{
	*client = (struct eds_client){.helo = "", .tls = "", .source = "none"};
}

/* While the client is one of our own relays, replaces the client by the one that this relay has
 * recorded. */
static void skip_relays(struct rt_ctx *ctx, const struct eds_header *header, size_t index,
	struct eds_client *client)
{
	struct eds_received received;

	for (; client->ip.family != 0 && is_trusted(&client->ip); index++) {
		if (received_at(ctx, header, index, &received) && received.ip.family != 0)
			take_received(client, &received);
		else
			forget(client);
	}
}

static bool is_ours(const struct eds_received *received, const char *own_host)
{
	return *received->by &&
		(strcasecmp(received->by, own_host) == 0 || is_ses_host(received->by));
}

/* The receiver reports "none" for an unencrypted connection, and "" when the receiver did not see
 * the client's connection, for example behind a proxy. */
static void take_tls(struct rt_ctx *ctx, const char *tls, struct eds_client *client)
{
	client->tls = "";
	client->tls_use = EDS_TLS_UNKNOWN;
	if (tls == NULL || tls[0] == '\0')
		return;
	client->tls_use = strcmp(tls, "none") == 0 ? EDS_TLS_NONE : EDS_TLS_USED;
	if (client->tls_use == EDS_TLS_USED)
		client->tls = rt_strdup(ctx, tls);
}

static void from_envelope(
	struct rt_ctx *ctx, const struct rt_envelope *envelope, struct eds_client *client)
{
	if (!rt_ip_parse(envelope->client_ip, &client->ip))
		return;
	client->helo = rt_strdup(ctx, envelope->helo ? envelope->helo : "");
	take_tls(ctx, envelope->tls, client);
	client->source = "envelope";
}

static void from_received(struct rt_ctx *ctx, const struct eds_header *header,
	const struct eds_received *received, struct eds_client *client)
{
	const char *helo = NULL;

	if (received->ip.family == 0)
		return;
	take_received(client, received);
	if (is_ses_host(received->by))
		helo = ses_helo(ctx, header, &received->ip);
	if (helo)
		client->helo = helo;
}

void eds_client_find(struct rt_ctx *ctx, const struct rt_mail_event *mail,
	const struct eds_header *header, const char *own_host, struct eds_client *client)
{
	struct eds_received top;
	bool ours = received_at(ctx, header, 0, &top) && is_ours(&top, own_host);

	forget(client);
	if (mail->has_envelope && mail->envelope.client_ip)
		from_envelope(ctx, &mail->envelope, client);
	else if (ours)
		from_received(ctx, header, &top, client);
	skip_relays(ctx, header, ours ? 1 : 0, client);
	client->smtputf8 = ours && strncasecmp(top.with, "UTF8SMTP", 8) == 0;
	client->helo_literal = read_literal(client->helo, &client->helo_ip);
	client->is_public = client->ip.family != 0 &&
		rt_ip_is_public(&client->ip, rt_config()->allow_private);
}
