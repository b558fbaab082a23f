#include "functions/lib/address-hour.h"
#include "runtime/time.h"

#include <string.h>
#include <sys/socket.h>

#include "runtime/keyed-hash.h"

enum {
	SLOTS = 65536,
	HOUR_MS = 3600 * 1000,
	IPV6_KEY_BYTES = 8, /* leading octets of an IPv6 address that the count distinguishes:
			     * those of its /64 */
};

/* The uses of one address, of one kind and for one account, in the current hour. */
struct slot {
	uint16_t used;    /* uses made */
	uint16_t granted; /* uses that this process may make in the hour, including those already
			   * made; 0 until eds_address_hour_has_room() sets it */
	bool is_full;     /* no further share is left for these uses in this hour */
};

/* Uses of the current hour, by kind, account and address. The table spans events, because an
 * account can have its domains checked in many events. The slot follows from a hash of kind,
 * account and address, so different uses may share a slot and its count. That is rare, and nobody
 * who lacks the key of the hash can choose names that use up the slot of another account. */
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
	[EDS_ADDRESS_NAME_SERVERS] = {"names", EDS_ADDRESS_HOUR_NAME_SERVERS},
};

struct rt_ip eds_address_key(const struct rt_ip *ip)
{
	struct rt_ip key = *ip;

	if (key.family == AF_INET6)
		memset(key.bytes + IPV6_KEY_BYTES, 0, sizeof key.bytes - IPV6_KEY_BYTES);
	return key;
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
	enum eds_address_kind kind, const char *account, const struct rt_ip *key)
{
	uint64_t parts[3];

	begin_hour();
	parts[0] = (uint64_t)kind;
	parts[1] = rt_hash(&hour.key, account, strlen(account));
	parts[2] = rt_hash(&hour.key, key->bytes, sizeof key->bytes);
	return &hour.slots[rt_hash(&hour.key, parts, sizeof parts) % SLOTS];
}

static bool take_share(struct rt_ctx *ctx, enum eds_address_kind kind,
	const struct eds_address_hours *hours, const char *account, const struct rt_ip *key,
	int count)
{
	char text[RT_IP_TEXT_MAX];

	rt_ip_format(key, text);
	return hours->take(hours->arg, account, rt_printf(ctx, "%s %s", KINDS[kind].what, text),
		count, KINDS[kind].max);
}

bool eds_address_hour_is_full(
	enum eds_address_kind kind, const char *account, const struct rt_ip *key)
{
	const struct slot *slot = slot_of(kind, account, key);

	return slot->is_full && slot->used >= slot->granted;
}

/* With the first share, the database also counts the uses that the process has made without asking
 * the database. */
bool eds_address_hour_has_room(struct rt_ctx *ctx, enum eds_address_kind kind,
	const struct eds_address_hours *hours, const char *account, const struct rt_ip *key)
{
	struct slot *slot = slot_of(kind, account, key);
	bool alone = slot->granted <= EDS_ADDRESS_ALONE;

	if (slot->granted == 0)
		slot->granted = hours != NULL ? (uint16_t)EDS_ADDRESS_ALONE
					      : (uint16_t)KINDS[kind].max;
	if (slot->used < slot->granted || slot->is_full)
		return slot->used < slot->granted;
	slot->is_full = hours == NULL ||
		!take_share(ctx, kind, hours, account, key,
			alone ? EDS_ADDRESS_ALONE + EDS_ADDRESS_SHARE : EDS_ADDRESS_SHARE);
	if (!slot->is_full)
		slot->granted = (uint16_t)(slot->granted + EDS_ADDRESS_SHARE);
	return !slot->is_full;
}

void eds_address_hour_count(
	enum eds_address_kind kind, const char *account, const struct rt_ip *key)
{
	slot_of(kind, account, key)->used++;
}
