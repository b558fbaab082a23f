#include "functions/lib/mta-sts/probe.h"
#include "runtime/time.h"

#include <string.h>

#include "functions/lib/fetch/fetch.h"
#include "functions/lib/mta-sts/probe-port.h"
#include "functions/lib/mta-sts/verdict.h"
#include "runtime/config/config.h"
#include "runtime/keyed-hash.h"

enum {
	BUCKETS = 1024,
	LOOK_EVERY_MS = 500, /* longest pause before the parked probes are examined again */
};

/* A caller that waits for the result of a server's probe. */
struct waiter {
	struct waiter *next;
	const char *account;
	struct eds_mta_sts_mx *mx;
	void (*done)(void *arg);
	void *arg;
};

/* An account, and the number of silent servers among those that were probed for it. */
struct owner {
	struct owner *next;
	const char *account;
	size_t silent;
};

struct probe {
	struct eds_probes *probes;
	struct owner *owner; /* the account for which the server is probed */
	struct probe *next_in_bucket;
	struct probe *next; /* the next probe in the list `first` or `parked` */
	const char *host;
	struct waiter *waiters;
	int addresses_wanted; /* number of DNS answers to wait for */
	enum eds_dns_state dns[2];
	struct eds_fetch fetch;
	int64_t parked_until_ms; /* end of the wait for a place, monotonic */
	bool idle;               /* the probe was refused for the account in `owner`, and no other
				  * account waits for it */
	bool answered;
	enum eds_starttls state;
	const char *reason;
	int64_t checked_at_ms;
	struct eds_certificate certificate;
};

struct eds_probes {
	struct rt_ctx *ctx;
	struct eds_fetcher *fetcher;
	struct rt_hash_key key;
	struct probe *buckets[BUCKETS];
	struct probe *first;
	struct probe **end;
	size_t under_way;
	struct eds_addresses *addresses;
	struct probe *parked; /* probes whose addresses are known and that wait for a place at these
			       * addresses */
	struct probe **end_parked;
	bool freed; /* a place has become free since the parked probes were last tried */
	struct owner *owners;
	size_t silent;        /* servers that accepted no connection in time */
	size_t silent_owners; /* accounts with at least one silent server */
	struct eds_silent_networks silent_networks;
	bool heard_any; /* some server was not silent (eds_probes_port_heard) */
};

struct eds_probes *eds_probes_new(
	struct rt_ctx *ctx, struct eds_fetcher *fetcher, const struct eds_address_hours *hours)
{
	struct eds_probes *probes = rt_alloc(ctx, sizeof *probes);

	probes->ctx = ctx;
	rt_hash_key_make(&probes->key);
	probes->fetcher = fetcher;
	probes->end = &probes->first;
	probes->end_parked = &probes->parked;
	probes->addresses = eds_addresses_new(ctx, EDS_ADDRESS_SERVERS, hours);
	return probes;
}

static struct probe **bucket(struct eds_probes *probes, const char *host)
{
	return &probes->buckets[rt_hash(&probes->key, host, strlen(host)) % BUCKETS];
}

static void tell(const struct probe *probe, struct eds_mta_sts_mx *mx)
{
	mx->starttls = probe->state;
	mx->reason = probe->reason;
	mx->checked_at_ms = probe->checked_at_ms;
	mx->certificate = probe->certificate;
}

static void queue(struct probe *probe)
{
	struct eds_probes *probes = probe->probes;

	probe->next = NULL;
	*probes->end = probe;
	probes->end = &probe->next;
}

/* Gives the waiters the result. asked: it counts as a probe, which is not repeated soon. */
static void answered(struct probe *probe, enum eds_starttls state, const char *reason, bool asked)
{
	probe->answered = true;
	probe->state = state;
	probe->reason = reason;
	probe->checked_at_ms = asked ? rt_wall_ms() : 0;
	while (probe->waiters != NULL) {
		struct waiter *waiter = probe->waiters;

		probe->waiters = waiter->next;
		tell(probe, waiter->mx);
		waiter->done(waiter->arg);
	}
}

static struct owner *find_owner(struct eds_probes *probes, const char *account)
{
	struct owner **link = &probes->owners;

	while (*link != NULL && strcmp((*link)->account, account) != 0)
		link = &(*link)->next;
	if (*link == NULL) {
		*link = rt_alloc(probes->ctx, sizeof **link);
		(*link)->account = rt_strdup(probes->ctx, account);
	}
	return *link;
}

/* Removes the waiters of the probe's owner from the probe, and returns them. */
static struct waiter *take_own_waiters(struct probe *probe)
{
	struct waiter **link = &probe->waiters;
	struct waiter *taken = NULL;

	while (*link != NULL) {
		struct waiter *waiter = *link;

		if (strcmp(waiter->account, probe->owner->account) != 0) {
			link = &waiter->next;
			continue;
		}
		*link = waiter->next;
		waiter->next = taken;
		taken = waiter;
	}
	return taken;
}

