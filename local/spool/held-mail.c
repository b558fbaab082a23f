#include "local/spool/held-mail.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/ip.h"
#include "runtime/keyed-hash.h"

enum {
	BUCKETS = 4096,
	SITE_SHARES = 2,
};

static const size_t ipv6_octets[HELD_LEVELS] = {8, 6, 0};

struct held_network {
	enum held_level level;
	struct rt_ip ip; /* address of the network, without host bits; family 0: unknown, or
			  * level is HELD_ALL */
	uint64_t brought;
	uint64_t left;
	size_t claims;
	struct held_network *next;
};

struct held_mail {
	uint64_t quota[HELD_LEVELS]; /* quota of each enum held_level, octets; 0: no limit */
	const struct rt_cidr_list *relays;
	struct rt_hash_key key;
	struct held_network all;
	struct held_network *buckets[BUCKETS];
};

struct held_mail *held_mail_new(
	const struct rt_mail_quota *quota, const struct rt_cidr_list *relays)
{
	struct held_mail *held = calloc(1, sizeof *held);

	if (held == NULL)
		return NULL;
	held->quota[HELD_NETWORK] = (uint64_t)quota->network;
	held->quota[HELD_SITE] = SITE_SHARES * (uint64_t)quota->network;
	held->quota[HELD_ALL] = (uint64_t)quota->all;
	held->relays = relays;
	held->all.level = HELD_ALL;
	rt_hash_key_make(&held->key);
	return held;
}

void held_mail_free(struct held_mail *held)
{
	for (size_t i = 0; i < BUCKETS; i++)
		while (held->buckets[i] != NULL) {
			struct held_network *network = held->buckets[i];

			held->buckets[i] = network->next;
			free(network);
		}
	free(held);
}

uint64_t held_mail_octets(const struct held_mail *held)
{
	return held->all.brought - held->all.left;
}

uint64_t held_mail_left(const struct held_mail *held)
{
	return held->all.left;
}

/* The link that points to the network in its hash chain, or the end of the chain. */
static struct held_network **find(
	struct held_mail *held, const struct rt_ip *client, enum held_level level, struct rt_ip *ip)
{
	struct held_network **link;
	uint64_t hash;

	*ip = *client;
	if (ip->family == AF_INET6)
		memset(ip->bytes + ipv6_octets[level], 0, sizeof ip->bytes - ipv6_octets[level]);
	hash = rt_hash(&held->key, ip->bytes, sizeof ip->bytes);
	link = &held->buckets[(hash + level) % BUCKETS];
	while (*link != NULL && ((*link)->level != level || !rt_ip_equal(&(*link)->ip, ip)))
		link = &(*link)->next;
	return link;
}

/* Finds or adds the network and counts one more claim on it; NULL when out of memory. */
static struct held_network *join(
	struct held_mail *held, const struct rt_ip *client, enum held_level level)
{
	struct rt_ip ip;
	struct held_network **link;

	if (level == HELD_ALL)
		return &held->all;
	link = find(held, client, level, &ip);
	if (*link == NULL) {
		*link = calloc(1, sizeof **link);
		if (*link == NULL)
			return NULL;
		(*link)->level = level;
		(*link)->ip = ip;
	}
	(*link)->claims++;
	return *link;
}

static void free_if_idle(struct held_mail *held, struct held_network *network)
{
	struct rt_ip ip;
	struct held_network **link;

	if (network->claims > 0 || network->brought != network->left || network == &held->all)
		return;
	link = find(held, &network->ip, network->level, &ip);
	*link = network->next;
	free(network);
}

static void leave(struct held_mail *held, struct held_network *network)
{
	if (network == NULL || network == &held->all)
		return;
	network->claims--;
	free_if_idle(held, network);
}

static struct rt_ip read_client(const char *client_ip)
{
	struct rt_ip ip;

	return rt_ip_parse(client_ip, &ip) ? ip : (struct rt_ip){.family = 0};
}

bool held_claim_begin(
	struct held_claim *claim, struct held_mail *held, const char *client_ip, bool named)
{
	struct rt_ip ip = read_client(client_ip);
	bool own = named && !rt_cidrs_contain(held->relays->items, held->relays->count, &ip);

	*claim = (struct held_claim){.held = held};
	for (enum held_level level = 0; level < HELD_LEVELS; level++) {
		claim->ceiling[level] = UINT64_MAX;
		if (level == HELD_SITE && ip.family != AF_INET6)
			continue;
		claim->networks[level] = join(held, &ip, level);
		claim->bounded[level] = held->quota[level] > 0 && (own || level == HELD_ALL);
		if (claim->networks[level] == NULL) {
			held_claim_end(claim);
			return false;
		}
	}
	return true;
}

void held_claim_ask(struct held_claim *claim)
{
	for (size_t level = 0; level < HELD_LEVELS; level++)
		if (claim->networks[level] != NULL)
			claim->left[level] = claim->networks[level]->left;
}

void held_claim_answer(struct held_claim *claim, const uint64_t stored[HELD_LEVELS])
{
	for (size_t level = 0; claim->held != NULL && level < HELD_LEVELS; level++) {
		uint64_t quota = claim->held->quota[level];
		uint64_t room = quota > stored[level] ? quota - stored[level] : 0;

		if (claim->bounded[level] && claim->networks[level] != NULL &&
			claim->left[level] + room < claim->ceiling[level])
			claim->ceiling[level] = claim->left[level] + room;
	}
}

uint64_t held_claim_room(const struct held_claim *claim, enum held_level *whose)
{
	uint64_t least = UINT64_MAX;

	*whose = HELD_ALL;
	for (enum held_level level = 0; claim->held != NULL && level < HELD_LEVELS; level++) {
		const struct held_network *network = claim->networks[level];
		uint64_t ceiling = claim->ceiling[level];
		uint64_t room;

		if (network == NULL || ceiling == UINT64_MAX)
			continue;
		room = ceiling > network->brought ? ceiling - network->brought : 0;
		if (room < least) {
			least = room;
			*whose = level;
		}
	}
	return least;
}

void held_claim_take(struct held_claim *claim, uint64_t octets)
{
	for (size_t level = 0; level < HELD_LEVELS; level++)
		if (claim->networks[level] != NULL)
			claim->networks[level]->brought += octets;
}

void held_claim_end(struct held_claim *claim)
{
	for (size_t level = 0; claim->held != NULL && level < HELD_LEVELS; level++)
		leave(claim->held, claim->networks[level]);
	*claim = (struct held_claim){.held = NULL};
}

bool held_mail_take(struct held_mail *held, const char *client_ip, uint64_t octets)
{
	struct held_claim claim;

	if (!held_claim_begin(&claim, held, client_ip, true))
		return false;
	held_claim_take(&claim, octets);
	held_claim_end(&claim);
	return true;
}

/* If there was no memory for a claim, these octets were not added to the network's `brought`. In
 * that case the comparison in this function keeps `left` from exceeding `brought`. */
void held_mail_give_back(struct held_mail *held, const char *client_ip, uint64_t octets)
{
	struct held_claim claim;

	if (!held_claim_begin(&claim, held, client_ip, true))
		return;
	for (size_t level = 0; level < HELD_LEVELS; level++) {
		struct held_network *network = claim.networks[level];

		if (network != NULL && network->brought - network->left >= octets)
			network->left += octets;
	}
	held_claim_end(&claim);
}
