/* Numbers that a function counts beside its answers: the outcomes of its DNS queries, what its
 * database refused, how the children of its sandbox ended, and others.
 *
 * The numbers belong to the process. After each event the handler loop passes them to its
 * supervisor, behind the answer (process/process-lines.h), and resets them. The runner adds them up
 * in /metrics; a cloud adapter logs them as metrics.
 */
#ifndef RT_COUNTS_H
#define RT_COUNTS_H

#include "runtime/buffer.h"

enum rt_count {
	RT_COUNT_DNS_ASKED,
	RT_COUNT_DNS_TIMEOUT,
	RT_COUNT_DNS_UNREACHABLE, /* no DNS server accepts queries */
	RT_COUNT_DNS_REFUSED,
	RT_COUNT_DNS_SERVFAIL,
	RT_COUNT_DNS_BOGUS, /* SERVFAIL because the records do not validate (RFC 8914) */
	RT_COUNT_DNS_MALFORMED,
	RT_COUNT_DNS_OTHER,
	RT_COUNT_DATABASE_ERRORS,  /* statements that failed, also those that were repeated */
	RT_COUNT_DATABASE_RETRIES, /* transactions that were repeated */
	RT_COUNT_LIST_REFUSED,     /* a blocklist refused to answer us; one for each list, in the */
	RT_COUNT_LIST_REFUSED_LAST = RT_COUNT_LIST_REFUSED + 3, /* order of enum rt_dnsbl_kind */
	RT_COUNT_CHILD_AT_NONE, /* children of the sandbox, by the level of their helper */
	RT_COUNT_CHILD_AT_LIMITS,
	RT_COUNT_CHILD_AT_FILTER,
	RT_COUNT_CHILD_DIED, /* how a child of the sandbox ended, unless it did its work */
	RT_COUNT_CHILD_HUNG,
	RT_COUNT_CHILD_FLOODED,
	RT_COUNT_CHILD_LIED,
	RT_COUNT_CHILD_VIOLATED,
	RT_COUNT_CHILD_UNCONFINED,
	RT_COUNT_CHILD_NO_HELPER, /* no helper program could start it */
	RT_COUNT_CHILD_DEADLINE,
	RT_COUNT_SESSIONS_CREATED,
	RT_COUNT_SESSIONS_COMPLETED, /* also those that got a further message */
	RT_COUNTS,
};

enum {
	RT_COUNTS_TEXT_MAX = 1280, /* octets that rt_counts_take adds at most */
};

void rt_count(enum rt_count count);

/* "dnsTimeout" */
const char *rt_count_name(enum rt_count count);

/* Adds " dnsAsked=3,dnsTimeout=1", without counts of 0, and resets the counts. Adds nothing when
 * all are 0.
 */
void rt_counts_take(struct rt_buffer *line);

#endif
