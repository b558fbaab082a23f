#include "runtime/host/pool/pool-turns.h"

#include <stdlib.h>

#include "runtime/arena.h"

struct pool_sender {
	uint64_t key;
	struct pool_sender *next; /* next in the order of turns */
	struct pool_queue waiting;
	size_t under_way;
};

void pool_turns_init(struct pool_turns *turns, size_t places)
{
	*turns = (struct pool_turns){.places = places};
}

/* The link that points to the sender with this key, or the link at the end of the list if there is
 * none. A linear search is enough: there are no more senders than events, some hundreds. */
static struct pool_sender **link_to(struct pool_turns *turns, uint64_t key)
{
	struct pool_sender **link = &turns->first;

	while (*link != NULL && (*link)->key != key)
		link = &(*link)->next;
	return link;
}

static struct pool_sender *sender_of(struct pool_turns *turns, uint64_t key)
{
	struct pool_sender **link = link_to(turns, key);

	if (*link != NULL)
		return *link;
	*link = rt_heap_alloc(sizeof **link);
	(*link)->key = key;
	pool_queue_init(&(*link)->waiting);
	return *link;
}

static void forget_idle(struct pool_turns *turns, struct pool_sender *sender)
{
	struct pool_sender **link = link_to(turns, sender->key);

	if (sender->waiting.count > 0 || sender->under_way > 0)
		return;
	*link = sender->next;
	free(sender);
}

static void move_to_end(struct pool_turns *turns, struct pool_sender *sender)
{
	struct pool_sender **link = link_to(turns, sender->key);

	*link = sender->next;
	sender->next = NULL;
	while (*link != NULL)
		link = &(*link)->next;
	*link = sender;
}

static bool may_begin(const struct pool_turns *turns, const struct pool_sender *sender)
{
	return sender->key == 0 ||
		(turns->under_way < turns->places &&
			sender->under_way < turns->places - turns->under_way);
}

static void begin(struct pool_turns *turns, struct pool_sender *sender)
{
	sender->under_way++;
	if (sender->key != 0)
		turns->under_way++;
	move_to_end(turns, sender);
}

static struct pool_waiting *take_first(struct pool_turns *turns, struct pool_sender *sender)
{
	struct pool_waiting *waiting = pool_queue_pop(&sender->waiting);

	turns->count--;
	return waiting;
}

void pool_turns_push(struct pool_turns *turns, uint64_t key, struct pool_waiting *waiting)
{
	struct pool_sender *sender = sender_of(turns, key);

	waiting->sender = sender;
	pool_queue_push(&sender->waiting, waiting);
	turns->count++;
}

struct pool_waiting *pool_turns_next(const struct pool_turns *turns)
{
	for (struct pool_sender *sender = turns->first; sender != NULL; sender = sender->next)
		if (sender->waiting.count > 0 && may_begin(turns, sender))
			return sender->waiting.first;
	return NULL;
}

struct pool_sender *pool_turns_begin(struct pool_turns *turns, struct pool_waiting *waiting)
{
	struct pool_sender *sender = waiting->sender;

	take_first(turns, sender);
	begin(turns, sender);
	return sender;
}

struct pool_sender *pool_turns_begin_at_once(struct pool_turns *turns, uint64_t key)
{
	struct pool_sender *sender = sender_of(turns, key);

	if (sender->waiting.count > 0 || !may_begin(turns, sender)) {
		forget_idle(turns, sender);
		return NULL;
	}
	begin(turns, sender);
	return sender;
}

void pool_turns_end(struct pool_turns *turns, struct pool_sender *sender)
{
	sender->under_way--;
	if (sender->key != 0)
		turns->under_way--;
	forget_idle(turns, sender);
}

bool pool_turns_leave_out(const struct pool_turns *turns)
{
	for (const struct pool_sender *sender = turns->first; sender != NULL; sender = sender->next)
		if (sender->waiting.count > 0 && sender->under_way == 0)
			return true;
	return false;
}

bool pool_turns_may_follow(const struct pool_sender *sender)
{
	return sender->waiting.count > 0;
}

struct pool_waiting *pool_turns_follow(struct pool_turns *turns, struct pool_sender *sender)
{
	return take_first(turns, sender);
}

void pool_turns_put_back(
	struct pool_turns *turns, struct pool_sender *sender, struct pool_queue *events)
{
	turns->count += events->count;
	pool_queue_put_front(&sender->waiting, events);
}

static struct pool_waiting *take_and_forget(struct pool_turns *turns, struct pool_sender *sender)
{
	struct pool_waiting *waiting = take_first(turns, sender);

	forget_idle(turns, sender);
	return waiting;
}

struct pool_waiting *pool_turns_expired(struct pool_turns *turns, int64_t before_ms)
{
	for (struct pool_sender *sender = turns->first; sender != NULL; sender = sender->next)
		if (sender->waiting.count > 0 && sender->waiting.first->since_ms < before_ms)
			return take_and_forget(turns, sender);
	return NULL;
}

/* Takes the event to which the link points, from anywhere in the sender's queue. */
static struct pool_waiting *take_at(
	struct pool_turns *turns, struct pool_sender *sender, struct pool_waiting **link)
{
	struct pool_waiting *taken = pool_queue_take(&sender->waiting, link);

	turns->count--;
	forget_idle(turns, sender);
	return taken;
}

static struct pool_waiting *take_last(struct pool_turns *turns, struct pool_sender *sender)
{
	struct pool_waiting **link = &sender->waiting.first;

	while ((*link)->next != NULL)
		link = &(*link)->next;
	return take_at(turns, sender, link);
}

void pool_turns_sender_left(struct pool_turns *turns, uint64_t key, const void *arg)
{
	const struct pool_sender *sender = *link_to(turns, key);

	if (sender == NULL)
		return;
	for (struct pool_waiting *w = sender->waiting.first; w != NULL; w = w->next)
		if (w->event.arg == arg)
			w->left = true;
}

/* Takes an event whose sender has left; NULL when there is none. */
static struct pool_waiting *take_left(struct pool_turns *turns)
{
	for (struct pool_sender *sender = turns->first; sender != NULL; sender = sender->next)
		for (struct pool_waiting **link = &sender->waiting.first; *link != NULL;
			link = &(*link)->next)
			if ((*link)->left)
				return take_at(turns, sender, link);
	return NULL;
}

struct pool_waiting *pool_turns_give_way(struct pool_turns *turns, uint64_t key)
{
	const struct pool_sender *own = *link_to(turns, key);
	size_t own_count = own != NULL ? own->waiting.count : 0;
	struct pool_sender *most = NULL;
	struct pool_waiting *left = take_left(turns);

	if (left != NULL)
		return left;
	for (struct pool_sender *sender = turns->first; sender != NULL; sender = sender->next)
		/* Events with key 0 are never removed. The sender that loses an event
		 * must keep at least as many events as the sender of the new event will have. */
		if (sender->key != 0 && sender->waiting.count > own_count + 1 &&
			(most == NULL || sender->waiting.count > most->waiting.count))
			most = sender;
	return most != NULL ? take_last(turns, most) : NULL;
}

struct pool_waiting *pool_turns_any(struct pool_turns *turns)
{
	for (struct pool_sender *sender = turns->first; sender != NULL; sender = sender->next)
		if (sender->waiting.count > 0)
			return take_and_forget(turns, sender);
	return NULL;
}
