#include "functions/lib/dns/dns.h"
#include "runtime/time.h"

#include <stdlib.h>
#include <string.h>

#include "functions/lib/dns/answer.h"
#include "functions/lib/dns/counted.h"
#include "functions/lib/dns/memory.h"
#include "functions/lib/dns/name.h"
#include "functions/lib/dns/own-names.h"
#include "functions/lib/dns/resolver.h"
#include "runtime/keyed-hash.h"

enum {
	BUCKETS = 256, /* size of the hash table: a power of two above EDS_DNS_QUERIES_MAX */
};

struct waiter {
	struct waiter *next;
	eds_dns_callback callback;
	void *arg;
};

struct question {
	struct eds_dns *dns;
	struct eds_dns_server server; /* the name server to ask directly; all zero: the question
				       * goes to the resolver */
	struct eds_dns_answer answer; /* name and type are set first, the rest when answered */
	bool answered;
	bool public_only;
	int64_t asked_ms;
	struct link *link; /* NULL unless the question is in flight */
	struct waiter *waiters;
	struct question *next; /* the next question in the order of asking */
	struct question *next_in_bucket;
};

/* The resolver's reference to a question. It is heap memory, so that a reply after the question
 * was answered or the event ended finds NULL here instead of pointing into freed memory. */
struct link {
	struct question *question; /* NULL when nothing waits for the reply any more */
};

struct eds_dns {
	struct rt_ctx *ctx;
	struct eds_dns *next_open;
	struct rt_hash_key key;
	struct question *buckets[BUCKETS];
	struct question *first;
	struct question **end;
	struct question *oldest; /* every question asked before this one has its answer */
	size_t sent;
	size_t answers_bytes; /* memory that the answers take up */
	size_t in_flight;
	bool never_waits;
	bool public_only;
};

static struct eds_dns *open_views; /* a list with one struct for each current event; only
				    * tests have several current events */

static void forget(struct question *question)
{
	if (question->link != NULL)
		question->link->question = NULL;
	question->link = NULL;
}

static void close_view(void *handle)
{
	struct eds_dns *dns = handle;
	struct eds_dns **at = &open_views;

	while (*at != dns)
		at = &(*at)->next_open;
	*at = dns->next_open;
	for (struct question *q = dns->first; q != NULL; q = q->next)
		forget(q);
	if (open_views == NULL)
		eds_resolver_cancel();
}

rt_status eds_dns_open(struct rt_ctx *ctx, struct eds_dns **dns)
{
	for (struct eds_dns *open = open_views; open != NULL; open = open->next_open)
		if (open->ctx == ctx) {
			*dns = open;
			return RT_OK;
		}
	RT_TRY(eds_resolver_open(ctx));
	*dns = rt_alloc(ctx, sizeof **dns);
	(*dns)->ctx = ctx;
	(*dns)->end = &(*dns)->first;
	(*dns)->public_only = eds_dns_keeps_own_names();
	(*dns)->next_open = open_views;
	open_views = *dns;
	rt_on_release(ctx, close_view, *dns);
	return RT_OK;
}

/* Marks the question answered and calls its waiters; a waiter may ask further questions. */
static void answered(struct question *question)
{
	question->answered = true;
	if (question->link != NULL)
		question->dns->in_flight--;
	forget(question);
	while (question->waiters != NULL) {
		struct waiter *waiter = question->waiters;

		question->waiters = waiter->next;
		waiter->callback(waiter->arg, &question->answer);
	}
}

static void answer_unasked(struct question *question, enum eds_dns_state state, const char *reason)
{
	question->answer.state = state;
	question->answer.reason = reason;
	answered(question);
}

static bool is_direct(const struct question *question)
{
	return question->server.ip.family != 0;
}

/* Leaves out questions to name servers of domains: the counts show whether our resolver works. */
static void count(const struct question *question)
{
	if (!is_direct(question))
		eds_dns_count(&question->answer);
}

/* Ends the question because the time is over. A question to a name server of a domain can still be
 * unsent, so it does not count as that server's time-out. */
static void time_out(struct question *question)
{
	question->answer.state = EDS_DNS_TEMPORARY;
	question->answer.failure = is_direct(question) ? EDS_DNS_OTHER_FAILURE : EDS_DNS_TIMED_OUT;
	question->answer.reason = "no answer";
	count(question);
	answered(question);
}

/* True when the name is not in the public DNS and no question may be sent for it. CAA questions for
 * a single label are sent: a top-level domain may have CAA records that also apply to the names
 * below it. */
static bool is_withheld(const struct question *question)
{
	const struct eds_dns_answer *answer = &question->answer;

	if (answer->type == EDS_DNS_CAA && strchr(answer->name, '.') == NULL)
		return false;
	return question->public_only && !eds_dns_name_is_public(answer->name);
}

