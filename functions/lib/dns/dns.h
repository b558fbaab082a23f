/* DNS lookups for all code: asynchronous, through c-ares, with a cache for each event.
 *
 * Callers first send all questions, then evaluate the answers in plain serial code: eds_dns_start()
 * sends a question and returns at once, eds_dns_when() chains the next question to an answer,
 * eds_dns_get() waits for one answer. Each event sends the same question only once.
 *
 *     eds_dns_start(dns, "example.com", EDS_DNS_MX);
 *     eds_dns_start(dns, "_dmarc.example.com", EDS_DNS_TXT);
 *     answer = eds_dns_get(dns, "example.com", EDS_DNS_MX);   (both are in flight meanwhile)
 *
 * Names are plain text: no escapes, a final dot is ignored, upper case is folded. A name that
 * cannot exist (a label is empty or over 63 octets, or the name is over 253) is answered
 * EDS_DNS_NO_NAME without a question. Names in answers are lower case, printable ASCII, a question
 * mark for any other octet. Every question gets an answer with one of four states, even if the
 * question could not be sent.
 */
#ifndef EDS_DNS_H
#define EDS_DNS_H

#include "runtime/ctx.h"
#include "runtime/ip.h"

enum {
	EDS_DNS_QUERIES_MAX = 200, /* maximum number of questions per event; the answer to any
				    * further question is a temporary failure */
	EDS_DNS_NAME_MAX = 253,    /* maximum number of octets of a name in text, without the final
				    * dot */
	EDS_DNS_RECORDS_MAX = 512, /* maximum number of records of one answer; further ones are
				    * dropped */
	EDS_DNS_ANSWER_BYTES_MAX = 65535,
	/* The maximum number of octets of memory for all answers of an event; an answer beyond this
	 * limit is a temporary failure. There is a limit because strangers' name servers choose the
	 * size of answers, and an event may check many domains. A domain with long records needs
	 * about 100 KB. */
	EDS_DNS_ANSWERS_BYTES_MAX = 1024 * 1024,
};

enum eds_dns_type { /* types with their numbers on the wire (RFC 1035 section 3.2.2) */
	EDS_DNS_A = 1,
	EDS_DNS_NS = 2,
	EDS_DNS_CNAME = 5,
	EDS_DNS_PTR = 12,
	EDS_DNS_MX = 15,
	EDS_DNS_TXT = 16,
	EDS_DNS_AAAA = 28,
	EDS_DNS_TLSA = 52, /* RFC 6698 */
	EDS_DNS_CAA = 257, /* RFC 8659 */
};

enum eds_dns_state {
	EDS_DNS_FOUND,   /* at least one record of the type asked */
	EDS_DNS_NO_NAME, /* NXDOMAIN, or the name cannot exist or must not be shown (own-names.h) */
	EDS_DNS_NO_DATA, /* the name exists, but has no record of the type asked */
	EDS_DNS_TEMPORARY, /* no usable answer: for example SERVFAIL, REFUSED, nothing in time, a
			    * malformed answer, or a limit of this file is reached */
};

/* Why there was no answer: only the reasons that callers distinguish. */
enum eds_dns_failure {
	EDS_DNS_OTHER_FAILURE, /* any other failure, or none */
	EDS_DNS_TIMED_OUT,
	EDS_DNS_UNREACHABLE,
	EDS_DNS_REFUSED,
	EDS_DNS_SERVFAIL,
	EDS_DNS_MALFORMED,
	EDS_DNS_REFERRAL, /* the reply only named other name servers to ask */
};

struct eds_dns_record {
	struct rt_ip ip; /* A, AAAA: the address; an IPv4-mapped one becomes the IPv4 address */
	const char
		*name; /* PTR, NS, CNAME: the target; MX: the exchange ("" for the root: null MX) */
	uint16_t preference; /* MX */
	const char *txt;     /* TXT: its strings joined without a space; may hold any octet. TLSA,
				CAA: the data as on the wire */
	size_t txt_length;
};

struct eds_dns_answer {
	const char *name; /* the name asked, in lower case without a final dot */
	enum eds_dns_type type;
	enum eds_dns_state state;
	enum eds_dns_failure failure; /* why state is EDS_DNS_TEMPORARY */
	const char *reason; /* the reason as text, perhaps more exact than `failure`: "SERVFAIL",
			     * "REFUSED", "no answer", …; "" for other states */
	bool bogus;     /* SERVFAIL because the resolver finds that the records do not validate with
			 * DNSSEC (RFC 8914) */
	uint32_t ttl_s; /* the least TTL of the records, of the CNAMEs that led to them and, for a
			 * negative answer, of the SOA (RFC 2308); 0 for a failure */
	const char *canonical; /* the name at the end of the CNAME chain; the same as `name` if
				* there is no CNAME */
	bool aliased;          /* a CNAME was followed, so canonical differs from name */
	const char *own_name;  /* the first name of the CNAME chain that is not in the public DNS;
				* NULL without one */
	bool authoritative;    /* the AA bit of the reply; it means something only when a zone's
				* name server was asked directly */
	struct eds_dns_record *records;
	size_t count;
};

