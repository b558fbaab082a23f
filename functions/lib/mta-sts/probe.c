#include "functions/lib/mta-sts/probe.h"
#include "runtime/time.h"

#include <string.h>

#include "functions/lib/fetch/fetch.h"
#include "functions/lib/mta-sts/probe-address.h"
#include "functions/lib/mta-sts/verdict.h"
#include "runtime/config/config.h"
#include "runtime/keyed-hash.h"
#include "runtime/log.h"

enum {
	BUCKETS = 1024,
	ACCOUNT_MAX = 63,
};

/* Networks of silent servers, up to the number needed. */
struct networks {
	struct rt_ip items[EDS_PROBES_NETWORKS];
	size_t count;
};

/* A caller that waits for the outcome of a server. */
struct waiter {
	struct waiter *next;
	struct eds_mta_sts_mx *mx;
	void (*done)(void *arg);
	void *arg;
};

/* An account, and the number of silent servers of its domains. */
struct owner {
	struct owner *next;
	const char *account;
	size_t silent;
};

struct probe {
	struct eds_probes *probes;
	struct owner *owner; /* the account that asked for this server first */
	struct probe *next_in_bucket;
	struct probe *next; /* in the list of those not begun, or of those parked */
	const char *host;
	struct waiter *waiters;
	int addresses_wanted; /* DNS answers still to come */
	enum eds_dns_state dns[2];
	struct eds_fetch fetch;
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
	struct eds_probe_addresses *addresses;
	struct probe *parked; /* resolved; they wait for a place at their addresses */
	struct probe **end_parked;
	bool freed; /* a place, since the parked ones were looked at */
	struct owner *owners;
	size_t silent;        /* servers without a connection in time */
	size_t silent_owners; /* owners with at least one of them */
	struct networks silent_networks;
	bool heard_any; /* some server answered on the port */
};

/* Counts of the process since the last answer of any server. They span runs, because an
 * installation with few domains has too few servers in one run. */
static struct {
	size_t silent;
	struct networks networks;
	char accounts[EDS_PROBES_ACCOUNTS][ACCOUNT_MAX + 1];
	size_t account_count;
	bool told;
} port;

bool eds_probes_port_is_closed(struct rt_ctx *ctx, size_t accounts)
{
	size_t wanted = accounts < EDS_PROBES_ACCOUNTS ? accounts : EDS_PROBES_ACCOUNTS;

	if (port.silent < EDS_PROBES_SILENT_MAX || port.account_count < wanted ||
		port.networks.count < EDS_PROBES_NETWORKS)
		return false;
	if (!port.told)
		rt_log(ctx, RT_LOG_WARNING,
			"mail servers cannot be asked from here: none of %zu answered on port %d, "
			"so no domain is shown as ready for enforce; open the port for outgoing "
			"connections",
			port.silent, rt_config()->starttls_port);
	port.told = true;
	return true;
}

static void add_network(struct networks *networks, const struct rt_ip *network)
{
	size_t i = 0;

	while (i < networks->count && !rt_ip_equal(&networks->items[i], network))
		i++;
	if (i == networks->count && i < EDS_PROBES_NETWORKS)
		networks->items[networks->count++] = *network;
}

static void note_silence(const char *account, const struct rt_ip *network)
{
	size_t i = 0;

	port.silent++;
	add_network(&port.networks, network);
	while (i < port.account_count && strcmp(port.accounts[i], account) != 0)
		i++;
	if (i == port.account_count && i < EDS_PROBES_ACCOUNTS && strlen(account) <= ACCOUNT_MAX)
		memcpy(port.accounts[port.account_count++], account, strlen(account) + 1);
}

static void note_voice(void)
{
	memset(&port, 0, sizeof port);
}

struct eds_probes *eds_probes_new(struct rt_ctx *ctx, struct eds_fetcher *fetcher)
{
	struct eds_probes *probes = rt_alloc(ctx, sizeof *probes);

	probes->ctx = ctx;
	rt_hash_key_make(&probes->key);
	probes->fetcher = fetcher;
	probes->end = &probes->first;
	probes->end_parked = &probes->parked;
	probes->addresses = eds_probe_addresses_new(ctx);
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

/* asked: the server was really probed, so that it need not be probed again soon */
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

static struct rt_ip network_of(struct rt_ip ip)
{
	size_t kept = ip.family == AF_INET ? 3 : 6;

	memset(ip.bytes + kept, 0, sizeof ip.bytes - kept);
	return ip;
}

static void count_silence(struct eds_probes *probes, const struct probe *probe)
{
	struct rt_ip network = network_of(probe->fetch.addresses[0]);

	probes->silent++;
	if (probe->owner->silent++ == 0)
		probes->silent_owners++;
	add_network(&probes->silent_networks, &network);
	note_silence(probe->owner->account, &network);
}

/* Silent servers of an account in any number of networks block the probes of that account
 * itself. */
static bool is_blocked(const struct eds_probes *probes, const struct owner *owner)
{
	if (probes->heard_any)
		return false;
	return owner->silent >= EDS_PROBES_SILENT_MAX ||
		(probes->silent >= EDS_PROBES_SILENT_MAX &&
			probes->silent_owners >= EDS_PROBES_ACCOUNTS &&
			probes->silent_networks.count >= EDS_PROBES_NETWORKS);
}

static void park(struct probe *probe)
{
	struct eds_probes *probes = probe->probes;

	probes->under_way--;
	probe->next = NULL;
	*probes->end_parked = probe;
	probes->end_parked = &probe->next;
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
		note_voice();
	}
	answered(probe, state, reason, fetched->outcome != EDS_FETCH_FAILED);
}

