#include "functions/webhooks/hosts.h"
#include "runtime/time.h"

#include <string.h>

#include "runtime/keyed-hash.h"

enum {
	BUCKETS = 256,
	NEXT_RUN_MS = 60 * 1000,
};

struct host {
	struct host *next;
	const char *account_id;
	const char *name;
	size_t under_way;
	int64_t begun_ms; /* when the first attempt began */
	bool has_answered;
	bool is_silent;
	struct attempt *first; /* attempts that wait, as a list */
	struct attempt **end;
};

struct hosts {
	struct rt_ctx *ctx;
	struct eds_fetcher *fetcher;
	struct rt_hash_key key;
	struct host *buckets[BUCKETS];
	bool is_over;
};

struct hosts *hosts_new(struct rt_ctx *ctx, struct eds_fetcher *fetcher)
{
	struct hosts *hosts = rt_alloc(ctx, sizeof *hosts);

	hosts->ctx = ctx;
	hosts->fetcher = fetcher;
	rt_hash_key_make(&hosts->key);
	return hosts;
}

static struct host *find(struct hosts *hosts, const struct attempt *attempt)
{
	const char *name = attempt->address.host;
	struct host **head = &hosts->buckets[rt_hash(&hosts->key, name, strlen(name)) % BUCKETS];
	struct host *host;

	for (host = *head; host != NULL; host = host->next)
		if (strcmp(host->name, name) == 0 &&
			strcmp(host->account_id, attempt->due->account_id) == 0)
			return host;
	host = rt_alloc(hosts->ctx, sizeof *host);
	host->name = rt_strdup(hosts->ctx, name);
	host->account_id = rt_strdup(hosts->ctx, attempt->due->account_id);
	host->end = &host->first;
	host->begun_ms = rt_monotonic_ms();
	host->next = *head;
	*head = host;
	return host;
}

static struct attempt *take_first(struct host *host)
{
	struct attempt *attempt = host->first;

	host->first = attempt->next;
	if (host->first == NULL)
		host->end = &host->first;
	return attempt;
}

static void put_off(const struct hosts *hosts, struct attempt *attempt)
{
	attempt_postpone(
		attempt, rt_wall_ms() + (hosts->is_over ? 0 : NEXT_RUN_MS), !hosts->is_over);
}

static bool has_room(const struct host *host)
{
	return host->under_way < (size_t)(host->has_answered ? HOSTS_AT_ONCE : HOSTS_FIRST);
}

static bool has_no_patience(const struct host *host)
{
	return !host->has_answered && host->begun_ms < rt_monotonic_ms() - HOSTS_PATIENCE_MS;
}

static void go_on(struct hosts *hosts, struct host *host)
{
	while (host->first != NULL && (host->is_silent || hosts->is_over || has_no_patience(host)))
		put_off(hosts, take_first(host));
	while (host->first != NULL && has_room(host)) {
		host->under_way++;
		attempt_begin(take_first(host), hosts->fetcher);
	}
}

void hosts_add(struct hosts *hosts, struct attempt *attempt)
{
	struct host *host = find(hosts, attempt);

	attempt->next = NULL;
	*host->end = attempt;
	host->end = &attempt->next;
	go_on(hosts, host);
}

void hosts_done(struct hosts *hosts, struct attempt *attempt)
{
	struct host *host = find(hosts, attempt);

	host->under_way--;
	if (attempt->silent)
		host->is_silent = true;
	else if (attempt->due->outcome != EDS_OUTBOX_UNTRIED)
		host->has_answered = true;
	go_on(hosts, host);
}

void hosts_turn(struct hosts *hosts)
{
	for (size_t i = 0; i < BUCKETS; i++)
		for (struct host *host = hosts->buckets[i]; host != NULL; host = host->next)
			go_on(hosts, host);
}

void hosts_cancel(struct hosts *hosts)
{
	hosts->is_over = true;
	for (size_t i = 0; i < BUCKETS; i++)
		for (struct host *host = hosts->buckets[i]; host != NULL; host = host->next)
			go_on(hosts, host);
}
