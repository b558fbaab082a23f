#include "functions/lib/mta-sts/probe-address.h"
#include "runtime/time.h"

#include <string.h>

#include "runtime/keyed-hash.h"

enum {
	BUCKETS = 1024,
	SLOTS = 65536,
	HOUR_MS = 3600 * 1000,
};

struct address {
	struct address *next;
	struct rt_ip ip;
	int busy;
};

struct eds_probe_addresses {
	struct rt_ctx *ctx;
	struct rt_hash_key key;
	struct address *buckets[BUCKETS];
};

/* Connections of the hour, by account and address. It spans events, as an owner can spread names
 * over many of them. Two pairs that share a slot share its number, which is rare, and who pays for
 * it cannot be chosen without the key. */
static struct {
	struct rt_hash_key key;
	int64_t until_ms; /* 0: none has begun */
	uint16_t used[SLOTS];
} hour;

struct eds_probe_addresses *eds_probe_addresses_new(struct rt_ctx *ctx)
{
	struct eds_probe_addresses *addresses = rt_alloc(ctx, sizeof *addresses);

	addresses->ctx = ctx;
	rt_hash_key_make(&addresses->key);
	return addresses;
}

static struct address *find(struct eds_probe_addresses *addresses, const struct rt_ip *ip)
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

static void begin_hour(void)
{
	int64_t now_ms = rt_monotonic_ms();

	if (hour.until_ms > now_ms)
		return;
	if (hour.until_ms == 0)
		rt_hash_key_make(&hour.key);
	memset(hour.used, 0, sizeof hour.used);
	hour.until_ms = now_ms + HOUR_MS;
}

static uint16_t *used(const char *account, const struct rt_ip *ip)
{
	uint64_t parts[2] = {rt_hash(&hour.key, account, strlen(account)),
		rt_hash(&hour.key, ip->bytes, sizeof ip->bytes)};

	return &hour.used[rt_hash(&hour.key, parts, sizeof parts) % SLOTS];
}

enum eds_probe_turn eds_probe_begin(
	struct eds_probe_addresses *addresses, const struct eds_fetch *fetch, const char *account)
{
	bool busy = false;

	begin_hour();
	for (size_t i = 0; i < fetch->address_count; i++) {
		if (*used(account, &fetch->addresses[i]) >= EDS_PROBES_ADDRESS_HOUR)
			return EDS_PROBE_NEVER;
		busy = busy ||
			find(addresses, &fetch->addresses[i])->busy >= EDS_PROBES_ADDRESS_AT_ONCE;
	}
	if (busy)
		return EDS_PROBE_LATER;
	for (size_t i = 0; i < fetch->address_count; i++) {
		(*used(account, &fetch->addresses[i]))++;
		find(addresses, &fetch->addresses[i])->busy++;
	}
	return EDS_PROBE_NOW;
}

void eds_probe_end(struct eds_probe_addresses *addresses, const struct eds_fetch *fetch)
{
	for (size_t i = 0; i < fetch->address_count; i++)
		find(addresses, &fetch->addresses[i])->busy--;
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

bool eds_probe_tells(const struct eds_fetched *fetched, const struct eds_fetch *fetch,
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