/* Gives the owner of the probe the result "unknown", without a connection. The reason lies with the
 * owner and not with the server, so the next account that waits becomes the owner. The refusal
 * counts as a probe for the old owner, so that this owner's next check does not try again. */
static void refuse(struct probe *probe, const char *reason)
{
	struct waiter *own = take_own_waiters(probe);

	probe->reason = reason;
	probe->idle = probe->waiters == NULL;
	if (!probe->idle) {
		probe->owner = find_owner(probe->probes, probe->waiters->account);
		queue(probe);
	}
	while (own != NULL) {
		struct waiter *waiter = own;

		own = waiter->next;
		waiter->mx->starttls = EDS_STARTTLS_UNKNOWN;
		waiter->mx->reason = reason;
		waiter->mx->checked_at_ms = rt_wall_ms();
		waiter->done(waiter->arg);
	}
}

static void count_silence(struct eds_probes *probes, const struct probe *probe)
{
	const struct rt_ip *ip = &probe->fetch.addresses[0];

	probes->silent++;
	if (probe->owner->silent++ == 0)
		probes->silent_owners++;
	eds_silent_networks_add(&probes->silent_networks, ip);
	eds_probes_port_silent(probe->owner->account, ip);
}

/* Silent servers of a single network are enough to block the probes of their own account. */
static bool is_blocked(const struct eds_probes *probes, const struct owner *owner)
{
	if (probes->heard_any)
		return false;
	return owner->silent >= EDS_PROBES_SILENT_MAX ||
		(probes->silent >= EDS_PROBES_SILENT_MAX &&
			probes->silent_owners >= EDS_PROBES_ACCOUNTS &&
			probes->silent_networks.count >= EDS_PROBES_NETWORKS);
}

static void add_parked(struct probe *probe)
{
	probe->next = NULL;
	*probe->probes->end_parked = probe;
	probe->probes->end_parked = &probe->next;
}

static struct probe *unpark(struct eds_probes *probes, struct probe **link)
{
	struct probe *probe = *link;

	*link = probe->next;
	if (*link == NULL)
		probes->end_parked = link;
	return probe;
}

static void settle(struct probe *probe, const struct eds_fetched *fetched)
{
	struct eds_probes *probes = probe->probes;
	const char *reason;
	enum eds_starttls state = eds_mta_sts_judge_starttls(fetched->outcome, &reason);

	probe->certificate = fetched->certificate;
	if (fetched->outcome == EDS_FETCH_CONNECT_TIME) {
		count_silence(probes, probe);
	} else if (fetched->outcome != EDS_FETCH_FAILED) {
		probes->heard_any = true;
		eds_probes_port_heard();
	}
	answered(probe, state, reason, fetched->outcome != EDS_FETCH_FAILED);
}

/* Gives the outcome of the probe `told` also to each parked probe for which it holds. */
static void settle_parked(const struct probe *told, const struct eds_fetched *fetched)
{
	struct probe **link = &told->probes->parked;

	while (*link != NULL) {
		if (eds_address_tells(fetched, &told->fetch, &(*link)->fetch))
			settle(unpark(told->probes, link), fetched);
		else
			link = &(*link)->next;
	}
}

static void take_fetched(void *arg, const struct eds_fetched *fetched)
{
	struct probe *probe = arg;
	struct eds_probes *probes = probe->probes;

	probes->under_way--;
	probes->freed = true;
	eds_address_end(probes->addresses, &probe->fetch, probe->owner->account);
	settle(probe, fetched);
	settle_parked(probe, fetched);
}

static void no_address(struct probe *probe)
{
	if (probe->fetch.forbidden)
		answered(probe, EDS_STARTTLS_NO,
			"The server has only addresses that are private or reserved.", true);
	else if (probe->dns[0] == EDS_DNS_TEMPORARY || probe->dns[1] == EDS_DNS_TEMPORARY)
		answered(probe, EDS_STARTTLS_UNKNOWN,
			"DNS gave no answer for the server's address.", false);
	else
		answered(probe, EDS_STARTTLS_NO, "The server has no address.", true);
}

/* Starts the connection, or refuses it when the account has made as many connections to an address
 * in this hour as it may; false when the probe must wait. */
static bool connect_or_answer(struct probe *probe)
{
	struct eds_probes *probes = probe->probes;

	switch (eds_address_begin(probes->addresses, &probe->fetch, probe->owner->account)) {
	case EDS_ADDRESS_NOW:
		probes->under_way++;
		eds_fetch_start(probes->fetcher, &probe->fetch);
		return true;
	case EDS_ADDRESS_NEVER:
		refuse(probe,
			"The account has used up the hour's connections to the server's address.");
		return true;
	case EDS_ADDRESS_LATER:
		break;
	}
	return false;
}

