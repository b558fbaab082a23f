/* Numbers that a function counts and reports together with its answers: the outcomes of its DNS
 * queries, the database statements that failed, the ways in which children of its sandbox ended,
 * and others.
 *
 * The numbers belong to the process. With the answer to each event, the handler loop passes them to
 * a supervisor that asks for them (process/process-lines.h), and resets them. The supervisor adds
 * them up in its /metrics; on AWS Lambda, bootstrap logs them as metrics instead.
 */
#ifndef RT_COUNTS_H
#define RT_COUNTS_H

#include "runtime/buffer.h"

enum rt_count {
	RT_COUNT_DNS_ASKED,
	RT_COUNT_DNS_TIMEOUT,
	RT_COUNT_DNS_UNREACHABLE, /* the DNS servers that were asked accept no queries */
	RT_COUNT_DNS_REFUSED,
	RT_COUNT_DNS_SERVFAIL,
	RT_COUNT_DNS_BOGUS, /* SERVFAIL because the records do not validate (RFC 8914) */
	RT_COUNT_DNS_MALFORMED,
	RT_COUNT_DNS_OTHER,
	RT_COUNT_DATABASE_ERRORS,  /* statements that failed, including those that were repeated */
	RT_COUNT_DATABASE_RETRIES, /* transactions that were repeated */
	RT_COUNT_LIST_REFUSED, /* questions that a blocklist refused to answer; each blocklist has
				  its own count */
	/* the last of the counts of blocklists */
	RT_COUNT_LIST_REFUSED_LAST = RT_COUNT_LIST_REFUSED + 3,
	RT_COUNT_CHILD_AT_NONE, /* children of the sandbox; one count for each level at which
				 * helpers confine them */
	RT_COUNT_CHILD_AT_LIMITS,
	RT_COUNT_CHILD_AT_FILTER,
	/* children of the sandbox that did not do their work, by the way in which they ended */
	RT_COUNT_CHILD_DIED,
	RT_COUNT_CHILD_HUNG,
	RT_COUNT_CHILD_FLOODED,
	RT_COUNT_CHILD_LIED,
	RT_COUNT_CHILD_VIOLATED,
	RT_COUNT_CHILD_UNCONFINED,
	RT_COUNT_CHILD_NO_HELPER, /* no helper program could start the child */
	RT_COUNT_CHILD_DEADLINE,
	RT_COUNT_SESSIONS_CREATED,
	/* results stored in test sessions; a session gets one for each of its messages */
	RT_COUNT_SESSIONS_COMPLETED,
	RT_COUNTS,
};

enum {
	RT_COUNTS_TEXT_MAX = 1280, /* maximum number of octets that rt_counts_take() adds */
};

void rt_count(enum rt_count count);

/* The name of the count: "dnsTimeout". */
const char *rt_count_name(enum rt_count count);

/* Adds " dnsAsked=3,dnsTimeout=1", without counts of 0, and resets the counts. Adds nothing when
 * all are 0.
 */
void rt_counts_take(struct rt_buffer *line);

#endif