static void take_reply(struct question *question, const struct eds_dns_reply *reply)
{
	struct eds_dns *dns = question->dns;
	struct eds_dns_answer *answer = &question->answer;
	size_t bytes = eds_dns_answer_memory(reply->bytes, reply->length, answer->type);

	if (bytes > EDS_DNS_ANSWERS_BYTES_MAX - dns->answers_bytes) {
		answer->state = EDS_DNS_TEMPORARY;
		answer->reason = "the DNS answers together are too large";
		return;
	}
	dns->answers_bytes += bytes;
	eds_dns_answer_read(
		dns->ctx, reply->bytes, reply->length, answer->name, answer->type, answer);
	if (question->public_only)
		eds_dns_keep_own_name(answer);
}

static void on_reply(void *arg, const struct eds_dns_reply *reply)
{
	struct question *question = ((struct link *)arg)->question;

	free(arg);
	if (question == NULL)
		return;
	question->link = NULL;
	question->dns->in_flight--;
	if (reply->bytes != NULL) {
		take_reply(question, reply);
	} else {
		question->answer.state = reply->state;
		question->answer.failure = reply->failure;
		question->answer.reason = reply->reason;
	}
	count(question);
	answered(question);
}

static void send_question(struct question *question)
{
	struct eds_dns *dns = question->dns;
	struct link *link;

	if (dns->sent == EDS_DNS_QUERIES_MAX) {
		answer_unasked(question, EDS_DNS_TEMPORARY, "too many DNS queries for one message");
		return;
	}
	if (rt_remaining_ms(dns->ctx) == 0) {
		answer_unasked(question, EDS_DNS_TEMPORARY, "no time left");
		return;
	}
	link = eds_dns_memory(sizeof *link);
	link->question = question;
	question->link = link;
	question->asked_ms = rt_monotonic_ms();
	dns->sent++;
	dns->in_flight++;
	if (is_direct(question))
		eds_resolver_ask_server(&question->server, question->answer.name,
			question->answer.type, on_reply, link);
	else
		eds_resolver_ask(question->answer.name, question->answer.type, on_reply, link);
}

static struct question **bucket(struct eds_dns *dns, const char *name, enum eds_dns_type type)
{
	return &dns->buckets[(rt_hash(&dns->key, name, strlen(name)) ^ type) % BUCKETS];
}

static const struct eds_dns_server the_resolver;

static bool same_server(const struct eds_dns_server *a, const struct eds_dns_server *b)
{
	return a->port == b->port && rt_ip_equal(&a->ip, &b->ip);
}

static struct question *find(struct question *head, const struct eds_dns_server *server,
	const char *name, enum eds_dns_type type)
{
	for (struct question *q = head; q != NULL; q = q->next_in_bucket)
		if (q->answer.type == type && same_server(&q->server, server) &&
			strcmp(q->answer.name, name) == 0)
			return q;
	return NULL;
}

static struct question *add(struct eds_dns *dns, const struct eds_dns_server *server,
	const char *name, enum eds_dns_type type)
{
	struct question **head = bucket(dns, name, type);
	struct question *question = rt_alloc(dns->ctx, sizeof *question);

	question->dns = dns;
	question->server = *server;
	question->public_only = dns->public_only;
	question->answer.name = question->answer.canonical = rt_strdup(dns->ctx, name);
	question->answer.type = type;
	question->answer.reason = "";
	question->next_in_bucket = *head;
	*head = question;
	*dns->end = question;
	dns->end = &question->next;
	if (dns->oldest == NULL)
		dns->oldest = question;
	return question;
}

/* Returns the question, and sends it if it is new. If the name is from the operator's settings
 * (public_only is false), an earlier question that was withheld does not count: a stranger who used
 * the name earlier in this event must not decide the answer. */
static struct question *ask(struct eds_dns *dns, const struct eds_dns_server *server,
	const char *name, enum eds_dns_type type)
{
	char text[EDS_DNS_NAME_MAX + 1];
	bool possible = eds_dns_name_normalize(name, text);
	const char *key = possible ? text : rt_lower(dns->ctx, name);
	struct question *question = find(*bucket(dns, key, type), server, key, type);

	if (question != NULL && (dns->public_only || !is_withheld(question)))
		return question;
	question = add(dns, server, key, type);
	if (possible && !is_withheld(question))
		send_question(question);
	else
		answer_unasked(question, EDS_DNS_NO_NAME, "");
	return question;
}

void eds_dns_start(struct eds_dns *dns, const char *name, enum eds_dns_type type)
{
	(void)ask(dns, &the_resolver, name, type);
}

void eds_dns_start_own(struct eds_dns *dns, const char *name, enum eds_dns_type type)
{
	bool public_only = dns->public_only;

	dns->public_only = false;
	(void)ask(dns, &the_resolver, name, type);
	dns->public_only = public_only;
}

