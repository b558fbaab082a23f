/* One DNS server, asked through c-ares. The only place that knows c-ares.
 *
 * Releases of c-ares differ, and each is used as far as it goes:
 * - 1.34 can keep answers for an hour; that is switched off, as an analysis is against the DNS of
 * now.
 * - 1.34 chooses time-outs by how fast the server was, once it has had three answers: after as
 * little as a quarter of a second it asks again from another port, and the first answer is lost. So
 * a channel that has had three is spent: it takes no further questions, and is opened anew.
 * - 1.34 asks no name with octets that host names do not have. Nobody's zone has such names but
 * where SPF's macros put a sender into one ("a+b=c"); there the question is a temporary failure.
 * - 1.18 gives up EDNS for good after one FORMERR: then the channel is spent, too.
 */
#ifndef EDS_DNS_CHANNEL_H
#define EDS_DNS_CHANNEL_H

#include <ares.h>
#include <poll.h>

#include "functions/lib/dns/reply.h"

enum {
	EDS_CHANNEL_SERVER_MAX = 64,   /* "[2001:db8::1]:53" and its terminating NUL */
	EDS_CHANNEL_SOCKETS_MAX = 16,  /* UDP, TCP, and those of before that are not closed yet */
	EDS_CHANNEL_EDNS_BYTES = 1232, /* no fragments on any path */
	EDS_CHANNEL_RECEIVE_BYTES = 1024 * 1024, /* a burst of answers must fit */
};

/* The reply to one question, borrowed for the call. again: another try, or another server, may do
 * better. */
typedef void (*eds_channel_done)(void *arg, const struct eds_dns_reply *reply, bool again);

struct eds_channel {
	ares_channel handle; /* NULL: closed */
	char server[EDS_CHANNEL_SERVER_MAX];
	int try_ms;
	size_t asked;    /* questions under way */
	size_t answered; /* since it was opened */
	int inside;      /* calls of c-ares under way: it may not be closed in its own callback */
	bool format_error;
	struct pollfd sockets[EDS_CHANNEL_SOCKETS_MAX];
	size_t socket_count;
};

/* The servers of this machine, as c-ares finds them; at most max. NULL, or what went wrong. */
RT_MUST_USE const char *eds_channel_system_servers(
	char servers[][EDS_CHANNEL_SERVER_MAX], size_t max, size_t *count);

/* server: "ip", "ip:port" or "[ip]:port". try_ms: after so long c-ares may take a question for
 * lost. The channel must stay where it is. NULL, or what went wrong. */
RT_MUST_USE const char *eds_channel_prepare(
	struct eds_channel *channel, const char *server, int try_ms);

/* Opens it now; else the first question does. NULL, or what went wrong. */
RT_MUST_USE const char *eds_channel_open(struct eds_channel *channel);
void eds_channel_close(struct eds_channel *channel);

/* Whether it takes further questions as it is, or once it is opened anew, which it can be now. */
RT_MUST_USE bool eds_channel_is_fresh(const struct eds_channel *channel);
RT_MUST_USE bool eds_channel_is_idle(const struct eds_channel *channel);

/* Sends a question for a normalised name. done is called exactly once, possibly before this
 * returns. */
void eds_channel_ask(struct eds_channel *channel, const char *name, enum eds_dns_type type,
	eds_channel_done done, void *arg);

/* Ends all that is under way: done is called for each. */
void eds_channel_cancel(struct eds_channel *channel);

/* What poll said of one of its sockets. Calls done. */
void eds_channel_handle(struct eds_channel *channel, const struct pollfd *polled);

/* Looks at the clock. Calls done. */
void eds_channel_tick(struct eds_channel *channel);

/* Until c-ares wants to look at its clock, max_ms at most. */
RT_MUST_USE int eds_channel_wait_ms(const struct eds_channel *channel, int max_ms);

#endif