/* True when our own resolver could not be asked. The answer then says nothing about the name or its
 * servers. Do not call this function with answers of eds_dns_get_from(). */
static inline bool eds_dns_resolver_is_away(const struct eds_dns_answer *answer)
{
	return answer->state == EDS_DNS_TEMPORARY && answer->failure == EDS_DNS_UNREACHABLE;
}

struct eds_dns_server {
	struct rt_ip ip;
	int port; /* port of the server: 53, except in tests */
};

struct eds_dns; /* the cache, budget and questions in flight of one event */

/* Opens this event's view of the process's resolver; the first call opens the resolver too. Names
 * of the operator's own network are hidden from accounts as own-names.h describes. Fails with
 * RT_INTERNAL "dns-unavailable" when no server can be asked. The end of the event cancels the
 * questions in flight. */
RT_MUST_USE rt_status eds_dns_open(struct rt_ctx *ctx, struct eds_dns **dns);

/* From now on, new questions for a name that is not in the public DNS (name.h) are answered
 * EDS_DNS_NO_NAME and not sent. An alias of such a name is answered EDS_DNS_NO_NAME, too. Only a
 * service that receives reports at a name of its own network (own-names.h) needs this call; for
 * other services, eds_dns_open() has the same effect. Call it in events that answer somebody
 * without an account. */
void eds_dns_public_only(struct eds_dns *dns);

/* Sends the question unless it has been asked before in this event. */
void eds_dns_start(struct eds_dns *dns, const char *name, enum eds_dns_type type);

/* Like eds_dns_start(), for a name in a zone from the operator's settings. The zone may belong to
 * the operator's own network. */
void eds_dns_start_own(struct eds_dns *dns, const char *name, enum eds_dns_type type);

/* Starts the question and calls callback() when the answer arrives (at once when it is cached). The
 * callback may start further questions; it must not wait. */
typedef void (*eds_dns_callback)(void *arg, const struct eds_dns_answer *answer);
void eds_dns_when(struct eds_dns *dns, const char *name, enum eds_dns_type type,
	eds_dns_callback callback, void *arg);

/* Returns the answer, never NULL. Waits for it until the question times out or the event reaches
 * its deadline; then the state is EDS_DNS_TEMPORARY. */
const struct eds_dns_answer *eds_dns_get(
	struct eds_dns *dns, const char *name, enum eds_dns_type type);

/* Returns the answer of this name server, which is asked directly and without recursion, as
 * resolvers ask name servers. Waits like eds_dns_get(). The state is EDS_DNS_TEMPORARY with
 * EDS_DNS_TIMED_OUT only when the server was asked and did not answer. */
const struct eds_dns_answer *eds_dns_get_from(struct eds_dns *dns,
	const struct eds_dns_server *server, const char *name, enum eds_dns_type type);

/* True when eds_dns_get_from() has been called with these arguments before in this event. */
bool eds_dns_was_asked_from(struct eds_dns *dns, const struct eds_dns_server *server,
	const char *name, enum eds_dns_type type);

/* From now on eds_dns_get() does not wait. For a question without an answer it returns
 * EDS_DNS_TEMPORARY, "no answer yet"; a new question is sent first. The caller can repeat its
 * evaluation, with more answers each time, until no question is in flight. */
void eds_dns_never_wait(struct eds_dns *dns);
size_t eds_dns_in_flight(const struct eds_dns *dns);

/* The answer to a question, if it has arrived; else NULL. Sends no question. */
const struct eds_dns_answer *eds_dns_peek(
	struct eds_dns *dns, const char *name, enum eds_dns_type type);

/* Waits until no question is in flight, max_ms at most. */
void eds_dns_settle(struct eds_dns *dns, int max_ms);

/* Waits for a reply or for fd (-1 for none), max_ms at most, and handles the replies that arrived;
 * true when fd is readable or closed by its peer. Use it to wait for a child and for DNS at once.
 */
bool eds_dns_step(struct eds_dns *dns, int fd, int max_ms);

/* Copies pointers to the answers that this event has so far, at most max, in the order of asking;
 * leaves out those of eds_dns_get_from(). Returns their number. The answers can then be given to a
 * child of the sandbox. */
size_t eds_dns_answers(struct eds_dns *dns, const struct eds_dns_answer **answers, size_t max);

/* Number of questions sent in this event. */
size_t eds_dns_query_count(const struct eds_dns *dns);

#endif
