#include "functions/lib/dns/resolver.h"
#include "runtime/time.h"

#include <stdlib.h>
#include <string.h>

#include "functions/lib/dns/direct.h"
#include "functions/lib/dns/memory.h"
#include "runtime/config/config.h"

struct attempt;

/* One question: in flight, or waiting until a channel to its name server is free. */
struct asked {
	eds_resolver_done done;
	void *arg;
	enum eds_dns_type type;
	int tries;
	size_t server;                /* index of the server that is asked now */
	struct eds_dns_server direct; /* the name server to ask directly; all zero: one of the
				       * resolver's servers is asked */
	struct eds_channel *channel;  /* if `direct` is set: the question's own channel to this
				       * name server; NULL until one is free */
	struct attempt *attempt;      /* the current try; NULL between two tries */
	int64_t until_ms;             /* when the current try ends, on the monotonic clock */
	struct asked *next;           /* the next question in the order in which tries time out */
	struct asked *previous;
	char name[EDS_DNS_NAME_MAX + 1];
};

/* One try as c-ares holds it. A try that took too long is forgotten, not canceled, because c-ares
 * can only cancel all questions of a channel. */
struct attempt {
	struct asked *asked; /* the question; NULL when the try was forgotten */
};

enum {
	CHANNELS = 8, /* channels per server: one takes questions, the others wait for answers */
	SOCKETS_MAX = (EDS_RESOLVER_SERVERS_MAX * CHANNELS + EDS_DIRECT_MAX) *
		EDS_CHANNEL_SOCKETS_MAX,
};

/* Each server has channels of its own, so that we know which server gave which reply: with several
 * servers in one channel, c-ares does not say why the last one failed. */
struct server {
	struct eds_channel channels[CHANNELS];
};

static struct {
	struct server servers[EDS_RESOLVER_SERVERS_MAX];
	size_t count;
	size_t preferred; /* index of the server that gave the last answer; it is asked first */
	struct asked *first;
	struct asked *last;
	struct asked *waiting; /* questions that go directly to the name server of a domain, and
				* wait until a channel is free; linked by next */
	struct asked **waiting_end;
} resolver = {.waiting_end = &resolver.waiting};

/* Splits "ip:port, ip" at the commas and drops the spaces. */
static const char *named_servers(
	const char *list, char servers[][EDS_CHANNEL_SERVER_MAX], size_t *count)
{
	*count = 0;
	for (const char *c = list; *count < EDS_RESOLVER_SERVERS_MAX && *c != '\0';) {
		size_t length = strcspn(c, ", ");

		if (length >= EDS_CHANNEL_SERVER_MAX)
			return "a server's address is too long";
		if (length > 0) {
			memcpy(servers[*count], c, length);
			servers[(*count)++][length] = '\0';
		}
		c += length;
		c += strspn(c, ", ");
	}
	return *count > 0 ? NULL : "no server is named";
}

/* Opens the first channel now, so that a wrong address is reported at once. */
static const char *open_server(struct server *server, const char *address)
{
	const char *wrong = NULL;

	for (size_t i = 0; wrong == NULL && i < CHANNELS; i++)
		wrong = eds_channel_prepare(&server->channels[i], address, EDS_RESOLVER_TRY_MS);
	return wrong != NULL ? wrong : eds_channel_open(&server->channels[0]);
}

static const char *open_servers(void)
{
	const char *named = rt_config()->dns_servers;
	char servers[EDS_RESOLVER_SERVERS_MAX][EDS_CHANNEL_SERVER_MAX];
	size_t count;
	const char *wrong = named[0] != '\0'
		? named_servers(named, servers, &count)
		: eds_channel_system_servers(servers, EDS_RESOLVER_SERVERS_MAX, &count);

	for (size_t i = 0; wrong == NULL && i < count; i++)
		wrong = open_server(&resolver.servers[resolver.count++], servers[i]);
	return wrong;
}

rt_status eds_resolver_open(struct rt_ctx *ctx)
{
	const char *wrong = resolver.count > 0 ? NULL : open_servers();

	if (wrong == NULL)
		return RT_OK;
	eds_resolver_close();
	return rt_fail(
		ctx, RT_INTERNAL, "dns-unavailable", "the resolver cannot be set up: %s", wrong);
}

