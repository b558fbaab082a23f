#include "local/smtp/smtp-budget.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/ip.h"

enum {
	IPV4_BITS = 32,
	IPV6_SITE_BITS = 64,
	/* a provider gives one customer up to a /48, which has 65,536 /64s */
	IPV6_HOLDER_BITS = 48,
	HOLDER_SHARES = 2,
};

struct smtp_share {
	struct smtp_budget *budget;
	struct rt_ip ip; /* address of the network; family 0: unknown */
	bool unbounded;  /* true for a trusted proxy that did not name its client */
	size_t used;
	size_t messages; /* number of messages that use the share */
	struct smtp_share *next;
};

void smtp_budget_init(struct smtp_budget *budget)
{
	*budget = (struct smtp_budget){
		.max = SMTP_BUDGET_BYTES,
		.share_max = SMTP_SHARE_BYTES,
		.message_max = SMTP_MESSAGE_BYTES_MAX,
		.piece = SMTP_PIECE_BYTES,
	};
}

/* True if both addresses are in one network; unknown ones (family 0) form one network. */
static bool same_network(const struct rt_ip *a, const struct rt_ip *b, unsigned ipv6_bits)
{
	const struct rt_cidr network = {*a, a->family == AF_INET ? IPV4_BITS : ipv6_bits};

	return rt_cidr_contains(&network, b);
}

static struct smtp_share *find(
	const struct smtp_budget *budget, const struct rt_ip *ip, bool unbounded)
{
	struct smtp_share *share = budget->shares;

	while (share != NULL &&
		(share->unbounded != unbounded || !same_network(&share->ip, ip, IPV6_SITE_BITS)))
		share = share->next;
	return share;
}

struct smtp_share *smtp_share_take(struct smtp_budget *budget, const char *client_ip)
{
	struct rt_ip ip = {.family = 0};
	struct smtp_share *share;

	if (client_ip != NULL && !rt_ip_parse(client_ip, &ip))
		ip = (struct rt_ip){.family = 0};
	share = find(budget, &ip, client_ip == NULL);
	if (share == NULL) {
		share = calloc(1, sizeof *share);
		if (share == NULL)
			return NULL;
		*share = (struct smtp_share){.budget = budget,
			.ip = ip,
			.unbounded = client_ip == NULL,
			.next = budget->shares};
		budget->shares = share;
	}
	share->messages++;
	return share;
}

/* The octets of all shares in the same /48, which may all belong to one sender. For an IPv4 client
 * these are the octets of its address. */
static size_t held_around(const struct smtp_share *share)
{
	size_t octets = 0;

	for (const struct smtp_share *other = share->budget->shares; other != NULL;
		other = other->next)
		if (same_network(&share->ip, &other->ip, IPV6_HOLDER_BITS))
			octets += other->used;
	return octets;
}

bool smtp_share_charge(struct smtp_share *share, size_t octets)
{
	struct smtp_budget *budget = share->budget;

	if (budget->used + octets > budget->max)
		return false;
	if (!share->unbounded &&
		(share->used + octets > budget->share_max ||
			held_around(share) + octets > HOLDER_SHARES * budget->share_max))
		return false;
	share->used += octets;
	budget->used += octets;
	return true;
}

void smtp_share_settle(struct smtp_share *share, size_t octets)
{
	struct smtp_share **link = &share->budget->shares;

	share->used -= octets;
	share->budget->used -= octets;
	if (--share->messages > 0)
		return;
	while (*link != share)
		link = &(*link)->next;
	*link = share->next;
	free(share);
}
