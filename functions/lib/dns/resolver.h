/* The resolver of the process, kept across events: it asks one server after the other, each for a
 * limited time (channel.h), until one answers, and returns the bytes of the reply. answer.h
 * interprets them; dns.c manages the callers that wait.
 */
#ifndef EDS_DNS_RESOLVER_H
#define EDS_DNS_RESOLVER_H

#include "functions/lib/dns/reply.h"

enum {
	EDS_RESOLVER_SERVERS_MAX = 3, /* maximum number of servers; further ones are ignored, as in
				       * resolv.conf */
	EDS_RESOLVER_TRIES = 3,       /* maximum number of tries of one question, over the servers
				       * in turn */
	EDS_RESOLVER_TRY_MS = 1500,
	EDS_RESOLVER_DIRECT_TRIES = 2, /* maximum number of tries of a question that goes to a name
					* server directly */
	EDS_RESOLVER_QUESTION_MS = EDS_RESOLVER_TRIES * EDS_RESOLVER_TRY_MS,
};

/* Opens the resolver unless it is open, with the servers of EDS_DNS_SERVERS or the system's. Fails
 * with RT_INTERNAL "dns-unavailable" when no server can be asked. */
RT_MUST_USE rt_status eds_resolver_open(struct rt_ctx *ctx);
void eds_resolver_close(void);

/* Receives the reply to one question, borrowed for the call. */
typedef void (*eds_resolver_done)(void *arg, const struct eds_dns_reply *reply);

/* Sends a question for a normalized name. done is called exactly once, possibly before this
 * returns. */
void eds_resolver_ask(const char *name, enum eds_dns_type type, eds_resolver_done done, void *arg);

/* Sends a question for a normalized name directly to this name server, without recursion. done is
 * called exactly once, possibly before this returns. The question waits while too many questions to
 * name servers are in flight. It is repeated only when no answer comes. */
void eds_resolver_ask_server(const struct eds_dns_server *server, const char *name,
	enum eds_dns_type type, eds_resolver_done done, void *arg);

/* Waits until a reply arrives, fd (-1 for none) is readable or closed by its peer, or max_ms have
 * passed; handles the replies. True when fd is ready. */
bool eds_resolver_turn(int fd, int max_ms);

/* Ends every question in flight and calls done for each, without a reply. */
void eds_resolver_cancel(void);

#endif