void eds_resolver_close(void)
{
	eds_resolver_cancel();
	for (; resolver.count > 0; resolver.count--)
		for (size_t i = 0; i < CHANNELS; i++)
			eds_channel_close(&resolver.servers[resolver.count - 1].channels[i]);
	resolver.preferred = 0;
}

/* Adds the question at the end of the list of questions in flight. The list stays in the order in
 * which tries begin and time out, since all tries have the same time limit. */
static void append(struct asked *asked)
{
	asked->next = NULL;
	asked->previous = resolver.last;
	if (resolver.last != NULL)
		resolver.last->next = asked;
	else
		resolver.first = asked;
	resolver.last = asked;
}

static void take_out(struct asked *asked)
{
	if (asked->previous != NULL)
		asked->previous->next = asked->next;
	else
		resolver.first = asked->next;
	if (asked->next != NULL)
		asked->next->previous = asked->previous;
	else
		resolver.last = asked->previous;
}

static const struct eds_dns_reply no_answer = {
	.state = EDS_DNS_TEMPORARY, .failure = EDS_DNS_TIMED_OUT, .reason = "no answer"};

static void finish(struct asked *asked, const struct eds_dns_reply *reply)
{
	if (asked->channel != NULL)
		eds_direct_end(asked->channel);
	asked->done(asked->arg, reply);
	free(asked);
}

static void forget(struct asked *asked)
{
	if (asked->attempt != NULL)
		asked->attempt->asked = NULL;
	asked->attempt = NULL;
}

static void try_server(struct asked *asked);

static bool is_direct(const struct asked *asked)
{
	return asked->direct.ip.family != 0;
}

/* A name server that was asked directly and refuses has answered, so only a missing reply is worth
 * another try. */
static bool may_try_again(const struct asked *asked, const struct eds_dns_reply *reply)
{
	if (is_direct(asked))
		return reply->bytes == NULL && asked->tries < EDS_RESOLVER_DIRECT_TRIES;
	return asked->tries < EDS_RESOLVER_TRIES;
}

static void end_try(struct asked *asked, const struct eds_dns_reply *reply, bool again)
{
	take_out(asked);
	if (again && may_try_again(asked, reply)) {
		asked->server = (asked->server + 1) % resolver.count;
		try_server(asked);
		return;
	}
	if (reply->bytes != NULL && !is_direct(asked))
		resolver.preferred = asked->server;
	finish(asked, reply);
}

static void on_reply(void *arg, const struct eds_dns_reply *reply, bool again)
{
	struct attempt *attempt = arg;
	struct asked *asked = attempt->asked;

	free(attempt);
	if (asked == NULL)
		return;
	asked->attempt = NULL;
	end_try(asked, reply, again);
}

static struct eds_channel *choose_channel(const struct asked *asked)
{
	struct server *server = &resolver.servers[asked->server];
	struct eds_channel *idle = NULL;

	if (is_direct(asked))
		return asked->channel;

	for (size_t i = 0; i < CHANNELS; i++) {
		struct eds_channel *channel = &server->channels[i];

		if (eds_channel_is_fresh(channel))
			return channel;
		if (idle == NULL && eds_channel_is_idle(channel))
			idle = channel;
	}
	return idle != NULL ? idle : &server->channels[0];
}

static void try_server(struct asked *asked)
{
	struct attempt *attempt = eds_dns_memory(sizeof *attempt);

	asked->tries++;
	asked->attempt = attempt;
	asked->until_ms = rt_monotonic_ms() + EDS_RESOLVER_TRY_MS;
	append(asked);
	attempt->asked = asked;
	eds_channel_ask(choose_channel(asked), asked->name, asked->type, on_reply, attempt);
}

static struct asked *new_question(
	const char *name, enum eds_dns_type type, eds_resolver_done done, void *arg)
{
	struct asked *asked = eds_dns_memory(sizeof *asked);

	*asked = (struct asked){
		.done = done, .arg = arg, .type = type, .server = resolver.preferred};
	memcpy(asked->name, name, strnlen(name, EDS_DNS_NAME_MAX));
	return asked;
}

void eds_resolver_ask(const char *name, enum eds_dns_type type, eds_resolver_done done, void *arg)
{
	try_server(new_question(name, type, done, arg));
}

static struct asked *take_waiting(void)
{
	struct asked *asked = resolver.waiting;

