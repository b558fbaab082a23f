#include "functions/lib/mta-sts/addresses.h"
#include "runtime/time.h"

#include <string.h>

#include "runtime/keyed-hash.h"

enum {
	BUCKETS = 1024,
	SLOTS = 65536,
	HOUR_MS = 3600 * 1000,
	IPV6_KEY_BYTES = 8, /* octets of an IPv6 address that count: those of a /64 */
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

/* The connections of one account to one address, in the current hour. */
struct slot {
	uint16_t used;    /* connections made */
	uint16_t granted; /* connections that may be made; 0 before the first one */
	bool is_full;     /* the hour has no further share for this account and address */
};

/* Connections of the current hour, by account and address. The table spans events, because an
 * account can spread names over many events. Pairs of account and address whose hashes are equal
 * share a slot and its count. That is rare, and without the key nobody can choose names that use up
 * the slot of another account. */
static struct {
	struct rt_hash_key key;
	int64_t until_ms; /* end of the hour, monotonic; 0 before the first hour */
	struct slot slots[SLOTS];
} hour;

static const struct {
	const char *what;
	int max;
} KINDS[] = {
	[EDS_ADDRESS_SERVERS] = {"probe", EDS_ADDRESS_HOUR_SERVERS},
	[EDS_ADDRESS_POLICIES] = {"policy", EDS_ADDRESS_HOUR_POLICIES},
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

/* Sets keys to the addresses of a fetch for counting, IPv6 addresses of one /64 once; returns the
 * number of keys. */
static size_t keys_of(const struct eds_fetch *fetch, struct rt_ip keys[EDS_FETCH_ADDRESSES_MAX])
{
	size_t count = 0;

	for (size_t i = 0; i < fetch->address_count; i++) {
		struct rt_ip *key = &keys[count];
		size_t before = 0;

		*key = fetch->addresses[i];
		if (key->family == AF_INET6)
			memset(key->bytes + IPV6_KEY_BYTES, 0, sizeof key->bytes - IPV6_KEY_BYTES);
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

/* Uses a holder without places again for another account, so the list never has more than one
 * holder without places. */
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

static void begin_hour(void)
{
	int64_t now_ms = rt_monotonic_ms();

	if (hour.until_ms > now_ms)
		return;
	if (hour.until_ms == 0)
		rt_hash_key_make(&hour.key);
	memset(hour.slots, 0, sizeof hour.slots);
	hour.until_ms = now_ms + HOUR_MS;
}

static struct slot *slot_of(
	const struct eds_addresses *addresses, const char *account, const struct rt_ip *ip)
{
	uint64_t parts[3] = {(uint64_t)addresses->kind,
		rt_hash(&hour.key, account, strlen(account)),
		rt_hash(&hour.key, ip->bytes, sizeof ip->bytes)};

	return &hour.slots[rt_hash(&hour.key, parts, sizeof parts) % SLOTS];
}

static bool take_share(const struct eds_addresses *addresses, const char *account,
	const struct rt_ip *ip, int count)
{
	char text[RT_IP_TEXT_MAX];

	rt_ip_format(ip, text);
	return addresses->hours->take(addresses->hours->arg, account,
		rt_printf(addresses->ctx, "%s %s", KINDS[addresses->kind].what, text), count,
		KINDS[addresses->kind].max);
}

/* True when the account may make another connection to the address; takes a share of the hour if
 * necessary. The first share includes the connections that the process has made without asking. */
static bool has_room(const struct eds_addresses *addresses, const char *account,
	const struct rt_ip *ip, struct slot *slot)
{
	bool alone = slot->granted <= EDS_ADDRESS_ALONE;

	if (slot->granted == 0)
		slot->granted = addresses->hours != NULL ? (uint16_t)EDS_ADDRESS_ALONE
							 : (uint16_t)KINDS[addresses->kind].max;
	if (slot->used < slot->granted || slot->is_full)
		return slot->used < slot->granted;
	slot->is_full = addresses->hours == NULL ||
		!take_share(addresses, account, ip,
			alone ? EDS_ADDRESS_ALONE + EDS_ADDRESS_SHARE : EDS_ADDRESS_SHARE);
	if (!slot->is_full)
		slot->granted = (uint16_t)(slot->granted + EDS_ADDRESS_SHARE);
	return !slot->is_full;
}

enum eds_address_turn eds_address_begin(
	struct eds_addresses *addresses, const struct eds_fetch *fetch, const char *account)
{
	struct rt_ip keys[EDS_FETCH_ADDRESSES_MAX];
	size_t count = keys_of(fetch, keys);
	bool busy = false;

	begin_hour();
	for (size_t i = 0; i < count; i++) {
		const struct slot *slot = slot_of(addresses, account, &keys[i]);

		if (slot->is_full && slot->used >= slot->granted)
			return EDS_ADDRESS_NEVER;
		busy = busy || is_busy(addresses, account, &keys[i]);
	}
	if (busy)
		return EDS_ADDRESS_LATER;
	for (size_t i = 0; i < count; i++)
		if (!has_room(addresses, account, &keys[i], slot_of(addresses, account, &keys[i])))
			return EDS_ADDRESS_NEVER;
	for (size_t i = 0; i < count; i++) {
		slot_of(addresses, account, &keys[i])->used++;
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