static void take_address(
	void *arg, size_t tag, struct rt_ctx *ctx, const struct eds_dns_answer *answer)
{
	struct probe *probe = arg;

	(void)ctx;
	probe->dns[tag] = answer->state;
	eds_fetch_vet(&probe->fetch, answer);
	if (--probe->addresses_wanted > 0)
		return;
	probe->probes->under_way--;
	probe->parked_until_ms = rt_monotonic_ms() + EDS_ADDRESS_WAIT_MS;
	if (probe->fetch.address_count == 0)
		no_address(probe);
	else if (!connect_or_answer(probe))
		add_parked(probe);
}

static void begin(struct probe *probe)
{
	struct eds_dns_queue *dns = eds_fetcher_dns(probe->probes->fetcher);

	probe->probes->under_way++;
	probe->addresses_wanted = 2;
	probe->fetch = (struct eds_fetch){
		.kind = EDS_FETCH_STARTTLS,
		.host = probe->host,
		.port = rt_config()->starttls_port,
		.done = take_fetched,
		.arg = probe,
	};
	eds_dns_queue_ask(dns, probe->host, EDS_DNS_A, take_address, probe, 0);
	eds_dns_queue_ask(dns, probe->host, EDS_DNS_AAAA, take_address, probe, 1);
}

static struct probe *find(struct eds_probes *probes, const char *account, const char *host)
{
	struct probe **head = bucket(probes, host);
	struct probe *probe;

	for (probe = *head; probe != NULL; probe = probe->next_in_bucket)
		if (strcmp(probe->host, host) == 0)
			return probe;
	probe = rt_alloc(probes->ctx, sizeof *probe);
	probe->probes = probes;
	probe->host = rt_strdup(probes->ctx, host);
	probe->owner = find_owner(probes, account);
	probe->next_in_bucket = *head;
	*head = probe;
	queue(probe);
	return probe;
}

void eds_probes_ask(struct eds_probes *probes, const char *account, struct eds_mta_sts_mx *mx,
	void (*done)(void *arg), void *arg)
{
	struct probe *probe = find(probes, account, mx->host);
	struct waiter *waiter;

	if (probe->answered) {
		tell(probe, mx);
		done(arg);
		return;
	}
	waiter = rt_alloc(probes->ctx, sizeof *waiter);
	*waiter = (struct waiter){
		.next = probe->waiters, .account = account, .mx = mx, .done = done, .arg = arg};
	probe->waiters = waiter;
	if (probe->idle && strcmp(probe->owner->account, account) == 0) {
		refuse(probe, probe->reason);
	} else if (probe->idle) {
		probe->idle = false;
		probe->owner = find_owner(probes, account);
		queue(probe);
	}
}

static struct probe *take_first(struct eds_probes *probes)
{
	struct probe *probe = probes->first;

	probes->first = probe->next;
	if (probes->first == NULL)
		probes->end = &probes->first;
	return probe;
}

/* The name of an MX may contain any character. A name with characters other than "_" that host
 * names do not have cannot have a certificate, and it must not get into a URL. */
static bool is_host_name(const char *name)
{
	return name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_.")] == '\0';
}

static void begin_or_answer(struct probe *probe, bool blocked)
{
	if (!is_host_name(probe->host))
		answered(probe, EDS_STARTTLS_NO, "The server's name is not a host name.", true);
	else if (blocked)
		refuse(probe, "No mail server can be reached on port 25 from here.");
	else
		begin(probe);
}

/* Probes that must wait further are parked again, in the same order. */
static void begin_parked(struct eds_probes *probes)
{
	struct probe *probe = probes->parked;
	struct probe *next;

	probes->freed = false;
	probes->parked = NULL;
	probes->end_parked = &probes->parked;
	for (; probe != NULL; probe = next) {
		next = probe->next;
		if (probes->under_way >= EDS_PROBES_AT_ONCE)
			probes->freed = true;
		else if (connect_or_answer(probe))
			continue;
		add_parked(probe);
	}
}

/* The parked probes are in the order in which their waits end. */
static void end_waits(struct eds_probes *probes)
{
	int64_t now_ms = rt_monotonic_ms();

	while (probes->parked != NULL && probes->parked->parked_until_ms <= now_ms)
		answered(unpark(probes, &probes->parked), EDS_STARTTLS_UNKNOWN,
			"The server was not asked: too many connections to its address were open.",
			false);
}

int eds_probes_turn(struct eds_probes *probes, int max_ms)
{
	if (probes->freed)
		begin_parked(probes);
	end_waits(probes);
	while (probes->first != NULL) {
		bool blocked = is_blocked(probes, probes->first->owner);

		if (!blocked && probes->under_way >= EDS_PROBES_AT_ONCE)
			break;
		begin_or_answer(take_first(probes), blocked);
	}
	return probes->parked != NULL && max_ms > LOOK_EVERY_MS ? LOOK_EVERY_MS : max_ms;
}

void eds_probes_cancel(struct eds_probes *probes)
{
	while (probes->first != NULL || probes->parked != NULL)
		answered(probes->first != NULL ? take_first(probes)
					       : unpark(probes, &probes->parked),
			EDS_STARTTLS_UNKNOWN, "The server could not be asked.", false);
}