	resolver.waiting = asked->next;
	if (resolver.waiting == NULL)
		resolver.waiting_end = &resolver.waiting;
	return asked;
}

static void start_waiting(void)
{
	while (resolver.waiting != NULL && eds_direct_has_room()) {
		struct asked *asked = take_waiting();

		asked->channel = eds_direct_open(&asked->direct);
		try_server(asked);
	}
}

void eds_resolver_ask_server(const struct eds_dns_server *server, const char *name,
	enum eds_dns_type type, eds_resolver_done done, void *arg)
{
	struct asked *asked = new_question(name, type, done, arg);

	asked->direct = *server;
	*resolver.waiting_end = asked;
	resolver.waiting_end = &asked->next;
	start_waiting();
}

static void end_old_tries(void)
{
	int64_t now_ms = rt_monotonic_ms();

	while (resolver.first != NULL && resolver.first->until_ms <= now_ms) {
		forget(resolver.first);
		end_try(resolver.first, &no_answer, true);
	}
}

static size_t channel_count(void)
{
	return resolver.count * CHANNELS + eds_direct_count();
}

static struct eds_channel *channel_at(size_t i)
{
	if (i >= resolver.count * CHANNELS)
		return eds_direct_at(i - resolver.count * CHANNELS);
	return &resolver.servers[i / CHANNELS].channels[i % CHANNELS];
}

/* Milliseconds until the oldest try ends or the next time-out of c-ares, at most max_ms. */
static int wait_ms(int max_ms)
{
	int64_t left_ms = max_ms;

	if (resolver.first != NULL)
		left_ms = resolver.first->until_ms - rt_monotonic_ms();
	if (left_ms > max_ms)
		left_ms = max_ms;
	if (left_ms < 0)
		left_ms = 0;
	for (size_t i = 0; i < channel_count(); i++)
		left_ms = eds_channel_wait_ms(channel_at(i), (int)left_ms);
	return (int)left_ms;
}

struct poll_set {
	struct pollfd polled[SOCKETS_MAX + 1];
	struct eds_channel *channels[SOCKETS_MAX]; /* which channel each polled socket belongs to */
	size_t count;
};

static void add_sockets(struct poll_set *set, struct eds_channel *channel)
{
	for (size_t i = 0; i < channel->socket_count; i++) {
		set->polled[set->count] = channel->sockets[i];
		set->channels[set->count++] = channel;
	}
}

bool eds_resolver_turn(int fd, int max_ms)
{
	/* without RT_UNSET the compiler would set all 22 KB to zero in each turn */
	struct poll_set set RT_UNSET;

	set.count = 0;
	for (size_t i = 0; i < channel_count(); i++)
		add_sockets(&set, channel_at(i));
	set.polled[set.count] = (struct pollfd){.fd = fd, .events = POLLIN};
	if (poll(set.polled, set.count + 1, wait_ms(max_ms)) < 0)
		return false; /* a signal interrupted poll(): the caller checks its deadline and
			       * calls again */
	for (size_t i = 0; i < set.count; i++)
		if (set.polled[i].revents != 0)
			eds_channel_handle(set.channels[i], &set.polled[i]);
	for (size_t i = 0; i < channel_count(); i++)
		eds_channel_tick(channel_at(i));
	end_old_tries();
	eds_direct_close_ended();
	start_waiting();
	return set.polled[set.count].revents != 0;
}

/* Empties the lists of questions in flight and of waiting ones, and returns all of them. */
static struct asked *take_all(void)
{
	struct asked *all = resolver.first;

	if (resolver.last != NULL)
		resolver.last->next = resolver.waiting;
	else
		all = resolver.waiting;
	resolver.first = resolver.last = resolver.waiting = NULL;
	resolver.waiting_end = &resolver.waiting;
	return all;
}

/* Takes all questions out first, because a callback may ask a further question, which must not be
 * canceled. */
void eds_resolver_cancel(void)
{
	struct asked *asked = take_all();

	for (struct asked *each = asked; each != NULL; each = each->next)
		forget(each);
	for (size_t i = 0; i < channel_count(); i++)
		eds_channel_cancel(channel_at(i));
	while (asked != NULL) {
		struct asked *next = asked->next;

		finish(asked, &no_answer);
		asked = next;
	}
	eds_direct_close_ended();
}
