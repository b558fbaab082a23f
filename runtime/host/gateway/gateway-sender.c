#include "runtime/host/gateway/gateway-sender.h"

#include <string.h>
#include <strings.h>

#include "runtime/ip.h"

enum {
	UNAUTHORIZED = 401,
	/* octets of the prefix of a /64; all addresses of a /64 are taken for one client */
	NETWORK_BYTES = 8,
};

void gateway_senders_init(struct gateway_senders *senders)
{
	memset(senders, 0, sizeof *senders);
	rt_hash_key_make(&senders->key);
}

/* Finds the bearer token by the same rules as the functions. When the functions accept several
 * spellings of a token, all of these must give the same token here, or its bearer would be taken
 * for several senders. */
static bool find_token(const struct http_head *head, struct http_span *token)
{
	static const char scheme[] = "Bearer ";
	size_t skip = sizeof scheme - 1;

	for (size_t i = 0; i < head->field_count; i++) {
		const struct http_field *field = &head->fields[i];

		if (!http_span_is(&field->name, "authorization"))
			continue;
		if (field->value.length <= skip ||
			strncasecmp(field->value.text, scheme, skip) != 0)
			return false;
		*token = (struct http_span){field->value.text + skip, field->value.length - skip};
		while (token->length > 0 && token->text[0] == ' ') {
			token->text++;
			token->length--;
		}
		return token->length > 0;
	}
	return false;
}

/* Returns the hash; 1 if the hash is 0. Key 0 is for events that have no such sender: for example
 * those of schedules, of mail and of the operations port (pool-turns.h). */
static uint64_t never_0(uint64_t hash)
{
	return hash != 0 ? hash : 1;
}

static uint64_t address_key(const struct gateway_senders *senders, const char *client)
{
	struct rt_ip ip;

	if (rt_ip_parse(client, &ip) && ip.family == AF_INET6)
		memset(ip.bytes + NETWORK_BYTES, 0, sizeof ip.bytes - NETWORK_BYTES);
	return never_0(rt_hash(&senders->key, ip.bytes, sizeof ip.bytes));
}

uint64_t gateway_sender(const struct gateway_senders *senders, const struct http_request *request,
	const struct manifest_function *function, uint64_t *token)
{
	struct http_span text;

	*token = 0;
	if (function->turns_by_token && find_token(request->head, &text))
		*token = never_0(rt_hash(&senders->key, text.text, text.length));
	if (*token != 0 && senders->known[*token % SENDERS_KNOWN] == *token)
		return *token;
	return address_key(senders, request->client);
}

void gateway_sender_answered(struct gateway_senders *senders, uint64_t token, int status)
{
	uint64_t *place = &senders->known[token % SENDERS_KNOWN];

	if (token != 0 && status != UNAUTHORIZED)
		*place = token;
	else if (token != 0 && *place == token)
		*place = 0;
}