/* Settles the parked probes about which this outcome tells as much as their own would. */
static void settle_parked(const struct probe *told, const struct eds_fetched *fetched)
{
	struct probe **link = &told->probes->parked;

	while (*link != NULL) {
		if (eds_probe_tells(fetched, &told->fetch, &(*link)->fetch))
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
	eds_probe_end(probes->addresses, &probe->fetch);
	settle(probe, fetched);
	settle_parked(probe, fetched);
}

static void no_address(struct probe *probe)
{
	probe->probes->under_way--;
	if (probe->fetch.forbidden)
		answered(probe, EDS_STARTTLS_NO,
			"It has only addresses that are private or reserved.", true);
	else if (probe->dns[0] == EDS_DNS_TEMPORARY || probe->dns[1] == EDS_DNS_TEMPORARY)
		answered(probe, EDS_STARTTLS_UNKNOWN, "DNS gave no answer for its address.", false);
	else
		answered(probe, EDS_STARTTLS_NO, "It has no address.", true);
}

/* Starts the connection, or answers "unknown" when the account has used up its hour at the address;
 * false when the probe must wait. The answer counts as a probe, so that the next check does not try
 * again. */
static bool connect_or_answer(struct probe *probe)
{
	struct eds_probes *probes = probe->probes;

	switch (eds_probe_begin(probes->addresses, &probe->fetch, probe->owner->account)) {
	case EDS_PROBE_NOW:
		eds_fetch_start(probes->fetcher, &probe->fetch);
		return true;
	case EDS_PROBE_NEVER:
		probes->under_way--;
		answered(probe, EDS_STARTTLS_UNKNOWN,
			"It was not asked: many names of the account lead to its address.", true);
		return true;
	case EDS_PROBE_LATER:
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
	if (probe->fetch.address_count == 0)
		no_address(probe);
	else if (!connect_or_answer(probe))
		park(probe);
}

static void begin(struct probe *probe)
{
	struct eds_dns_queue *dns = eds_fetcher_dns(probe->probes->fetcher);

	probe->probes->under_way++;
	probe->addresses_wanted = 2;
	probe->fetch.kind = EDS_FETCH_STARTTLS;
	probe->fetch.host = probe->host;
	probe->fetch.port = rt_config()->starttls_port;
	probe->fetch.done = take_fetched;
	probe->fetch.arg = probe;
	eds_dns_queue_ask(dns, probe->host, EDS_DNS_A, take_address, probe, 0);
	eds_dns_queue_ask(dns, probe->host, EDS_DNS_AAAA, take_address, probe, 1);
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
	*probes->end = probe;
	probes->end = &probe->next;
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
	*waiter = (struct waiter){.next = probe->waiters, .mx = mx, .done = done, .arg = arg};
	probe->waiters = waiter;
}

static struct probe *take_first(struct eds_probes *probes)
{
	struct probe *probe = probes->first;

	probes->first = probe->next;
	if (probes->first == NULL)
		probes->end = &probes->first;
	return probe;
}

/* The name of an MX may contain any character. A name with characters that host names do not have
 * cannot have a certificate, and it must not get into a URL. */
static bool is_host_name(const char *name)
{
	return name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_.")] == '\0';
}

static void begin_or_answer(struct probe *probe, bool blocked)
{
	if (!is_host_name(probe->host))
		answered(probe, EDS_STARTTLS_NO, "Its name is not a host name.", true);
	else if (blocked)
		answered(probe, EDS_STARTTLS_UNKNOWN,
			"No mail server can be reached on port 25 from here.", true);
	else
		begin(probe);
}

static bool resume(struct probe *probe)
{
	probe->probes->under_way++;
	if (connect_or_answer(probe))
		return true;
	probe->probes->under_way--;
	return false;
}

static void begin_parked(struct eds_probes *probes)
{
	struct probe **link = &probes->parked;

	probes->freed = false;
	while (*link != NULL && !probes->freed) {
		if (probes->under_way >= EDS_PROBES_AT_ONCE)
			probes->freed = true;
		else if (resume(*link))
			unpark(probes, link);
		else
			link = &(*link)->next;
	}
}

void eds_probes_turn(struct eds_probes *probes)
{
	if (probes->freed)
		begin_parked(probes);
	while (probes->first != NULL) {
		bool blocked = is_blocked(probes, probes->first->owner);

		if (!blocked && probes->under_way >= EDS_PROBES_AT_ONCE)
			break;
		begin_or_answer(take_first(probes), blocked);
	}
}

void eds_probes_cancel(struct eds_probes *probes)
{
	while (probes->first != NULL)
		answered(take_first(probes), EDS_STARTTLS_UNKNOWN, "It could not be asked.", false);
	while (probes->parked != NULL)
		answered(unpark(probes, &probes->parked), EDS_STARTTLS_UNKNOWN,
			"It could not be asked.", false);
}
