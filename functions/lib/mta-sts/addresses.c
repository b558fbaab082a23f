#include "functions/lib/mta-sts/addresses.h"
#include "runtime/time.h"

#include <string.h>

#include "runtime/keyed-hash.h"

enum {
	BUCKETS = 1024,
};

/* The places that an account holds at an address. */
struct holder {
	struct holder *next;
	const char *account;
	int busy;
};

struct address {
	struct address *next;
	struct rt_ip ip;
	int busy; /* places held by all accounts */
	struct holder *holders;
};

struct eds_addresses {
	struct rt_ctx *ctx;
	enum eds_address_kind kind;
	const struct eds_address_hours *hours;
	struct rt_hash_key key;
	struct address *buckets[BUCKETS];
};

struct eds_addresses *eds_addresses_new(
	struct rt_ctx *ctx, enum eds_address_kind kind, const struct eds_address_hours *hours)
{
	struct eds_addresses *addresses = rt_alloc(ctx, sizeof *addresses);

	addresses->ctx = ctx;
	addresses->kind = kind;
	addresses->hours = hours;
	rt_hash_key_make(&addresses->key);
	return addresses;
}

/* Sets keys to the addresses of the fetch in the form in which they are counted: all IPv6 addresses
 * of one /64 give a single key. Returns the number of keys. */
static size_t keys_of(const struct eds_fetch *fetch, struct rt_ip keys[EDS_FETCH_ADDRESSES_MAX])
{
	size_t count = 0;

	for (size_t i = 0; i < fetch->address_count; i++) {
		struct rt_ip *key = &keys[count];
		size_t before = 0;

		*key = eds_address_key(&fetch->addresses[i]);
		while (before < count && !rt_ip_equal(&keys[before], key))
			before++;
		if (before == count)
			count++;
	}
	return count;
}

static struct address *find(struct eds_addresses *addresses, const struct rt_ip *ip)
{
	struct address **link =
		&addresses
			 ->buckets[rt_hash(&addresses->key, ip->bytes, sizeof ip->bytes) % BUCKETS];

	while (*link != NULL && !rt_ip_equal(&(*link)->ip, ip))
		link = &(*link)->next;
	if (*link == NULL) {
		*link = rt_alloc(addresses->ctx, sizeof **link);
		(*link)->ip = *ip;
	}
	return *link;
}

/* The holder of the account; adds one if the account has none. Reuses a holder that has no place
 * any more, so the list does not grow with the number of accounts. */
static struct holder *holder_of(
	struct eds_addresses *addresses, struct address *address, const char *account)
{
	struct holder *idle = NULL;
	struct holder *holder = address->holders;

	for (; holder != NULL && strcmp(holder->account, account) != 0; holder = holder->next)
		if (holder->busy == 0)
			idle = holder;
	if (holder != NULL)
		return holder;
	if (idle == NULL) {
		idle = rt_alloc(addresses->ctx, sizeof *idle);
		idle->next = address->holders;
		address->holders = idle;
	}
	idle->account = rt_strdup(addresses->ctx, account);
	return idle;
}

static bool is_busy(struct eds_addresses *addresses, const char *account, const struct rt_ip *ip)
{
	struct address *address = find(addresses, ip);

	return holder_of(addresses, address, account)->busy >= EDS_ADDRESS_AT_ONCE - address->busy;
}

static void hold(
	struct eds_addresses *addresses, const char *account, const struct rt_ip *ip, int places)
{
	struct address *address = find(addresses, ip);

	address->busy += places;
	holder_of(addresses, address, account)->busy += places;
}

enum eds_address_turn eds_address_begin(
	struct eds_addresses *addresses, const struct eds_fetch *fetch, const char *account)
{
	struct rt_ip keys[EDS_FETCH_ADDRESSES_MAX];
	size_t count = keys_of(fetch, keys);
	bool busy = false;

	for (size_t i = 0; i < count; i++) {
		if (eds_address_hour_is_full(addresses->kind, account, &keys[i]))
			return EDS_ADDRESS_NEVER;
		busy = busy || is_busy(addresses, account, &keys[i]);
	}
	if (busy)
		return EDS_ADDRESS_LATER;
	for (size_t i = 0; i < count; i++)
		if (!eds_address_hour_has_room(
			    addresses->ctx, addresses->kind, addresses->hours, account, &keys[i]))
			return EDS_ADDRESS_NEVER;
	for (size_t i = 0; i < count; i++) {
		eds_address_hour_count(addresses->kind, account, &keys[i]);
		hold(addresses, account, &keys[i], 1);
	}
	return EDS_ADDRESS_NOW;
}

void eds_address_end(
	struct eds_addresses *addresses, const struct eds_fetch *fetch, const char *account)
{
	struct rt_ip keys[EDS_FETCH_ADDRESSES_MAX];
	size_t count = keys_of(fetch, keys);

	for (size_t i = 0; i < count; i++)
		hold(addresses, account, &keys[i], -1);
}

static bool has(const struct eds_fetch *fetch, const struct rt_ip *ip)
{
	for (size_t i = 0; i < fetch->address_count; i++)
		if (rt_ip_equal(&fetch->addresses[i], ip))
			return true;
	return false;
}

static bool has_all(const struct eds_fetch *fetch, const struct eds_fetch *other)
{
	for (size_t i = 0; i < other->address_count; i++)
		if (!has(fetch, &other->addresses[i]))
			return false;
	return fetch->address_count == other->address_count;
}

bool eds_address_tells(const struct eds_fetched *fetched, const struct eds_fetch *fetch,
	const struct eds_fetch *other)
{
	switch (fetched->outcome) {
	case EDS_FETCH_DONE:
		return has(other, &fetch->addresses[fetch->address]) &&
			eds_fetched_names(fetched, other->host);
	case EDS_FETCH_REFUSED:
	case EDS_FETCH_CONNECT_TIME:
	case EDS_FETCH_TOTAL_TIME:
	case EDS_FETCH_NO_STARTTLS:
		return has_all(fetch, other);
	default:
		return false;
	}
}

bool eds_address_is_dead(const struct eds_fetched *fetched, const struct eds_fetch *fetch,
	const struct eds_fetch *other)
{
	switch (fetched->outcome) {
	case EDS_FETCH_REFUSED:
	case EDS_FETCH_UNREACHABLE:
	case EDS_FETCH_CONNECT_TIME:
		return !fetched->reached && has_all(fetch, other);
	default:
		return false;
	}
}
