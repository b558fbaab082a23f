#include "local/dispatch/fair-queue.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/ctx.h"
#include "runtime/ip.h"

enum {
	IPV6_CLIENT_BYTES = 8, /* octets of a /64, which counts as one client */
};

struct fair_client {
	struct rt_ip ip;
	size_t entries; /* number of the client's entries, in whatever state */
	size_t under_way;
	struct fair_share put_off; /* the client's entries that are put off */
	struct fair_entry *first;  /* list of waiting entries */
	struct fair_entry **last;
	struct fair_client *next_turn;
	struct fair_client *next_in_bucket;
};

void fair_queue_init(struct fair_queue *queue, size_t places)
{
	queue->places = places;
	queue->last_turn = &queue->first_turn;
	rt_random(&queue->key, sizeof queue->key);
}

static struct rt_ip client_of(const char *text)
{
	struct rt_ip ip;

	if (rt_ip_parse(text, &ip) && ip.family == AF_INET6)
		memset(ip.bytes + IPV6_CLIENT_BYTES, 0, sizeof ip.bytes - IPV6_CLIENT_BYTES);
	return ip;
}

static struct fair_client **bucket_of(struct fair_queue *queue, const struct rt_ip *ip)
{
	const uint64_t odd = 0x9e3779b97f4a7c15; /* odd, so that multiplying by it loses no bits */
	uint64_t hash = queue->key ^ (uint64_t)ip->family;

	for (size_t i = 0; i < sizeof ip->bytes; i++) {
		hash = (hash ^ ip->bytes[i]) * odd;
		hash ^= hash >> 32;
	}
	return &queue->buckets[hash % FAIR_BUCKETS];
}

bool fair_join(struct fair_queue *queue, struct fair_entry *entry, const char *client_ip)
{
	struct rt_ip ip = client_of(client_ip);
	struct fair_client **bucket = bucket_of(queue, &ip);
	struct fair_client *client = *bucket;

	while (client != NULL && !rt_ip_equal(&client->ip, &ip))
		client = client->next_in_bucket;
	if (client == NULL) {
		client = calloc(1, sizeof *client);
		if (client == NULL)
			return false;
		*client = (struct fair_client){
			.ip = ip, .last = &client->first, .next_in_bucket = *bucket};
		*bucket = client;
	}
	client->entries++;
	entry->client = client;
	return true;
}

static void add_to(struct fair_share *share, size_t octets)
{
	share->entries++;
	share->octets += octets;
}

static void take_from(struct fair_share *share, size_t octets)
{
	share->entries--;
	share->octets -= octets;
}

static bool has_room(
	const struct fair_share *share, size_t entries_max, size_t octets_max, size_t octets)
{
	return share->entries < entries_max && octets <= octets_max &&
		share->octets <= octets_max - octets;
}

bool fair_may_be_put_off(
	const struct fair_queue *queue, const struct fair_entry *entry, size_t octets)
{
	return entry->is_put_off ||
		(has_room(&entry->client->put_off, FAIR_PUT_OFF_CLIENT, FAIR_PUT_OFF_CLIENT_BYTES,
			 octets) &&
			has_room(
				&queue->put_off, FAIR_PUT_OFF_ALL, FAIR_PUT_OFF_ALL_BYTES, octets));
}

void fair_put_off(struct fair_queue *queue, struct fair_entry *entry, size_t octets)
{
	if (entry->is_put_off)
		return;
	entry->is_put_off = true;
	entry->octets = octets;
	add_to(&queue->put_off, octets);
	add_to(&entry->client->put_off, octets);
}

void fair_leave(struct fair_queue *queue, struct fair_entry *entry)
{
	struct fair_client *client = entry->client;
	struct fair_client **link = bucket_of(queue, &client->ip);

	if (entry->is_put_off) {
		take_from(&queue->put_off, entry->octets);
		take_from(&client->put_off, entry->octets);
	}
	if (--client->entries > 0)
		return;
	while (*link != client)
		link = &(*link)->next_in_bucket;
	*link = client->next_in_bucket;
	free(client);
}

static void queue_turn(struct fair_queue *queue, struct fair_client *client)
{
	client->next_turn = NULL;
	*queue->last_turn = client;
	queue->last_turn = &client->next_turn;
}

void fair_wait(struct fair_queue *queue, struct fair_entry *entry)
{
	struct fair_client *client = entry->client;

	if (client->first == NULL)
		queue_turn(queue, client);
	entry->next = NULL;
	*client->last = entry;
	client->last = &entry->next;
}

/* The client that has the next turn. A client that holds at least as many places as are free is
 * skipped and keeps its turn. Each skipped client holds a place, so the loop skips no more clients
 * than there are places. */
static struct fair_client *take_turn(struct fair_queue *queue)
{
	struct fair_client **link = &queue->first_turn;
	struct fair_client *client;

	while (*link != NULL && (*link)->under_way >= queue->places - queue->under_way)
		link = &(*link)->next_turn;
	client = *link;
	if (client == NULL)
		return NULL;
	*link = client->next_turn;
	if (*link == NULL)
		queue->last_turn = link;
	return client;
}

struct fair_entry *fair_take(struct fair_queue *queue)
{
	struct fair_client *client;
	struct fair_entry *entry;

	if (queue->under_way == queue->places)
		return NULL;
	client = take_turn(queue);
	if (client == NULL)
		return NULL;
	entry = client->first;
	client->first = entry->next;
	if (client->first == NULL)
		client->last = &client->first;
	else
		queue_turn(queue, client);
	client->under_way++;
	queue->under_way++;
	return entry;
}

void fair_end(struct fair_queue *queue, const struct fair_entry *entry)
{
	entry->client->under_way--;
	queue->under_way--;
}
