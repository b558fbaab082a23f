/* One DNS server, asked through c-ares. No other file uses c-ares.
 *
 * Releases of c-ares differ; the channel works around these differences:
 * - 1.34 can cache answers for an hour; the channel switches that off, since an analysis must see
 * the current DNS.
 * - After three answers, 1.34 chooses time-outs by the speed of the server: c-ares may ask again
 * from another port after a quarter of a second, and the answer to the first try is lost. So a
 * channel is spent after three answers: the next question reopens the channel, unless other
 * questions are still in flight.
 * - 1.34 refuses names with octets that host names do not have. Such names occur mainly where an
 * SPF macro puts a sender into a name ("a+b=c"); the question for such a name fails temporarily.
 * - 1.18 stops using EDNS for good after one FORMERR; the channel is then spent, too.
 */
#ifndef EDS_DNS_CHANNEL_H
#define EDS_DNS_CHANNEL_H

#include <ares.h>
#include <poll.h>

#include "functions/lib/dns/reply.h"

enum {
	EDS_CHANNEL_SERVER_MAX = 64,   /* octets of a text like "[2001:db8::1]:53" with the longest
					* address, and its NUL */
	EDS_CHANNEL_SOCKETS_MAX = 16,  /* one socket for UDP, one for TCP, and earlier sockets that
					* are not closed yet */
	EDS_CHANNEL_EDNS_BYTES = 1232, /* size announced with EDNS: small enough to avoid fragments
					* on any path */
	EDS_CHANNEL_RECEIVE_BYTES = 1024 * 1024, /* octets of the receive buffer, which must hold a
						  * burst of answers */
};

/* Receives the reply to one question, borrowed for the call. `again` is true when another try or
 * another server may succeed. */
typedef void (*eds_channel_done)(void *arg, const struct eds_dns_reply *reply, bool again);

struct eds_channel {
	ares_channel handle; /* c-ares's channel; NULL when closed */
	char server[EDS_CHANNEL_SERVER_MAX];
	int try_ms;
	bool without_recursion; /* does not ask the server to query other servers */
	size_t asked;           /* questions in flight */
	size_t answered;        /* answers since the channel was opened */
	int inside; /* depth of calls into c-ares: a callback must not close its own channel */
	bool format_error;
	struct pollfd sockets[EDS_CHANNEL_SOCKETS_MAX];
	size_t socket_count;
};

/* Lists the DNS servers of this machine as c-ares finds them, at most max. Returns NULL, or the
 * error as a sentence part. */
RT_MUST_USE const char *eds_channel_system_servers(
	char servers[][EDS_CHANNEL_SERVER_MAX], size_t max, size_t *count);

/* Sets the channel up for a server: "ip", "ip:port" or "[ip]:port". try_ms: the time after which
 * c-ares may treat a question as lost. The channel must not move in memory. Returns NULL, or the
 * error. */
RT_MUST_USE const char *eds_channel_prepare(
	struct eds_channel *channel, const char *server, int try_ms);

/* Opens the channel now; otherwise the first question opens it. Returns NULL, or the error. */
RT_MUST_USE const char *eds_channel_open(struct eds_channel *channel);
void eds_channel_close(struct eds_channel *channel);

/* True when the channel is open and not spent: it takes further questions without being opened
 * again. */
RT_MUST_USE bool eds_channel_is_fresh(const struct eds_channel *channel);

/* True when no question is in flight and no callback runs: the channel can be closed and reopened
 * now. */
RT_MUST_USE bool eds_channel_is_idle(const struct eds_channel *channel);

/* Sends a question for a normalized name. done is called exactly once, possibly before this
 * returns. */
void eds_channel_ask(struct eds_channel *channel, const char *name, enum eds_dns_type type,
	eds_channel_done done, void *arg);

/* Ends all questions in flight and calls done for each. */
void eds_channel_cancel(struct eds_channel *channel);

/* Handles the result of poll() for one of the channel's sockets. May call done. */
void eds_channel_handle(struct eds_channel *channel, const struct pollfd *polled);

/* Lets c-ares handle its time-outs. May call done. */
void eds_channel_tick(struct eds_channel *channel);

/* Milliseconds until the next time-out of c-ares, at most max_ms. */
RT_MUST_USE int eds_channel_wait_ms(const struct eds_channel *channel, int max_ms);

#endif