void eds_dns_when(struct eds_dns *dns, const char *name, enum eds_dns_type type,
	eds_dns_callback callback, void *arg)
{
	struct question *question = ask(dns, &the_resolver, name, type);
	struct waiter **end = &question->waiters;
	struct waiter *waiter;

	if (question->answered) {
		callback(arg, &question->answer);
		return;
	}
	while (*end != NULL)
		end = &(*end)->next;
	waiter = rt_alloc(dns->ctx, sizeof *waiter);
	waiter->callback = callback;
	waiter->arg = arg;
	*end = waiter;
}

void eds_dns_public_only(struct eds_dns *dns)
{
	dns->public_only = true;
}

void eds_dns_never_wait(struct eds_dns *dns)
{
	dns->never_waits = true;
}

size_t eds_dns_in_flight(const struct eds_dns *dns)
{
	return dns->in_flight;
}

static const struct eds_dns_answer *not_yet(const struct question *question)
{
	struct eds_dns_answer *answer = rt_alloc(question->dns->ctx, sizeof *answer);

	*answer = question->answer;
	answer->state = EDS_DNS_TEMPORARY;
	answer->reason = "no answer yet";
	return answer;
}

static const struct eds_dns_answer *await(struct question *question)
{
	if (!question->answered && question->dns->never_waits)
		return not_yet(question);
	while (!question->answered)
		eds_dns_step(question->dns, -1, EDS_RESOLVER_QUESTION_MS);
	return &question->answer;
}

const struct eds_dns_answer *eds_dns_get(
	struct eds_dns *dns, const char *name, enum eds_dns_type type)
{
	return await(ask(dns, &the_resolver, name, type));
}

const struct eds_dns_answer *eds_dns_get_from(struct eds_dns *dns,
	const struct eds_dns_server *server, const char *name, enum eds_dns_type type)
{
	return await(ask(dns, server, name, type));
}

static struct question *find_asked(struct eds_dns *dns, const struct eds_dns_server *server,
	const char *name, enum eds_dns_type type)
{
	char text[EDS_DNS_NAME_MAX + 1];
	const char *key = eds_dns_name_normalize(name, text) ? text : rt_lower(dns->ctx, name);

	return find(*bucket(dns, key, type), server, key, type);
}

bool eds_dns_was_asked_from(struct eds_dns *dns, const struct eds_dns_server *server,
	const char *name, enum eds_dns_type type)
{
	return find_asked(dns, server, name, type) != NULL;
}

const struct eds_dns_answer *eds_dns_peek(
	struct eds_dns *dns, const char *name, enum eds_dns_type type)
{
	struct question *question = find_asked(dns, &the_resolver, name, type);

	return question != NULL && question->answered ? &question->answer : NULL;
}

/* Milliseconds until the oldest question in flight times out, or the event reaches its deadline. */
static int patience_ms(struct eds_dns *dns)
{
	int remaining_ms = rt_remaining_ms(dns->ctx);
	int64_t left_ms;

	while (dns->oldest != NULL && dns->oldest->answered)
		dns->oldest = dns->oldest->next;
	if (dns->oldest == NULL)
		return remaining_ms;
	left_ms = dns->oldest->asked_ms + EDS_RESOLVER_QUESTION_MS - rt_monotonic_ms();
	if (left_ms < 0)
		left_ms = 0;
	return left_ms < remaining_ms ? (int)left_ms : remaining_ms;
}

/* Answers questions that timed out, so that every question gets an answer in any case. */
static void give_up(struct eds_dns *dns)
{
	while (dns->in_flight > 0 && patience_ms(dns) == 0)
		time_out(dns->oldest);
}

bool eds_dns_step(struct eds_dns *dns, int fd, int max_ms)
{
	int patience = patience_ms(dns);
	bool ready;

	if (fd < 0 && dns->in_flight == 0)
		return false;
	ready = eds_resolver_turn(fd, patience < max_ms ? patience : max_ms);
	give_up(dns);
	return ready;
}

void eds_dns_settle(struct eds_dns *dns, int max_ms)
{
	int64_t until_ms = rt_monotonic_ms() + max_ms;
	int64_t left_ms = max_ms;

	while (dns->in_flight > 0 && left_ms > 0) {
		eds_dns_step(dns, -1, (int)left_ms);
		left_ms = until_ms - rt_monotonic_ms();
	}
}

size_t eds_dns_answers(struct eds_dns *dns, const struct eds_dns_answer **answers, size_t max)
{
	size_t count = 0;

	for (struct question *q = dns->first; q != NULL && count < max; q = q->next)
		if (q->answered && !is_direct(q))
			answers[count++] = &q->answer;
	return count;
}

size_t eds_dns_query_count(const struct eds_dns *dns)
{
	return dns->sent;
}
